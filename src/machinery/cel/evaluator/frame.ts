import { Pace } from "../../../base/time/pace.js";
import type { Steps } from "../../../base/async/steps.js";
import type { Meter } from "../values/meter.js";
import type { Value } from "../values/value.js";

/** Ends an evaluation that exceeds its cost limit. */
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** Turns of loops between two places where other work may go on. */
const TURNS_PER_SLICE = 64;

/** The state of one evaluation: its variables, and its cost so far. */
export class Frame {
  /** Variables of comprehensions, each at the place that the planner gave it. */
  readonly locals: Value[] = [];
  readonly meter: Meter;
  readonly #resolve: (name: string) => unknown;
  readonly #limit: number;
  readonly #globals = new Map<string, Value>();
  #pace: Pace | undefined;
  /** In cel-go's units. */
  cost = 0;

  constructor(resolve: (name: string) => unknown, meter: Meter, limit: number) {
    this.#resolve = resolve;
    this.meter = meter;
    this.#limit = limit;
  }

  /** Of loops that are evaluated in slices. */
  get pace(): Pace {
    return (this.#pace ??= new Pace(TURNS_PER_SLICE));
  }

  /** Throws {@link CostExceeded} when more is spent than the limit. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostExceeded();
  }

  /** A variable from outside of the expression, made a value once; undefined: it was not given. */
  global(name: string, toValue: (native: unknown) => Value): Value | undefined {
    const known = this.#globals.get(name);
    if (known !== undefined) return known;
    const native = this.#resolve(name);
    if (native === undefined) return undefined;
    const value = toValue(native);
    this.#globals.set(name, value);
    return value;
  }
}

/** A planned node: computes its value in a frame. */
export type Step = (frame: Frame) => Value;

/** A planned node, with the facts that its parent needs for its own plan. */
export interface Planned {
  readonly evaluate: Step;
  /** Set on nodes that loop, and on those that are computed of such: the same in steps. */
  readonly slices?: ((frame: Frame) => Steps<Value>) | undefined;
  /** Set on nodes whose value never changes. They cost nothing. */
  readonly constant?: Value;
  /** Set on variables and what is selected from them: the value without the cost of reading a variable, which a branch of `?:` and an index do not pay. */
  readonly resolve?: Step;
  /** What `evaluate` costs above `resolve`. */
  readonly baseCost?: number;
}

/** Evaluates a node, in steps if it loops. */
export function* valueSteps({ evaluate, slices }: Planned, frame: Frame): Steps<Value> {
  return slices === undefined ? evaluate(frame) : yield* slices(frame);
}

export const loops = ({ slices }: Planned): boolean => slices !== undefined;

export function constant(value: Value): Planned {
  return { evaluate: () => value, constant: value };
}

/** Plans a variable, or a selection from one. */
export function attribute(resolve: Step, baseCost: number): Planned {
  if (baseCost === 0) return { evaluate: resolve, resolve, baseCost };
  const evaluate: Step = (frame) => {
    const value = resolve(frame);
    frame.charge(baseCost);
    return value;
  };
  return { evaluate, resolve, baseCost };
}

/** Returns how to evaluate the operand of a selection, and the cost of the selection itself. */
export function asAttribute(planned: Planned): { readonly resolve: Step; readonly baseCost: number } {
  if (planned.resolve === undefined) return { resolve: planned.evaluate, baseCost: 1 };
  return { resolve: planned.resolve, baseCost: planned.baseCost ?? 1 };
}
