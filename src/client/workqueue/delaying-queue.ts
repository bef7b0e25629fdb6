import { type Stopwatch, stopwatchOf, type Timers } from "../../base/time/timers.js";
import { surroundingsOf } from "../surroundings.js";
import { DelayHeap } from "../../base/time/delay-heap.js";
import type { QueueStats } from "./duration-histogram.js";
import { type QueueItem, WorkQueue, type WorkQueueOptions } from "./work-queue.js";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.js";

export interface DelayingQueueOptions extends WorkQueueOptions {
  /** Wakes the queue when a delay has passed. Default: the process's timers. They do not keep the process alive. */
  readonly timers?: Timers;
}

/** A timer that is longer than this is started again when it fires: what timers can hold is limited. */
const LONGEST_TIMER_MS = 86_400_000;

/** A work queue that accepts items with a delay. It has one timer, however many items wait. */
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
    super({ stopwatch, metrics: options.metrics });
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
    this.metrics?.retried();
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
const queueStopwatch = (options: DelayingQueueOptions): Stopwatch => stopwatchOf(queueTimers(options))();

const queueTimers = ({ timers }: DelayingQueueOptions): Timers => timers ?? surroundingsOf({}).timers;

export interface RateLimitingQueueOptions<T> extends DelayingQueueOptions {
  /** Says how long an item waits. Default: {@link defaultControllerRateLimiter}. */
  readonly rateLimiter?: RateLimiter<T>;
}

/** A delaying queue whose rate limiter chooses the delays: the queue of a controller. */
export class RateLimitingQueue<T extends QueueItem> extends DelayingQueue<T> {
  readonly #rateLimiter: RateLimiter<T>;

  constructor(options: RateLimitingQueueOptions<T> = {}) {
    const { stopwatch = queueStopwatch(options) } = options;
    super({ ...options, stopwatch });
    this.#rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter<T>({ stopwatch });
  }

  /** Adds an item when the rate limiter allows it: usually later each time, until {@link forget}. */
  addRateLimited(item: T): void {
    this.addAfter(item, this.#rateLimiter.when(item));
  }

  /** Ends an item's retries: its next rate-limited add waits as the first one did. Call it when its processing succeeds or is given up. */
  forget(item: T): void {
    this.#rateLimiter.forget(item);
  }

  /** How many times the item was added rate limited since the last {@link forget}. */
  requeues(item: T): number {
    return this.#rateLimiter.requeues(item);
  }
}
