import { formatFieldError, invalidValue } from "../../../../machinery/errors/field-error.js";
import { unclassified } from "../../../../machinery/errors/status-error.js";
import { labelValueErrors, qualifiedNameErrors } from "../../../../machinery/validation/names.js";

export type SelectorMap = Readonly<Record<string, string>>;

/** "region=west,env=test" as a map. Throws in apimachinery's words; kube-apiserver's error has no reason. */
export function selectorMap(selector: string): SelectorMap {
  if (selector === "") return {};
  const entries = selector.split(",").map((label): [string, string] => {
    const parts = label.split("=");
    if (parts.length !== 2) throw unclassified(`invalid selector: [${parts.join(" ")}]`);
    const [key = "", value = ""] = parts.map((part) => part.trim());
    check("<nil>", key, qualifiedNameErrors(key));
    check(`[${key}]`, value, labelValueErrors(value));
    return [key, value];
  });
  return Object.fromEntries(entries);
}

function check(path: string, value: string, problems: readonly string[]): void {
  if (problems.length > 0) throw unclassified(formatFieldError(invalidValue(path, value, problems.join("; "))));
}

/** Whether two maps have a key in common and disagree about it. */
export const conflict = (one: SelectorMap, other: SelectorMap): boolean =>
  Object.entries(one).some(([key, value]) => Object.hasOwn(other, key) && other[key] !== value);

/** Whether a map has nothing that a whitelist does not have. An empty whitelist allows all. */
export const isAllowed = (labels: SelectorMap, whitelist: SelectorMap): boolean =>
  Object.keys(whitelist).length === 0 ||
  Object.entries(labels).every(([key, value]) => Object.hasOwn(whitelist, key) && whitelist[key] === value);
