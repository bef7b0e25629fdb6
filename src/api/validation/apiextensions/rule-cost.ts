import { MOST } from "../../../machinery/cel/estimate/range.js";
import { type FieldError, forbiddenField } from "../../../machinery/errors/field-error.js";
import { type ReadonlyFields, isFields } from "../../../machinery/meta/access.js";
import { numberOf } from "../../../machinery/structural/value-validation.js";

/** The most that a rule may cost by its estimate, with all the values that it runs on. */
const LIMIT = 10_000_000;
/** The most that all rules of a schema may cost together. */
const LIMIT_OF_ALL = 100_000_000;
/** How many of the rules that cost at least a hundredth of that are named. */
const NAMED = 4;

const ADVICE =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

/** What is wrong with an estimated cost; undefined if it is within the limit. */
export function costProblem(what: string, cost: number, limit = LIMIT): string | undefined {
  if (cost <= limit) return undefined;
  const factor = cost / limit;
  const shown = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${toTenths(factor)}x`;
  return `${what} exceeds budget by factor of ${shown} ${ADVICE}`;
}

/** With one digit behind the point; of two that are equally near the even one, as Go rounds. */
function toTenths(factor: number): string {
  const tenths = factor * 10;
  const isTie = tenths - Math.floor(tenths) === 0.5;
  return isTie ? ((Math.floor(tenths / 2 + 0.5) * 2) / 10).toFixed(1) : factor.toFixed(1);
}

export const times = (cost: number, cardinality: number): number => Math.min(cost * cardinality, MOST);

/** The estimated costs of a schema's rules. */
export class TotalCost {
  #total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total = Math.min(this.#total + cost, MOST);
    if (cost < LIMIT_OF_ALL / 100) return;
    this.#expensive.push({ path, cost });
    this.#expensive = this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, NAMED);
  }

  /** `path` is that of the schema. */
  problems(path: string): FieldError[] {
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    const problem = costProblem(what, this.#total, LIMIT_OF_ALL);
    if (problem === undefined) return [];
    const detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    return [...this.#expensive.map((one) => forbiddenField(one.path, detail)), forbiddenField(path, problem)];
  }
}

/** How often what is right inside of a schema's values can be in one of them; undefined: there is no limit. */
export function mostElements(schema: ReadonlyFields): number | undefined {
  if (schema.type === "array") return atLeastNone(schema.maxItems);
  const isMap =
    schema.type === "object" && (isFields(schema.additionalProperties) || schema.additionalProperties === true);
  return isMap ? atLeastNone(schema.maxProperties) : 1;
}

function atLeastNone(limit: unknown): number | undefined {
  const number = numberOf(limit);
  return number === undefined ? undefined : Math.max(number, 0);
}
