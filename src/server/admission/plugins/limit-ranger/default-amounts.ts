import type { Container, LimitRange, Pod, ResourceList } from "../../../../api/types/core/v1.js";
import {
  children,
  type Draft,
  type DraftObject,
  ensureChild,
  object,
  text,
} from "../../../../machinery/meta/received.js";

const ANNOTATION = "kubernetes.io/limit-ranger";

/** Sets the default amounts of a LimitRange on containers that have none, and lists them in an annotation. */
export function setDefaultAmounts(pod: DraftObject<Pod>, { spec }: LimitRange): void {
  const item = spec?.limits?.find(({ type }) => type === "Container");
  const requests = item?.defaultRequest ?? {};
  const limits = item?.default ?? {};
  const podSpec = ensureChild(pod, "spec");
  const notes = [
    ...children(podSpec, "containers").flatMap((one) => completed(one, "container", requests, limits)),
    ...children(podSpec, "initContainers").flatMap((one) => completed(one, "init container", requests, limits)),
  ];
  if (notes.length === 0) return;
  ensureChild(ensureChild(pod, "metadata"), "annotations")[ANNOTATION] = `LimitRanger plugin set: ${notes.join("; ")}`;
}

function completed(container: Draft<Container>, kind: string, requests: ResourceList, limits: ResourceList): string[] {
  const of = `${kind} ${text(container.name)}`;
  const requested = missing(container, "requests", requests);
  const limited = missing(container, "limits", limits);
  return [
    ...(requested.length === 0 ? [] : [`${requested.join(", ")} request for ${of}`]),
    ...(limited.length === 0 ? [] : [`${limited.join(", ")} limit for ${of}`]),
  ];
}

/** Sets the amounts that the container does not have. Returns their names in order. */
function missing(container: Draft<Container>, field: "requests" | "limits", defaults: ResourceList): string[] {
  const own = object(object(container.resources)[field]);
  const names = Object.keys(defaults).filter((name) => own[name] === undefined);
  if (names.length === 0) return [];
  const amounts = ensureChild(ensureChild(container, "resources"), field);
  for (const name of names) amounts[name] = defaults[name];
  return names.sort();
}
