import type { LimitRange } from "../../../../api/types/core/v1.js";
import { children, ensureChild, type Fields, object, text } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";

const ANNOTATION = "kubernetes.io/limit-ranger";

/** Gives containers the amounts that a range has for those which say none, and notes in an annotation which. */
export function setDefaultAmounts(pod: KubeObject, { spec }: LimitRange): void {
  const items = (spec?.limits ?? []).filter(({ type }) => type === "Container");
  // Of several defaults for one resource the last one counts.
  const requests = Object.assign({}, ...items.map(({ defaultRequest }) => defaultRequest)) as Amounts;
  const limits = Object.assign({}, ...items.map((item) => item.default)) as Amounts;
  const podSpec = ensureChild(pod, "spec");
  const notes = [
    ...children(podSpec, "containers").flatMap((one) => completed(one, "container", requests, limits)),
    ...children(podSpec, "initContainers").flatMap((one) => completed(one, "init container", requests, limits)),
  ];
  if (notes.length === 0) return;
  ensureChild(ensureChild(pod, "metadata"), "annotations")[ANNOTATION] = `LimitRanger plugin set: ${notes.join("; ")}`;
}

type Amounts = Readonly<Record<string, string>>;

function completed(container: Fields, kind: string, requests: Amounts, limits: Amounts): string[] {
  const of = `${kind} ${text(container["name"])}`;
  const requested = missing(container, "requests", requests);
  const limited = missing(container, "limits", limits);
  return [
    ...(requested.length === 0 ? [] : [`${requested.join(", ")} request for ${of}`]),
    ...(limited.length === 0 ? [] : [`${limited.join(", ")} limit for ${of}`]),
  ];
}

/** Sets the amounts that the container does not have. Returns their names in order. */
function missing(container: Fields, field: "requests" | "limits", defaults: Amounts): string[] {
  const own = object(object(container["resources"])[field]);
  const names = Object.keys(defaults).filter((name) => own[name] === undefined);
  if (names.length === 0) return [];
  const amounts = ensureChild(ensureChild(container, "resources"), field);
  for (const name of names) amounts[name] = defaults[name];
  return names.sort();
}
