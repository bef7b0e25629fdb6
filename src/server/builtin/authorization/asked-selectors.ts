import { list, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { type FieldRequirement, parseFieldSelector } from "../../../machinery/selectors/field-selector.js";
import {
  labelRequirement,
  type LabelRequirement,
  operatorFromApi,
} from "../../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../../machinery/selectors/parse-label-selector.js";
import type { AuthorizerAttributes } from "../../authz/authorizer.js";

/** The selectors in a question about rights, as far as they can be understood; {@link ignoredSelectors} names the rest. */
export function askedSelectors(
  resourceAttributes: ReadonlyFields,
): Pick<AuthorizerAttributes, "fieldSelector" | "labelSelector"> {
  const fieldSelector = requirementsOf(resourceAttributes["fieldSelector"], parseFieldSelector, fieldRequirement);
  const labelSelector = requirementsOf(resourceAttributes["labelSelector"], parseLabelSelector, askedLabel);
  return { ...(fieldSelector && { fieldSelector }), ...(labelSelector && { labelSelector }) };
}

function requirementsOf<T>(
  selector: unknown,
  parse: (raw: string) => { readonly requirements?: readonly T[] | undefined },
  understand: (requirement: ReadonlyFields) => T | undefined,
): readonly T[] | undefined {
  const stated = objects(object(selector)["requirements"]);
  const raw = text(object(selector)["rawSelector"]);
  try {
    const found = stated.length > 0 ? stated.flatMap((one) => understand(one) ?? []) : (parse(raw).requirements ?? []);
    return found.length === 0 ? undefined : found;
  } catch {
    return undefined;
  }
}

function fieldRequirement({ key, operator, values }: ReadonlyFields): FieldRequirement | undefined {
  const [value, ...more] = list(values).map(text);
  if (value === undefined || more.length > 0 || (operator !== "In" && operator !== "NotIn")) return undefined;
  return { field: text(key), operator: operator === "In" ? "=" : "!=", value };
}

function askedLabel({ key, operator, values }: ReadonlyFields): LabelRequirement | undefined {
  const known = operatorFromApi(text(operator));
  if (known === undefined) return undefined;
  try {
    return labelRequirement(text(key), known, list(values).map(text));
  } catch {
    return undefined;
  }
}
