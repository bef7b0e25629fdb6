import type { LabelSelectorObject } from "../../machinery/validation/labels.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { selectorFromSet } from "../../machinery/selectors/label-selector.js";
import { isJsonObject } from "../../machinery/meta/json.js";

/** Formats spec.selector of a scalable kind: a LabelSelector, or the plain map of a ReplicationController. */
export function selectorText(selector: unknown): string {
  if (!isJsonObject(selector)) return "";
  const plain = Object.values(selector).every((value) => typeof value === "string");
  if (plain) return selectorFromSet(selector as Record<string, string>).toString();
  return selectorFromObject(selector as LabelSelectorObject).toString();
}
