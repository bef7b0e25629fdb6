import type { FieldsOf } from "../../../machinery/meta/received.js";
import type {
  LabelSelectorAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from "../../../api/types/authorization/v1.js";
import type { LabelSelectorRequirement } from "../../../api/types/meta/v1.js";
import { list, object, objects, type ReadonlyFields, text, isFields } from "../../../machinery/meta/access.js";
import { type FieldRequirement, parseFieldSelector } from "../../../machinery/selectors/field-selector.js";
import {
  labelRequirement,
  type LabelRequirement,
  operatorFromApi,
} from "../../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../../machinery/selectors/parse-label-selector.js";
import type { AuthorizerAttributes } from "../../authz/authorizer.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

type Requirement = FieldsOf<LabelSelectorRequirement>;

/** The selectors in a question about rights, as far as they can be understood; {@link ignoredSelectors} names the rest. */
export function askedSelectors(
  resourceAttributes: FieldsOf<ResourceAttributes>,
): Pick<AuthorizerAttributes, "fieldSelector" | "labelSelector"> {
  const fieldSelector = requirementsOf(resourceAttributes.fieldSelector, parseFieldSelector, fieldRequirement);
  const labelSelector = requirementsOf(resourceAttributes.labelSelector, parseLabelSelector, askedLabel);
  return {
    ...(fieldSelector && ({ fieldSelector } satisfies FieldsOf<ResourceAttributes>)),
    ...(labelSelector && ({ labelSelector } satisfies FieldsOf<ResourceAttributes>)),
  };
}

function requirementsOf<T>(
  selector: unknown,
  parse: (raw: string) => { readonly requirements?: readonly T[] | undefined },
  understand: (requirement: Requirement) => T | undefined,
): readonly T[] | undefined {
  const { requirements, rawSelector }: FieldsOf<LabelSelectorAttributes> = object(selector);
  const stated = objects(requirements);
  const raw = text(rawSelector);
  try {
    const found = stated.length > 0 ? stated.flatMap((one) => understand(one) ?? []) : (parse(raw).requirements ?? []);
    return found.length === 0 ? undefined : found;
  } catch {
    return undefined;
  }
}

function fieldRequirement({ key, operator, values }: Requirement): FieldRequirement | undefined {
  const [value, ...more] = list(values).map(text);
  if (value === undefined || more.length > 0 || (operator !== "In" && operator !== "NotIn")) return undefined;
  return { field: text(key), operator: operator === "In" ? "=" : "!=", value };
}

function askedLabel({ key, operator, values }: Requirement): LabelRequirement | undefined {
  const known = operatorFromApi(text(operator));
  if (known === undefined) return undefined;
  try {
    return labelRequirement(text(key), known, list(values).map(text));
  } catch {
    return undefined;
  }
}

/**
 * What an answer says of the selectors of a question about rights that could not be understood (kubernetes'
 * pkg/registry/authorization/util, BuildEvaluationError); undefined when all were. They do not make the question a wrong one:
 * it is answered as if they were not there, which asks for more.
 */
export function ignoredSelectors(review: KubeObject): string | undefined {
  const { resourceAttributes }: FieldsOf<SubjectAccessReviewSpec> = object(review["spec"]);
  const { fieldSelector, labelSelector }: FieldsOf<ResourceAttributes> = object(resourceAttributes);
  const faults = [
    fault("fieldSelector", fieldSelector, isFieldRequirement, parseFieldSelector),
    fault("labelSelector", labelSelector, isLabelRequirement, parseLabelSelector),
  ].filter((one) => one !== undefined);
  return faults.length === 0 ? undefined : faults.join("; ");
}

function fault(
  name: string,
  selector: unknown,
  isUnderstood: (requirement: ReadonlyFields) => boolean,
  parse: (raw: string) => unknown,
): string | undefined {
  if (!isFields(selector)) return undefined;
  const ignored = `spec.resourceAttributes.${name} ignored due to parse error`;
  const requirements = objects(selector["requirements"]);
  if (requirements.length === 0) return parses(text(selector["rawSelector"]), parse) ? undefined : ignored;
  const understood = requirements.filter(isUnderstood).length;
  if (understood === requirements.length) return undefined;
  return understood === 0 ? ignored : ignored.replace("ignored", "partially ignored");
}

function parses(raw: string, parse: (raw: string) => unknown): boolean {
  try {
    parse(raw);
    return true;
  } catch {
    return false;
  }
}

/** Field selectors know equal and unequal: of one value each. */
const isFieldRequirement = ({ operator, values }: Requirement): boolean =>
  (operator === "In" || operator === "NotIn") && list(values).length === 1;

const isLabelRequirement = ({ operator }: ReadonlyFields): boolean => operatorFromApi(text(operator)) !== undefined;
