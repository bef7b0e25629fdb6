import { append } from "../../../base/collections/append.js";
import { atOnce, type Steps } from "../../../base/async/steps.js";
import {
  STATIC_ESTIMATED_COST_LIMIT,
  STATIC_ESTIMATED_CRD_COST_LIMIT,
} from "../../../machinery/cel/kubernetes/cost-limits.js";
import { type FieldError, forbiddenField, invalidValue, made } from "../../../machinery/errors/field-error.js";
import { absent, type ReadonlyFields, isFields } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { CompiledRule, Expression } from "../../../machinery/structural/rules/compile-rule.js";
import { LARGEST_REQUEST } from "../../../machinery/structural/rules/declared-type.js";
import type { RuleDialect } from "../../../machinery/structural/rules/dialect.js";
import { type LazyRule, type RuleNode, ruleTreeOf } from "../../../machinery/structural/rules/rule-tree.js";
import { structuralSchemaOf } from "../../../machinery/structural/structural-schema.js";
import { goRule } from "./schema-fields.js";
import { MOST } from "../../../machinery/cel/estimate/call-estimate.js";
import { numberOf } from "../../../machinery/structural/value-validation.js";
import type { Schema } from "./definition-types.js";

/** How many of the rules that cost at least a hundredth of a schema's limit are named. */
const NAMED = 4;

const ADVICE =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

/** What is wrong with an estimated cost; undefined if it is within the limit. */
function costProblem(what: string, cost: number, limit = STATIC_ESTIMATED_COST_LIMIT): string | undefined {
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

const times = (cost: number, cardinality: number): number => Math.min(cost * cardinality, MOST);

/** The estimated costs of a schema's rules. */
export class TotalCost {
  #total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total = Math.min(this.#total + cost, MOST);
    if (cost < STATIC_ESTIMATED_CRD_COST_LIMIT / 100) return;
    this.#expensive.push({ path, cost });
    this.#expensive = this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, NAMED);
  }

  /** `path` is that of the schema. */
  problems(path: string): FieldError[] {
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    const problem = costProblem(what, this.#total, STATIC_ESTIMATED_CRD_COST_LIMIT);
    if (problem === undefined) return [];
    const detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    return [...this.#expensive.map((one) => forbiddenField(one.path, detail)), forbiddenField(path, problem)];
  }
}

/** How often what is right inside of a schema's values can be in one of them; undefined: there is no limit. */
function mostElements(schema: Schema): number | undefined {
  if (schema.type === "array") return atLeastNone(schema.maxItems);
  const isMap =
    schema.type === "object" && (isFields(schema.additionalProperties) || schema.additionalProperties === true);
  return isMap ? atLeastNone(schema.maxProperties) : 1;
}

function atLeastNone(limit: unknown): number | undefined {
  const number = numberOf(limit);
  return number === undefined ? undefined : Math.max(number, 0);
}

/** The place of a schema's rules, on which the text of their errors depends. */
export interface RulePlace {
  /** Of the schema. */
  readonly path: string;
  /** The path of the list around the schema whose items of before cannot be found again; undefined: there is none. */
  readonly uncorrelatable: string | undefined;
  /** Whether a rule may cost more than the limit, because the version's schema did not change. */
  readonly forgivesCost: boolean;
  /** The expressions of rules that the definition had before. */
  readonly stored: ReadonlySet<string>;
}

/** A schema with rules, and how often its values can be in one object by the limits around it; undefined: there are none. */
interface RuleSchema {
  readonly node: RuleNode;
  readonly cardinality: number | undefined;
}

/** The rules in a definition's schema, each compiled once. Source: apiextensions' ValidateCustomResourceDefinitionOpenAPISchema. */
export class RuleExpressions {
  readonly #schemas = new Map<unknown, RuleSchema>();

  private constructor(schema: Schema, dialect: RuleDialect) {
    const tree = ruleTreeOf(structuralSchemaOf(schema as JsonObject), true, dialect);
    if (tree !== undefined) this.#add(tree, 1);
  }

  /** Of the same schema they are the same. */
  static of(schema: Schema, dialect: RuleDialect): RuleExpressions {
    const ofDialect = known.get(dialect) ?? new WeakMap<ReadonlyFields, RuleExpressions>();
    known.set(dialect, ofDialect);
    let expressions = ofDialect.get(schema);
    if (expressions === undefined) {
      expressions = new RuleExpressions(schema, dialect);
      ofDialect.set(schema, expressions);
    }
    return expressions;
  }

  #add(node: RuleNode, cardinality: number | undefined): void {
    const { source } = node.schema;
    this.#schemas.set(source, { node, cardinality });
    const elements = mostElements(source);
    const inside = cardinality === undefined || elements === undefined ? undefined : times(cardinality, elements);
    for (const property of node.properties.values()) this.#add(property, inside);
    if (node.others !== undefined) this.#add(node.others, inside);
    if (node.items !== undefined) this.#add(node.items, inside);
  }

  /** Compiles all rules and estimates what they cost, in steps. */
  *prepareSteps(): Steps<void> {
    for (const { node } of this.#schemas.values()) {
      for (const rule of node.rules) {
        const { expression, messageExpression } = yield* rule.compileNewSteps();
        yield;
        costOf(expression);
        costOf(messageExpression);
      }
    }
  }

  /** What is wrong with the rules of a schema, which is the one of the definition or inside of it. */
  judge(schema: Schema, place: RulePlace, total: TotalCost): FieldError[] {
    const found = this.#schemas.get(schema);
    if (found === undefined || found.node.schema.rules.length === 0) return [];
    const path = `${place.path}.x-kubernetes-validations`;
    const { self } = found.node;
    if (self === undefined) {
      const detail =
        "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
      return [made({ type: "InternalError", field: path, detail })];
    }
    const cardinality = found.cardinality ?? Math.floor(LARGEST_REQUEST / (self.minSerializedSize + 1));
    return found.node.rules.flatMap((rule, index) =>
      problemsOf(compiledAt(rule, place), { ...place, path: `${path}[${index}]`, cardinality, total }),
    );
  }
}

/** A rule that the definition had before may use the function libraries that stored rules may use. */
function compiledAt(rule: LazyRule, { stored }: RulePlace): CompiledRule {
  const compiled = atOnce(rule.compileNewSteps());
  const { rule: text, messageExpression = "" } = compiled.rule;
  const isWrong =
    (compiled.expression?.error !== undefined && stored.has(text)) ||
    (compiled.messageExpression?.error !== undefined && stored.has(messageExpression));
  return isWrong ? atOnce(rule.compileSteps()) : compiled;
}

const known = new Map<RuleDialect, WeakMap<ReadonlyFields, RuleExpressions>>();

interface JudgedPlace extends RulePlace {
  readonly cardinality: number;
  readonly total: TotalCost;
}

function problemsOf(compiled: CompiledRule, place: JudgedPlace): FieldError[] {
  const { rule, expression, usesOldSelf, messageExpression } = compiled;
  const { path, uncorrelatable, total } = place;
  const shown = goRule(rule);
  const errors = costProblems("rule", times(costOf(expression), place.cardinality), place);
  if (expression?.error !== undefined) errors.push(invalidValue(`${path}.rule`, shown, expression.error));
  if (messageExpression?.error !== undefined) {
    errors.push(invalidValue(`${path}.messageExpression`, shown, messageExpression.error));
  } else if (messageExpression !== undefined) {
    append(errors, costProblems("messageExpression", costOf(messageExpression), place));
  }
  if (usesOldSelf && uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    errors.push(invalidValue(`${path}.rule`, rule.rule, detail));
  } else if (!usesOldSelf && !absent(rule.optionalOldSelf)) {
    const detail = "may not be set if oldSelf is not used in rule";
    errors.push(invalidValue(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
  return errors;

  function costProblems(what: string, cost: number, { forgivesCost }: JudgedPlace): FieldError[] {
    total.add(`${path}.${what}`, cost);
    const problem = forgivesCost ? undefined : costProblem(`estimated ${what} cost`, cost);
    return problem === undefined ? [] : [forbiddenField(`${path}.${what}`, problem)];
  }
}

const costs = new WeakMap<Expression, number>();

/** What an expression costs at most; nothing where it does not compile. */
function costOf(expression: Expression | undefined): number {
  if (expression?.program === undefined) return 0;
  let cost = costs.get(expression);
  if (cost === undefined) {
    cost = expression.maxCost();
    costs.set(expression, cost);
  }
  return cost;
}
