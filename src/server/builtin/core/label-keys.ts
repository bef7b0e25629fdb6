import type { LabelSelectorRequirement } from "../../../api/types/meta/v1.js";
import type { PodAffinityTerm, PodSpec } from "../../../api/types/core/v1.js";
import { own } from "../../../base/collections/own.js";
import {
  type FieldsOf,
  child,
  children,
  type Draft,
  list,
  type Received,
  text,
} from "../../../machinery/meta/received.js";

/** Adds the pod's own values of its matchLabelKeys and mismatchLabelKeys to the label selectors beside them. */
export function mergeLabelKeys(spec: Draft<PodSpec> | undefined, labels: Received<Record<string, string>>): void {
  if (spec === undefined) return;
  for (const constraint of children(spec, "topologySpreadConstraints")) addKeys(constraint, ["matchLabelKeys"], labels);
  const affinity = child(spec, "affinity");
  if (affinity === undefined) return;
  for (const part of [child(affinity, "podAffinity"), child(affinity, "podAntiAffinity")]) {
    if (part === undefined) continue;
    const preferred = children(part, "preferredDuringSchedulingIgnoredDuringExecution").map((term) =>
      child(term, "podAffinityTerm"),
    );
    for (const term of [...preferred, ...children(part, "requiredDuringSchedulingIgnoredDuringExecution")]) {
      addKeys(term, ["matchLabelKeys", "mismatchLabelKeys"], labels);
    }
  }
}

/** What an affinity term and a spread constraint have in common; a constraint has no mismatchLabelKeys. */
type LabelKeys = Pick<PodAffinityTerm, "labelSelector" | "matchLabelKeys" | "mismatchLabelKeys">;

/** Without a selector nothing matches, and there is nothing to narrow. */
function addKeys(
  holder: Draft<LabelKeys> | undefined,
  fields: readonly ("matchLabelKeys" | "mismatchLabelKeys")[],
  labels: Received<Record<string, string>>,
): void {
  const selector = child(holder, "labelSelector");
  if (holder === undefined || selector === undefined) return;
  const added = fields.flatMap((field) =>
    list(holder[field])
      .map(text)
      .filter((key) => own(labels, key) !== undefined)
      .map(
        (key) =>
          ({
            key,
            operator: field === "matchLabelKeys" ? ("In" as const) : ("NotIn" as const),
            values: [own(labels, key) ?? null],
          }) satisfies FieldsOf<LabelSelectorRequirement>,
      ),
  );
  if (added.length > 0) selector.matchExpressions = [...list(selector.matchExpressions), ...added];
}
