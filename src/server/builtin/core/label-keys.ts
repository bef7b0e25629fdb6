import { own } from "../../../base/collections/own.js";
import {
  child,
  children,
  type Fields,
  isFields,
  list,
  type ReadonlyFields,
  text,
} from "../../../machinery/meta/access.js";

/**
 * Writes what a new pod's matchLabelKeys and mismatchLabelKeys mean into the selectors beside them: the pod's own value of each
 * key that it has.
 */
export function mergeLabelKeys(spec: Fields | undefined, labels: ReadonlyFields): void {
  if (spec === undefined) return;
  for (const constraint of children(spec, "topologySpreadConstraints")) addKeys(constraint, ["matchLabelKeys"], labels);
  const affinity = child(spec, "affinity");
  if (affinity === undefined) return;
  for (const part of [child(affinity, "podAffinity"), child(affinity, "podAntiAffinity")]) {
    if (part === undefined) continue;
    const preferred = children(part, "preferredDuringSchedulingIgnoredDuringExecution").map(
      (term) => child(term, "podAffinityTerm") ?? {},
    );
    for (const term of [...preferred, ...children(part, "requiredDuringSchedulingIgnoredDuringExecution")]) {
      addKeys(term, ["matchLabelKeys", "mismatchLabelKeys"], labels);
    }
  }
}

/** Without a selector nothing matches, and there is nothing to narrow. */
function addKeys(holder: Fields, fields: readonly string[], labels: ReadonlyFields): void {
  const selector = holder.labelSelector;
  if (!isFields(selector)) return;
  const added = fields.flatMap((field) =>
    list(holder[field])
      .map(text)
      .filter((key) => own(labels, key) !== undefined)
      .map((key) => ({ key, operator: field === "matchLabelKeys" ? "In" : "NotIn", values: [own(labels, key)] })),
  );
  if (added.length > 0) selector.matchExpressions = [...list(selector.matchExpressions), ...added];
}
