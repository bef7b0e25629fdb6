import { append } from "../../../base/collections/append.js";
import { atOnce, type Steps } from "../../../base/async/steps.js";
import type { FieldError } from "../../errors/field-error.js";
import type { JsonValue } from "../../meta/json.js";
import type { CorrelatedValue } from "../ratchet.js";
import { type RuleNode, ruleTreeOf } from "./rule-tree.js";
import { type Place, placesIn } from "./place.js";
import { RuleRun } from "./rule-run.js";
import type { StructuralSchema } from "../structural-schema.js";

/** What all rules of one object may cost together. Source: apiserver's RuntimeCELCostBudget. */
export const COST_BUDGET = 10_000_000;

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
  /** Default: {@link COST_BUDGET}. */
  readonly budget?: number;
}

export interface RuleResult {
  readonly errors: readonly FieldError[];
  /** Below zero when the rest of the rules did not run. */
  readonly budgetLeft: number;
}

/** Judges values by the rules of a schema (x-kubernetes-validations). */
export interface RuleValidator {
  (value: JsonValue, options?: RuleOptions): RuleResult;
  /** The same in steps. */
  steps(value: JsonValue, options?: RuleOptions): Steps<RuleResult>;
}

/**
 * What judges values by the rules in a schema and in all that is in it; undefined where there are none. Rules are compiled when a value
 * first needs them. Source: apiextensions' cel.Validator.
 */
export function compileRules(schema: StructuralSchema, isResourceRoot: boolean): RuleValidator | undefined {
  const tree = ruleTreeOf(schema, isResourceRoot);
  if (tree === undefined) return undefined;
  const steps = (value: JsonValue, options: RuleOptions = {}): Steps<RuleResult> => walk(tree, value, options);
  return Object.assign((value: JsonValue, options: RuleOptions = {}) => atOnce(walk(tree, value, options)), { steps });
}

/** The places, outer ones first, each with all of its rules before the next. */
function* walk(tree: RuleNode, value: JsonValue, options: RuleOptions): Steps<RuleResult> {
  const { correlated, budget = COST_BUDGET, path: step = "", ratchets = true, warn } = options;
  const run = new RuleRun(budget, warn);
  if (value === null) return run.result();
  const ratchet = ratchets ? correlated : undefined;
  const open: Place[] = [{ node: tree, value, outer: undefined, step, correlated, ratchet }];
  let [values, spentAt] = [0, budget];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const rule of place.node.rules) {
      run.judge(place, rule.compiled ?? (yield* rule.compileSteps()));
      if (run.isOver) return run.result();
      if (spentAt - run.budgetLeft < COST_PER_STEP) continue;
      spentAt = run.budgetLeft;
      yield;
    }
    values += 1;
    if (values % VALUES_PER_STEP === 0) yield;
    append(open, placesIn(place, ratchets).toReversed());
  }
  return run.result();
}
