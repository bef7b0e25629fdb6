import type { LabelSelectorObject } from "../../machinery/validation/labels.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { selectorFromSet } from "../../machinery/selectors/label-selector.js";
import { isJsonObject } from "../../machinery/meta/json.js";

/** spec.selector of a scalable kind as text: a LabelSelector object, or a replication controller's plain map. */
export function selectorText(selector: unknown): string {
  if (!isJsonObject(selector)) return "";
  const plain = Object.values(selector).every((value) => typeof value === "string");
  if (plain) return selectorFromSet(selector as Record<string, string>).toString();
  return selectorFromObject(selector as LabelSelectorObject).toString();
}
