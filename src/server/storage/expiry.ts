import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";

export interface Expiring {
  readonly key: string;
  /** The revision of the write that set the time to live. A later write to the key cancels the expiry. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Timers drift and clocks are set, so {@link Expiry} checks at least this often. It bounds how late a key expires. */
const LONGEST_WAIT = 60_000;

/** Calls `expire` for each entry when it is due, earliest first. It uses a single timer. */
export class Expiry {
  /** A binary heap with the earliest entry first. */
  readonly #heap: Expiring[] = [];
  #cancel: (() => void) | undefined;
  #armedFor = Number.POSITIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly expire: (entry: Expiring) => void,
  ) {}

  add(entry: Expiring): void {
    this.#heap.push(entry);
    this.#up(this.#heap.length - 1);
    this.#arm();
  }

  /** Expires the entries that are due. The timer calls it; a test that drives the clock may call it too. */
  run(): void {
    const now = this.clock.now();
    for (let first = this.#heap[0]; first !== undefined && first.at <= now; first = this.#heap[0]) {
      this.#pop();
      this.expire(first);
    }
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#arm();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#heap.length = 0;
  }

  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined || first.at >= this.#armedFor) return;
    this.#cancel?.();
    this.#armedFor = first.at;
    const wait = Math.min(Math.max(0, first.at - this.clock.now()), LONGEST_WAIT);
    this.#cancel = this.timers.start(wait, () => this.run());
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    let index = 0;
    for (;;) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2]) if (this.#before(child, least)) least = child;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #up(from: number): void {
    for (let index = from; index > 0; ) {
      const parent = (index - 1) >>> 1;
      if (!this.#before(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #before(a: number, b: number): boolean {
    const left = this.#heap[a];
    const right = this.#heap[b];
    return left !== undefined && right !== undefined && left.at < right.at;
  }

  #swap(a: number, b: number): void {
    const left = this.#heap[a] as Expiring;
    this.#heap[a] = this.#heap[b] as Expiring;
    this.#heap[b] = left;
  }
}
