import { isFields, list, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { parseFieldSelector } from "../../../machinery/selectors/field-selector.js";
import { operatorFromApi } from "../../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../../machinery/selectors/parse-label-selector.js";

/**
 * What an answer says of the selectors of a question about rights that could not be understood (kubernetes'
 * pkg/registry/authorization/util, BuildEvaluationError); undefined when all were. They do not make the question a wrong one:
 * it is answered as if they were not there, which asks for more.
 */
export function ignoredSelectors(review: KubeObject): string | undefined {
  const { fieldSelector, labelSelector } = object(object(review["spec"])["resourceAttributes"]);
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
const isFieldRequirement = ({ operator, values }: ReadonlyFields): boolean =>
  (operator === "In" || operator === "NotIn") && list(values).length === 1;

const isLabelRequirement = ({ operator }: ReadonlyFields): boolean => operatorFromApi(text(operator)) !== undefined;
