/** What became of an item: done with, or to be tried again after a wait that doubles each time, or after that many milliseconds. */
export type Outcome = "done" | "again" | { readonly afterMilliseconds: number };

export interface WorkQueueOptions<T> {
  readonly work: (item: T) => Promise<Outcome>;
  /** How many items are worked on at a time. */
  readonly workers: number;
  /** Nothing is begun any more once it aborts. */
  readonly signal: AbortSignal;
  /** Given what `work` threw; the item is tried again. */
  readonly report: (error: unknown) => void;
}

const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 1_000_000;

/**
 * Items to work on, each once however often it is added: an item that is added while it is worked on is worked on once more
 * afterwards. Begins at {@link start}.
 */
export class WorkQueue<T> {
  readonly #waiting = new Set<T>();
  readonly #working = new Set<T>();
  readonly #dirty = new Set<T>();
  readonly #failures = new Map<T, number>();
  readonly #timers = new Map<T, NodeJS.Timeout>();
  readonly #runs = new Set<Promise<void>>();
  #started = false;

  constructor(private readonly options: WorkQueueOptions<T>) {
    options.signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  start(): void {
    this.#started = true;
    this.#fill();
  }

  add(item: T): void {
    if (this.options.signal.aborted) return;
    if (this.#working.has(item)) this.#dirty.add(item);
    else {
      this.#waiting.add(item);
      this.#fill();
    }
  }

  /** As {@link add}, after a wait; the earlier of two waits counts. */
  addAfter(item: T, milliseconds: number): void {
    if (this.options.signal.aborted || this.#timers.has(item)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(item);
      this.add(item);
    }, milliseconds);
    timer.unref();
    this.#timers.set(item, timer);
  }

  /** As {@link add}, after a wait that doubles with every failure in a row. */
  addRateLimited(item: T): void {
    const failures = this.#failures.get(item) ?? 0;
    this.#failures.set(item, failures + 1);
    this.addAfter(item, Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 30), LONGEST_WAIT_MS));
  }

  /** Nobody is interested in the item any more. */
  forget(item: T): void {
    this.#waiting.delete(item);
    this.#dirty.delete(item);
    this.#failures.delete(item);
    clearTimeout(this.#timers.get(item));
    this.#timers.delete(item);
  }

  /** Resolves when nothing is being worked on. */
  async settled(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  #fill(): void {
    while (this.#started && this.#runs.size < this.options.workers) {
      const [item] = this.#waiting;
      if (item === undefined || this.options.signal.aborted) return;
      this.#waiting.delete(item);
      this.#working.add(item);
      const run = this.#run(item).finally(() => {
        this.#runs.delete(run);
        this.#fill();
      });
      this.#runs.add(run);
    }
  }

  async #run(item: T): Promise<void> {
    let outcome: Outcome = "again";
    try {
      outcome = await this.options.work(item);
    } catch (error) {
      this.options.report(error);
    }
    this.#working.delete(item);
    if (outcome === "again") this.addRateLimited(item);
    else this.#failures.delete(item);
    if (typeof outcome === "object") this.addAfter(item, outcome.afterMilliseconds);
    if (this.#dirty.delete(item)) this.add(item);
  }

  #stop(): void {
    this.#waiting.clear();
    this.#dirty.clear();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
