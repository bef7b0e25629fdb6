import { invalidValue, notSupported } from "../../machinery/errors/field-error.js";
import type { ReadonlyFields } from "../../machinery/meta/access.js";
import { absent, isStruct, list, object, type Received } from "../../machinery/meta/received.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { type LabelSelector, SelectorError } from "../../machinery/selectors/label-selector.js";
import type { PodTemplateSpec } from "../types/core/v1.js";
import type { LabelSelector as LabelSelectorFields } from "../types/meta/v1.js";
import { checkAbsent, type Errors } from "./collect.js";

/** Parses the selector of a workload; undefined where it is invalid. An absent selector matches nothing. */
export function parsedSelector(selector: Received<LabelSelectorFields> | null | undefined): LabelSelector | undefined {
  try {
    return selectorFromObject(isStruct(selector) ? selector : undefined);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

export function isEmptySelector(selector: Received<LabelSelectorFields>): boolean {
  const { matchLabels, matchExpressions } = selector;
  return Object.keys(object(matchLabels)).length === 0 && list(matchExpressions).length === 0;
}

/** Checks that the selector matches the template's labels. `path` is the template's. Another rule reports an empty selector. */
export function checkSelects(
  selector: LabelSelector,
  template: Received<PodTemplateSpec>,
  path: string,
  errors: Errors,
): void {
  const labels = object(template.metadata).labels;
  if (selector.empty || selector.matches(object(labels) as Record<string, string>)) return;
  const detail = "`selector` does not match template `labels`";
  errors.push(invalidValue(`${path}.metadata.labels`, absent(labels) ? null : sorted(object(labels)), detail));
}

/** Checks that the pods of a workload always restart and have no deadline. `path` is the template's. */
export function checkRunsForever(
  template: Received<PodTemplateSpec>,
  kind: string,
  path: string,
  errors: Errors,
): void {
  const spec = object(template.spec);
  if (spec.restartPolicy !== "Always") {
    errors.push(notSupported(`${path}.spec.restartPolicy`, spec.restartPolicy ?? "", ["Always"]));
  }
  const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
  checkAbsent(spec.activeDeadlineSeconds, `${path}.spec.activeDeadlineSeconds`, detail, errors);
}

/** A map as Go prints it. */
export function sorted(map: Received<Record<string, string>>): ReadonlyFields {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
