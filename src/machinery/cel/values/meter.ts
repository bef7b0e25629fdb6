/**
 * Counts the steps of the running evaluation, and ends it when they are used up.
 *
 * Cost is Kubernetes' measure, is charged for a call after it, and leaves out some work (comparing the elements of lists). Steps
 * are our own: every function with a loop spends them before or during its work, so that no expression blocks the event loop.
 * Evaluation is synchronous, so that there is one current meter at a time.
 */
export class Meter {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Throws {@link StepsSpent} when no step is left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepsSpent();
  }

  /** Allows as many more. */
  refill(steps: number): void {
    this.#left = steps;
  }

  get left(): number {
    return this.#left;
  }
}

/** Thrown to end an evaluation that has used all its steps. */
export class StepsSpent extends Error {
  constructor() {
    super("operation interrupted");
  }
}

let current = new Meter(Number.POSITIVE_INFINITY);

/** Spends steps of the running evaluation. Call it in every function whose work grows with its arguments. */
export function spendSteps(steps: number): void {
  current.spend(steps);
}

/** Runs `body` with `meter` as the current one. */
export function metered<T>(meter: Meter, body: () => T): T {
  const outer = current;
  current = meter;
  try {
    return body();
  } finally {
    current = outer;
  }
}
