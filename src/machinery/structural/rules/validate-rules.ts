import { append } from "../../../base/collections/append.js";
import { atOnce, type Steps } from "../../../base/async/steps.js";
import {
  type FieldError,
  duplicate,
  forbiddenField,
  formatFieldError,
  invalidValue,
  required,
} from "../../errors/field-error.js";
import type { JsonValue } from "../../meta/json.js";
import type { CorrelatedValue } from "../ratchet.js";
import { type LazyRule, type RuleNode, ruleTreeOf, type Place, placesIn, oldOf, pathOf } from "./rule-tree.js";
import type { StructuralSchema } from "../structural-schema.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { RUNTIME_COST_BUDGET } from "../../cel/kubernetes/cost-limits.js";
import type { Evaluation, Program } from "../../cel/program.js";
import { ErrorValue, OPTIONAL_NONE, OptionalValue, type Value } from "../../cel/values/value.js";
import { NO_PATH } from "../validation-result.js";
import type { ValidationRule } from "../value-validation.js";
import type { CompiledRule } from "./compile-rule.js";
import { type RuleDialect, ruleDialect } from "./dialect.js";

/** In bytes. */
const LONGEST_MESSAGE = 5 * 1024;
const OUT_OF_BUDGET = "failed due to running out of cost budget, no further validation rules will be run";

/** Runs the rules of one object one after another, until they have cost too much. Source: apiextensions' cel.Validator. */
class RuleRun {
  readonly #errors: FieldError[] = [];
  readonly #warn: ((text: string) => void) | undefined;
  #left: number;
  #values: { readonly place: Place; readonly self: Value; old?: Value | undefined } | undefined;

  constructor(budget: number, warn: ((text: string) => void) | undefined) {
    this.#left = budget;
    this.#warn = warn;
  }

  /** Below zero when no more rules run. */
  get budgetLeft(): number {
    return this.#left;
  }

  get isOver(): boolean {
    return this.#left < 0;
  }

  result(): RuleResult {
    return { errors: this.#errors, budgetLeft: this.#left };
  }

  /** Runs a rule on a value, and keeps the error of one that fails. */
  judge(place: Place, compiled: CompiledRule): void {
    const { rule, expression, usesOldSelf } = compiled;
    if (this.#left <= 0) return this.#end(place, `validation ${OUT_OF_BUDGET}`);
    if (expression === undefined) return;
    if (expression.program === undefined) return this.#fail(place, `rule compile error: ${expression.error}`);
    // A transition rule needs what was there before.
    if (usesOldSelf && oldOf(place) === undefined && rule.optionalOldSelf !== true) return;
    const evaluation = this.#evaluate(place, rule, expression.program);
    if (!this.#spend(evaluation.cost)) return this.#end(place, `validation ${OUT_OF_BUDGET}`);
    const { value } = evaluation;
    if (value instanceof ErrorValue) this.#failToEvaluate(place, rule, evaluation, value.message);
    else if (value !== true) this.#refuse(place, compiled);
  }

  #evaluate(place: Place, rule: ValidationRule, program: Program): Evaluation {
    // Rules of one place share the values that they read.
    if (this.#values?.place !== place) this.#values = { place, self: place.node.read(place.value) };
    const values = this.#values;
    return program.evaluate((name) => {
      if (name === "self") return values.self;
      return name === "oldSelf" ? oldSelf(place, values, rule.optionalOldSelf === true) : undefined;
    });
  }

  #spend(cost: number): boolean {
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }

  #failToEvaluate(place: Place, rule: ValidationRule, { ended }: Evaluation, problem: string): void {
    const text = ruleText(rule);
    if (ended !== undefined) {
      const detail = `'${problem}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`;
      this.#end(place, detail);
    } else if (problem.startsWith("no such overload")) {
      const detail = `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`;
      this.#fail(place, detail);
    } else this.#fail(place, `${problem} evaluating rule: ${text}`);
  }

  #refuse(place: Place, { rule, usesOldSelf, messageExpression, fieldPath }: CompiledRule): void {
    const at = pathOf(place);
    const path = fieldPath === "" ? at : below(at, fieldPath);
    const report = (error: FieldError): void => {
      if (!usesOldSelf && place.ratchet?.isEqual === true) this.#warn?.(formatFieldError(error));
      else this.#errors.push(error);
    };
    let detail: string | undefined;
    if (messageExpression?.program !== undefined) {
      const message = this.#message(place, rule, messageExpression.program);
      if (message.fault !== undefined) {
        report(invalidValue(path, place.node.schema.type, message.fault));
        this.#left = -1;
        return;
      }
      detail = message.text;
    }
    report(refusal(path, place, detail ?? messageOf(rule), rule.reason));
  }

  /** What a messageExpression makes. Its text is undefined where it makes no message; a fault ends the run. */
  #message(
    place: Place,
    rule: ValidationRule,
    program: Program,
  ): { readonly text?: string | undefined; readonly fault?: string } {
    const { value, cost, ended } = this.#evaluate(place, rule, program);
    if (!this.#spend(cost)) return { fault: `messageExpression evaluation ${OUT_OF_BUDGET}` };
    if (ended !== undefined) {
      const expression = goQuote(rule.messageExpression ?? "");
      const fault = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${expression}`;
      return { fault };
    }
    const text = typeof value === "string" ? value.trim() : "";
    const isMessage = text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= LONGEST_MESSAGE;
    return { text: isMessage ? text : undefined };
  }

  /** The rule says nothing of the value: it cannot run. */
  #fail(place: Place, detail: string): void {
    this.#errors.push(invalidValue(pathOf(place), place.node.schema.type, detail));
  }

  #end(place: Place, detail: string): void {
    this.#fail(place, detail);
    this.#left = -1;
  }
}

function oldSelf(place: Place, values: { old?: Value | undefined }, isOptional: boolean): Value | undefined {
  const before = oldOf(place);
  if (before === undefined) return isOptional ? OPTIONAL_NONE : undefined;
  values.old ??= place.node.read(before);
  return isOptional ? new OptionalValue(values.old) : values.old;
}

const below = (path: string, field: string): string => (path === NO_PATH ? field : `${path}.${field}`);

const ruleText = ({ rule, message = "" }: ValidationRule): string => (message === "" ? rule : message).trim();

function messageOf(rule: ValidationRule): string {
  const { message = "" } = rule;
  return message === "" ? `failed rule: ${ruleText(rule)}` : message.trim();
}

/** Objects and lists are not shown. */
function refusal(path: string, { node, value }: Place, detail: string, reason: string | undefined): FieldError {
  const { type } = node.schema;
  const shown = type === "object" || type === "array" ? undefined : value;
  switch (reason) {
    case "FieldValueForbidden":
      return forbiddenField(path, detail);
    case "FieldValueRequired":
      return required(path, detail);
    case "FieldValueDuplicate":
      return duplicate(path, shown);
    case undefined:
    default:
      return invalidValue(path, shown, detail);
  }
}

/** The cost after which others get their turn: a millisecond or two. */
const COST_PER_STEP = 50_000;
/** Values looked at, with rules or without, after which others get their turn. */
const VALUES_PER_STEP = 256;

export interface RuleOptions {
  /** Of the value; "" or absent for a whole object. */
  readonly path?: string;
  /** The value beside the one that was there before: transition rules compare the two. */
  readonly correlated?: CorrelatedValue | undefined;
  /** Whether what a rule says of a part that did not change is a warning instead of an error. Default: true. */
  readonly ratchets?: boolean;
  /** Takes the texts of such warnings. */
  readonly warn?: (text: string) => void;
  /** Default: {@link RUNTIME_COST_BUDGET}. */
  readonly budget?: number;
  /** Hears how long the rules of each place took, compiling apart. */
  readonly measures?: RuleMeasures | undefined;
}

/** Receives how long rules take. Durations are milliseconds of {@link now}. */
export interface RuleMeasures {
  /** Milliseconds of a clock that never jumps. */
  now(): number;
  /** The rules of one place of the schema were compiled. */
  rulesCompiled(milliseconds: number): void;
  /** The rules of one place were asked about a value. */
  rulesEvaluated(milliseconds: number): void;
}

interface RuleResult {
  readonly errors: readonly FieldError[];
  /** Below zero when the rest of the rules did not run. */
  readonly budgetLeft: number;
}

/** Validates values by the rules of a schema (x-kubernetes-validations). */
export interface RuleValidator {
  (value: JsonValue, options?: RuleOptions): RuleResult;
  /** The same in steps. */
  steps(value: JsonValue, options?: RuleOptions): Steps<RuleResult>;
}

/**
 * Makes the validator of the rules in a schema and its subschemas; undefined where there are none. Each rule is compiled when a
 * value first needs it. Source: apiextensions' cel.Validator.
 */
export function compileRules(
  schema: StructuralSchema,
  isResourceRoot: boolean,
  dialect: RuleDialect = ruleDialect(),
): RuleValidator | undefined {
  const tree = ruleTreeOf(schema, isResourceRoot, dialect);
  if (tree === undefined) return undefined;
  const steps = (value: JsonValue, options: RuleOptions = {}): Steps<RuleResult> => walk(tree, value, options);
  return Object.assign((value: JsonValue, options: RuleOptions = {}) => atOnce(walk(tree, value, options)), { steps });
}

/** The places, outer ones first, each with all of its rules before the next. */
function* walk(tree: RuleNode, value: JsonValue, options: RuleOptions): Steps<RuleResult> {
  const { correlated, budget = RUNTIME_COST_BUDGET, path: step = "", ratchets = true, warn, measures } = options;
  const run = new RuleRun(budget, warn);
  if (value === null) return run.result();
  const ratchet = ratchets ? correlated : undefined;
  const open: Place[] = [{ node: tree, value, outer: undefined, step, correlated, ratchet }];
  let [values, spentAt] = [0, budget];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const timing = measures !== undefined && place.node.rules.length > 0 ? new RuleTiming(measures) : undefined;
    for (const rule of place.node.rules) {
      run.judge(place, rule.compiled ?? (yield* timing?.compiling(rule) ?? rule.compileSteps()));
      if (run.isOver) break;
      if (spentAt - run.budgetLeft < COST_PER_STEP) continue;
      spentAt = run.budgetLeft;
      yield;
    }
    timing?.end();
    if (run.isOver) return run.result();
    values += 1;
    if (values % VALUES_PER_STEP === 0) yield;
    append(open, placesIn(place, ratchets).toReversed());
  }
  return run.result();
}

/** How long the rules of one place take. */
class RuleTiming {
  readonly #began: number;
  #compiled = 0;

  constructor(private readonly measures: RuleMeasures) {
    this.#began = measures.now();
  }

  /** Compiles a rule, and counts how long that takes. */
  *compiling(rule: LazyRule): Steps<CompiledRule> {
    const began = this.measures.now();
    const compiled = yield* rule.compileSteps();
    this.#compiled += this.measures.now() - began;
    return compiled;
  }

  end(): void {
    if (this.#compiled > 0) this.measures.rulesCompiled(this.#compiled);
    this.measures.rulesEvaluated(this.measures.now() - this.#began - this.#compiled);
  }
}
