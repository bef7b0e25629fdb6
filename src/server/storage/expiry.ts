import type { Clock } from "../../base/clock.js";
import type { Timers } from "../../base/timers.js";

export interface Expiring {
  readonly key: string;
  /** The write that set the time to live; a later write to the key makes this one void. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Timers drift and clocks are set; looking again this often bounds how late a key goes. */
const LONGEST_WAIT = 60_000;

/** Calls `expire` for each entry when its time has come, earliest first. One timer serves all. */
export class Expiry {
  /** A binary heap, earliest first. */
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

  /** Expires what is due. Called by the timer; a test with a clock of its own may call it. */
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
