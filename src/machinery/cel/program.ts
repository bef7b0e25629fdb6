import type { Steps } from "../../base/async/steps.js";
import type { Ast, CheckedAst } from "./ast.js";
import type { Declarations } from "./checker/declarations.js";
import type { CostOf } from "./evaluator/cost.js";
import { CostExceeded, Frame, type Planned } from "./evaluator/frame.js";
import { Planner } from "./evaluator/planner.js";
import { DYN } from "./types/type.js";
import { Meter, metered, StepsSpent } from "./values/meter.js";
import { NativeAdapter } from "./values/native.js";
import { ErrorValue, type Value } from "./values/value.js";

export interface ProgramOptions {
  /** Where evaluation ends with "operation cancelled: actual cost limit exceeded". */
  readonly costLimit?: number;
  /** Where evaluation ends with "operation interrupted", whatever it has cost. A step takes about 20 nanoseconds. */
  readonly stepLimit?: number;
  /** Whether `has(x.y)` costs 1 beside what reading `x` costs. cel-go's default is true; Kubernetes has it cost nothing. */
  readonly presenceTestHasCost?: boolean;
  /** Costs of calls that differ from cel-go's (its `ActualCostEstimator`); an overload's own cost goes before. */
  readonly costOf?: CostOf;
}

/** The values of variables, or a function that looks them up. A name without a value counts as undeclared. */
export type Bindings = Readonly<Record<string, unknown>> | ((name: string) => unknown);

export interface Evaluation {
  /** The result; an {@link ErrorValue} where evaluation failed. */
  readonly value: Value;
  /** In cel-go's units. */
  readonly cost: number;
  /** How evaluation was ended from outside of the expression, if it was. */
  readonly ended?: "cost" | "steps";
}

/** How many steps an evaluation takes at most when its caller sets no limit: some tens of milliseconds. */
const MOST_STEPS = 2_000_000;

/** How many steps of an expression that loops are done at once: most take no more. */
const SHORT_STEPS = 5000;

/** An expression that is ready to be evaluated any number of times. Evaluations share nothing. */
export class Program {
  readonly #planned: Planned;
  readonly #options: ProgramOptions;

  constructor(ast: Ast | CheckedAst, declarations: Declarations, options: ProgramOptions) {
    this.#options = options;
    const adapter = new NativeAdapter(declarations.types);
    const planner = new Planner({
      declarations,
      ...("types" in ast ? { types: ast.types, references: ast.references } : {}),
      toValue: (native, type) => adapter.toValue(type ?? DYN)(native),
      presenceTestHasCost: options.presenceTestHasCost ?? true,
      costOf: options.costOf,
    });
    this.#planned = planner.planRoot(ast);
  }

  /** Evaluates with these variables. It throws nothing: what goes wrong is the value. */
  evaluate(bindings: Bindings = {}, costLimit = this.#costLimit): Evaluation {
    return this.#atOnce(this.#frame(bindings, costLimit, this.#stepLimit));
  }

  /**
   * {@link evaluate} in steps. An expression that loops is first evaluated at once, and again from its beginning where that takes
   * more than `most` steps: reading its variables must have no effects.
   */
  *evaluateSteps(bindings: Bindings = {}, costLimit = this.#costLimit, most = SHORT_STEPS): Steps<Evaluation> {
    const limit = this.#stepLimit;
    const slices = limit > most ? this.#planned.slices : undefined;
    const short = this.#atOnce(this.#frame(bindings, costLimit, slices === undefined ? limit : most));
    if (short.ended !== "steps" || slices === undefined) return short;
    yield;
    const frame = this.#frame(bindings, costLimit, limit);
    const steps = slices(frame);
    try {
      for (;;) {
        const step = metered(frame.meter, () => steps.next());
        if (step.done === true) return { value: step.value, cost: frame.cost };
        yield;
      }
    } catch (error) {
      return endedBy(error, frame);
    }
  }

  get #costLimit(): number {
    return this.#options.costLimit ?? Number.POSITIVE_INFINITY;
  }

  get #stepLimit(): number {
    return this.#options.stepLimit ?? MOST_STEPS;
  }

  #frame(bindings: Bindings, costLimit: number, steps: number): Frame {
    const resolve = typeof bindings === "function" ? bindings : (name: string) => own(bindings, name);
    return new Frame(resolve, new Meter(steps), costLimit);
  }

  #atOnce(frame: Frame): Evaluation {
    try {
      const value = metered(frame.meter, () => this.#planned.evaluate(frame));
      return { value, cost: frame.cost };
    } catch (error) {
      return endedBy(error, frame);
    }
  }
}

function endedBy(error: unknown, { cost }: Frame): Evaluation {
  if (error instanceof CostExceeded) return { value: new ErrorValue(error.message), cost, ended: "cost" };
  if (error instanceof StepsSpent) return { value: new ErrorValue(error.message), cost, ended: "steps" };
  throw error;
}

function own(bindings: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(bindings, name) ? bindings[name] : undefined;
}
