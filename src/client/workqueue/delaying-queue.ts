import { type Stopwatch, stopwatchOf } from "../../base/time/stopwatch.js";
import type { Timers } from "../../base/time/timers.js";
import { surroundingsOf } from "../surroundings.js";
import { DelayHeap } from "../../base/time/delay-heap.js";
import type { QueueStats } from "./duration-histogram.js";
import { type QueueItem, WorkQueue, type WorkQueueOptions } from "./work-queue.js";

export interface DelayingQueueOptions extends WorkQueueOptions {
  /** Wakes the queue when a delay has passed. Default: the process's timers. They do not keep the process alive. */
  readonly timers?: Timers;
}

/** A timer that is longer than this is started again when it fires: what timers can hold is limited. */
const LONGEST_TIMER_MS = 86_400_000;

/** A work queue that takes items with a delay. It holds one timer however many items wait. */
export class DelayingQueue<T extends QueueItem> extends WorkQueue<T> {
  readonly #delayed = new DelayHeap<T>();
  readonly #timers: Timers;
  readonly #stopwatch: Stopwatch;
  #cancelTimer: (() => void) | undefined;
  /** When the running timer fires, by the stopwatch. */
  #timerDue = Number.POSITIVE_INFINITY;
  /** The latest time of which a timer has told. Timers and stopwatch differ by up to a millisecond. */
  #passed = 0;
  #retries = 0;

  constructor(options: DelayingQueueOptions = {}) {
    const { stopwatch = queueStopwatch(options) } = options;
    super({ stopwatch });
    this.#stopwatch = stopwatch;
    this.#timers = queueTimers(options);
  }

  /**
   * Adds an item after `milliseconds`, at once if they are 0 or less. Of several delays of an item that have not passed, the
   * one that ends first counts. Ignored once the queue is shutting down, which also drops the items that still wait. Setting
   * the wall clock does not change a delay. Throws a RangeError if `milliseconds` is not a number.
   */
  addAfter(item: T, milliseconds: number): void {
    if (typeof milliseconds !== "number" || Number.isNaN(milliseconds)) {
      throw new RangeError(`the delay of a work item is ${String(milliseconds)}; give a number of milliseconds`);
    }
    if (this.shuttingDown) return;
    this.#retries += 1;
    if (milliseconds <= 0) {
      this.add(item);
      return;
    }
    this.#delayed.push(item, this.#now() + milliseconds);
    this.#startTimer();
  }

  override shutDown(): void {
    super.shutDown();
    this.#dropDelayed();
  }

  override shutDownWithDrain(): Promise<void> {
    const drained = super.shutDownWithDrain();
    this.#dropDelayed();
    return drained;
  }

  override stats(): QueueStats<T> {
    return { ...super.stats(), retries: this.#retries, delayed: this.#delayed.size };
  }

  #now(): number {
    return Math.max(this.#stopwatch(), this.#passed);
  }

  /** Sees to it that the timer fires when the earliest item is ready. */
  #startTimer(): void {
    const { earliest } = this.#delayed;
    if (earliest === undefined || earliest >= this.#timerDue) return;
    this.#cancelTimer?.();
    const now = this.#now();
    this.#timerDue = Math.min(earliest, now + LONGEST_TIMER_MS);
    this.#cancelTimer = this.#timers.start(this.#timerDue - now, () => this.#addReady());
  }

  #addReady(): void {
    this.#passed = this.#timerDue;
    this.#timerDue = Number.POSITIVE_INFINITY;
    const now = this.#now();
    for (let item = this.#delayed.popReady(now); item !== undefined; item = this.#delayed.popReady(now)) this.add(item);
    this.#startTimer();
  }

  #dropDelayed(): void {
    this.#cancelTimer?.();
    this.#delayed.clear();
  }
}

/** Measures the delays of a queue that is given no stopwatch. */
export const queueStopwatch = (options: DelayingQueueOptions): Stopwatch => stopwatchOf(queueTimers(options))();

const queueTimers = ({ timers }: DelayingQueueOptions): Timers => timers ?? surroundingsOf({}).timers;
