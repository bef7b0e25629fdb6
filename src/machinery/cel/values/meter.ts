/**
 * Counts the steps of the evaluation that runs now, and ends it when they are spent.
 *
 * Cost is Kubernetes' measure, and is charged for a call when it is done; it counts some work not at all (the comparison of what is
 * inside of lists). Steps are ours: every function that loops spends them before or while it works, so that no expression holds
 * the event loop. Evaluation is synchronous, so one meter is current at a time.
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

/** Ends an evaluation that has spent its steps. */
export class StepsSpent extends Error {
  constructor() {
    super("operation interrupted");
  }
}

let current = new Meter(Number.POSITIVE_INFINITY);

/** Spends steps of the evaluation that runs now. Call it in every function whose work grows with its arguments. */
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
