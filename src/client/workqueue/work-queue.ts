import { type Deferred, deferred } from "../../base/async/deferred.js";
import { Fifo } from "../../base/collections/fifo.js";
import { startStopwatch, type Stopwatch } from "../../base/time/timers.js";
import { QueueMetrics, type QueueMetricsOptions } from "./queue-metrics.js";
import { DurationHistogram, type QueueStats } from "./duration-histogram.js";

/** An item of a queue. Items are compared as the keys of a Map are: two equal strings are one item, two equal objects are two. */
export type QueueItem = NonNullable<unknown>;

export interface WorkQueueOptions {
  /** Measures durations and delays. Default: the process's monotonic time. */
  readonly stopwatch?: Stopwatch;
  /** Where the queue's metrics go. Default: nowhere; {@link WorkQueue.stats} has them. */
  readonly metrics?: QueueMetricsOptions | undefined;
}

/**
 * Items to process, as client-go's workqueue orders them:
 * - items are processed in the order of their first add;
 * - an item that waits is there once, however often it is added;
 * - an item is never processed twice at a time: added during its processing, it is queued again when that ends.
 */
export class WorkQueue<T extends QueueItem> {
  /** Items that {@link get} will return, oldest first: those of `#dirty` that are not in `#processing`. */
  readonly #queue = new Fifo<T>();
  /** Items that need processing, and when they were added. */
  readonly #dirty = new Map<T, number>();
  /** Items between {@link get} and {@link done}, and when their processing began; the longest running one is first. */
  readonly #processing = new Map<T, number>();
  /** Calls of {@link get} that wait. There are none while `#queue` holds an item. */
  readonly #getters = new Fifo<(item: T | undefined) => void>();
  readonly #stopwatch: Stopwatch;
  readonly #queueDuration = new DurationHistogram();
  readonly #workDuration = new DurationHistogram();
  /** @internal */
  protected readonly metrics: QueueMetrics | undefined;
  #adds = 0;
  #shuttingDown = false;
  #drained: Deferred<void> | undefined;

  constructor({ stopwatch = startStopwatch(), metrics }: WorkQueueOptions = {}) {
    this.#stopwatch = stopwatch;
    this.metrics = metrics && new QueueMetrics(metrics, () => this.stats());
  }

  /** How many items {@link get} would return at once. */
  get length(): number {
    return this.#queue.length;
  }

  /** True since a shutdown began. The queue then ignores adds. */
  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Marks an item as needing processing. Ignored while the item already waits, and once the queue is shutting down. */
  add(item: T): void {
    if (this.#shuttingDown || this.#dirty.has(item)) return;
    this.#adds += 1;
    this.#dirty.set(item, this.#stopwatch());
    this.metrics?.added();
    if (!this.#processing.has(item)) this.#enqueue(item);
  }

  /**
   * Resolves to the oldest item as soon as there is one. The caller processes it and then calls {@link done}. Resolves to
   * undefined when the queue is shutting down and holds no more items: then the worker ends.
   */
  get(): Promise<T | undefined> {
    const item = this.#queue.shift();
    if (item !== undefined) {
      this.#begin(item);
      return Promise.resolve(item);
    }
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#getters.push(resolve));
  }

  /** Ends the processing of an item. Queues it again if it was added meanwhile. Ignored for an item that is not being processed. */
  done(item: T): void {
    const began = this.#processing.get(item);
    if (began === undefined) return;
    this.#processing.delete(item);
    const seconds = (this.#stopwatch() - began) / 1000;
    this.#workDuration.observe(seconds);
    this.metrics?.ended(seconds);
    if (this.#dirty.has(item)) this.#enqueue(item);
    if (this.#isDrained()) this.#drained?.resolve();
  }

  /** Ignores adds from now on. {@link get} returns the items that are left, then undefined. Ends a wait of {@link shutDownWithDrain}. */
  shutDown(): void {
    this.#shutDown();
    this.#drained?.resolve();
  }

  /**
   * Ignores adds from now on. Resolves when all items that are left have been processed; workers have to go on calling
   * {@link get} and {@link done} until then.
   */
  shutDownWithDrain(): Promise<void> {
    this.#shutDown();
    this.#drained ??= deferred<void>();
    if (this.#isDrained()) this.#drained.resolve();
    return this.#drained.promise;
  }

  stats(): QueueStats<T> {
    const now = this.#stopwatch();
    const [longest] = this.#processing;
    let unfinished = 0;
    for (const began of this.#processing.values()) unfinished += now - began;
    return {
      depth: this.#dirty.size,
      adds: this.#adds,
      retries: 0,
      delayed: 0,
      processing: this.#processing.size,
      queueDuration: this.#queueDuration.distribution(),
      workDuration: this.#workDuration.distribution(),
      unfinishedWorkSeconds: unfinished / 1000,
      longestRunning: longest && { item: longest[0], seconds: (now - longest[1]) / 1000 },
    };
  }

  #enqueue(item: T): void {
    const getter = this.#getters.shift();
    if (getter === undefined) this.#queue.push(item);
    else {
      this.#begin(item);
      getter(item);
    }
  }

  #begin(item: T): void {
    const now = this.#stopwatch();
    const seconds = (now - (this.#dirty.get(item) ?? now)) / 1000;
    this.#queueDuration.observe(seconds);
    this.#dirty.delete(item);
    this.#processing.set(item, now);
    this.metrics?.began(seconds);
  }

  #isDrained(): boolean {
    return this.#queue.length === 0 && this.#processing.size === 0;
  }

  #shutDown(): void {
    this.#shuttingDown = true;
    for (let getter = this.#getters.shift(); getter !== undefined; getter = this.#getters.shift()) getter(undefined);
  }
}
