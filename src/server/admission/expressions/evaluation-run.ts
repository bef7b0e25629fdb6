import type { CompiledExpression } from "../../../api/admission/expression-environment.js";
import type { Steps } from "../../../base/async/steps.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import type { AccessDecisions } from "../../../machinery/cel/kubernetes/access.js";
import type { Evaluation, Program } from "../../../machinery/cel/program.js";
import { ErrorValue, type Value, ObjectValue } from "../../../machinery/cel/values/value.js";
import { timeout } from "../../../machinery/errors/status-error.js";
import { objectType } from "../../../machinery/cel/types/type.js";

function failed(name: string, value: Value): Value {
  if (!(value instanceof ErrorValue)) return value;
  return new ErrorValue(`composited variable "${name}" fails to evaluate: ${value.message}`);
}

/** The result of an expression; `error` is in kube-apiserver's words. */
export type Outcome =
  | { readonly value: Value; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string };

/** Thrown when all expressions together exceed their cost budget; no further expression is evaluated. */
export class OutOfBudget extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

export interface EvaluationConfig {
  /** What the expressions can name, but for `variables`. */
  readonly bindings: (name: string) => unknown;
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  /** What all expressions may cost together, in cel-go's units. */
  readonly budget: number;
  readonly signal: AbortSignal;
  /** What `authorizer` is answered. */
  readonly decisions: AccessDecisions;
}

/**
 * Evaluates expressions over one request, within one budget. A variable of the policy is evaluated once, when an expression first
 * reads it. Each evaluation is bounded, and other requests may run between two of them.
 */
export class EvaluationRun {
  readonly #variables: PolicyVariables;
  #left: number;
  /** What variables have cost that the expression under way has read. */
  #variablesCost = 0;

  constructor(private readonly config: EvaluationConfig) {
    this.#left = config.budget;
    this.#variables = new PolicyVariables(config.variables, (program) => this.#settleVariable(program));
  }

  /** What is left for expressions of another run. */
  get left(): number {
    return this.#left;
  }

  /** Rejects with an {@link OutOfBudget}. */
  async evaluate({ text, program, error }: CompiledExpression): Promise<Outcome> {
    if (program === undefined) return { error: `compilation error: ${error}` };
    this.#variablesCost = 0;
    const { value, cost } = await this.#settle(program);
    this.#spend(this.#variablesCost);
    this.#spend(cost);
    if (value instanceof ErrorValue) return { error: `expression '${text}' resulted in error: ${value.message}` };
    return { value };
  }

  #spend(cost: number): void {
    if (cost > this.#left) throw new OutOfBudget();
    this.#left -= cost;
  }

  async #settleVariable(program: Program): Promise<Value> {
    const { value, cost } = await this.#settle(program);
    this.#variablesCost += cost;
    if (this.#variablesCost > this.#left) throw new OutOfBudget();
    return value;
  }

  /** Evaluates again as often as it comes upon something that must be waited for. */
  async #settle(program: Program): Promise<Evaluation> {
    const { bindings, decisions } = this.config;
    const resolve = (name: string): unknown => (name === "variables" ? this.#variables : bindings(name));
    for (;;) {
      if (sliceIsSpent()) await nextSlice();
      this.#throwIfLate();
      try {
        return await decisions.evaluate(() => this.#inSlices(program.evaluateSteps(resolve)));
      } catch (error) {
        if (!(error instanceof Unresolved)) throw error;
        await error.resolve();
      }
    }
  }

  async #inSlices(work: Steps<Evaluation>): Promise<Evaluation> {
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      if (!sliceIsSpent()) continue;
      await nextSlice();
      this.#throwIfLate();
    }
  }

  #throwIfLate(): void {
    if (this.config.signal.aborted) throw timeout("request did not complete within requested timeout", 0);
  }
}

/** The variables of a policy, as the value of `variables`. One is evaluated when an expression first reads it. */
class PolicyVariables extends ObjectValue {
  readonly type = objectType("kubernetes.variables");
  readonly #values = new Map<string, Value>();

  constructor(
    private readonly compiled: ReadonlyMap<string, CompiledExpression>,
    private readonly evaluate: (program: Program) => Promise<Value>,
  ) {
    super();
  }

  get(name: string): Value {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    const compiled = this.compiled.get(name);
    if (compiled === undefined) return new ErrorValue(`no such key: ${name}`);
    const { program, error } = compiled;
    if (program === undefined) return new ErrorValue(`composited variable "${name}" fails to compile: ${error}`);
    throw new Unresolved(async () => {
      this.#values.set(name, failed(name, await this.evaluate(program)));
    });
  }

  has(name: string): boolean | ErrorValue {
    if (!this.compiled.has(name)) return false;
    const value = this.get(name);
    return value instanceof ErrorValue ? value : true;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}

/**
 * Ends an evaluation that reads something which is not there yet. Evaluation is synchronous: its caller calls `resolve`, waits, and
 * starts again.
 */
class Unresolved extends Error {
  constructor(readonly resolve: () => Promise<void>) {
    super("an expression reads a value that is not there yet");
  }
}
