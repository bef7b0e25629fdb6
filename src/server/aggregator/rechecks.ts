import type { Timers } from "../../base/time/timers.js";

export interface RecheckOptions {
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly reportError: (error: unknown) => void;
  /** Milliseconds until the next try after the first failure; each further one in a row doubles it, to `longest`. */
  readonly first: number;
  readonly longest: number;
  /** Milliseconds until the next try after a success. */
  readonly again: number;
}

/** Repeats an action for each of several names. Each name has its own schedule: a slow one does not delay the others. */
export class Rechecks {
  readonly #names = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  readonly #running = new Set<string>();
  /** Those that became due while they were tried. */
  readonly #due = new Set<string>();
  readonly #failures = new Map<string, number>();

  /** `attempt` returns whether it succeeded. */
  constructor(
    private readonly attempt: (name: string) => Promise<boolean>,
    private readonly options: RecheckOptions,
  ) {
    options.signal.addEventListener("abort", () => {
      for (const cancel of this.#waiting.values()) cancel();
      this.#waiting.clear();
    });
  }

  /** Tries it now, or once more if it is being tried. */
  due(name: string): void {
    if (this.options.signal.aborted) return;
    this.#names.add(name);
    this.#cancel(name);
    if (this.#running.has(name)) {
      this.#due.add(name);
      return;
    }
    void this.#try(name);
  }

  /** Tries it no more. */
  forget(name: string): void {
    this.#cancel(name);
    this.#names.delete(name);
    this.#due.delete(name);
    this.#failures.delete(name);
  }

  async #try(name: string): Promise<void> {
    const { signal, timers, reportError, again, first, longest } = this.options;
    this.#running.add(name);
    let succeeded = false;
    try {
      succeeded = await this.attempt(name);
    } catch (error) {
      if (!signal.aborted) reportError(error);
    }
    this.#running.delete(name);
    if (signal.aborted || !this.#names.has(name)) return;
    if (this.#due.delete(name)) return this.due(name);
    const failures = succeeded ? 0 : (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    const wait = succeeded ? again : Math.min(longest, first * 2 ** Math.min(failures - 1, 20));
    this.#waiting.set(
      name,
      timers.start(wait, () => {
        this.#waiting.delete(name);
        this.due(name);
      }),
    );
  }

  #cancel(name: string): void {
    this.#waiting.get(name)?.();
    this.#waiting.delete(name);
  }
}
