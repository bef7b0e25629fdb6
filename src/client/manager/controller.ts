import { pause } from "../../base/time/pause.js";
import { areDriven } from "../../base/time/timers.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { type NamespacedName, splitObjectKey, type ReadonlyIndexer } from "../informers/indexer.js";
import type { Surroundings } from "../surroundings.js";
import { type Outcome, type QueueStats, RateLimitingQueue, runWorkers } from "../workqueue/index.js";
import type { MetricRegistry } from "../../machinery/metrics/metric-registry.js";
import type { ManagerMetrics, ReconcileOutcome } from "./manager-metrics.js";
import type { Problem } from "./problem.js";

/** The argument of a reconciler. */
export interface Reconciliation<T extends ApiObject> extends NamespacedName {
  /** The object as the cache has it, shared: never change it. Undefined when there is no such object (any more). */
  readonly object: T | undefined;
  /** Aborts when the manager stops or no longer leads: end soon, and change nothing any more. */
  readonly signal: AbortSignal;
}

/** The result of a reconciliation: nothing, or the time after which the object is reconciled again even if nothing changes. */
export type ReconcileResult = void | { readonly requeueAfterMilliseconds: number };

/**
 * Brings the cluster closer to what an object asks for. It is called with the object's name after one or many changes, never
 * twice at a time for one object, and must not rely on what has changed. What it throws is reported; it is called again after a
 * wait that grows from 5 milliseconds to 1000 seconds.
 */
export type Reconciler<T extends ApiObject> = (
  request: Reconciliation<T>,
) => Promise<ReconcileResult> | ReconcileResult;

export interface ControllerStatus {
  readonly name: string;
  readonly queue: QueueStats<string>;
}

export interface ControllerParts<T extends ApiObject> {
  readonly name: string;
  readonly cache: ReadonlyIndexer<T>;
  readonly workers: number;
  readonly reconcile: Reconciler<T>;
  readonly surroundings: Surroundings;
  readonly report: (problem: Problem) => void;
  /** Where the controller's metrics go. */
  readonly metrics: { readonly registry: MetricRegistry; readonly manager: ManagerMetrics } | undefined;
}

/** How long a reconciliation runs before it is reported, and how often then. Milliseconds. */
const RUNNING_LONG_MS = 60_000;

/** A queue of objects to reconcile, and the workers that do it. */
export class Controller<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly #queue: RateLimitingQueue<string>;

  constructor(private readonly parts: ControllerParts<T>) {
    this.name = parts.name;
    const { surroundings, metrics } = parts;
    const { timers, stopwatch } = surroundings;
    const ofQueue = metrics && { registry: metrics.registry, name: parts.name };
    this.#queue = new RateLimitingQueue({ timers, stopwatch: stopwatch(), metrics: ofQueue });
    metrics?.manager.controller(parts.name, parts.workers);
  }

  /** Reconciles an object soon, or when that time has passed. */
  enqueue(key: string, afterMilliseconds = 0): void {
    if (afterMilliseconds <= 0) this.#queue.add(key);
    else this.#queue.addAfter(key, afterMilliseconds);
  }

  status(): ControllerStatus {
    return { name: this.name, queue: this.#queue.stats() };
  }

  /** Reconciles until the signal aborts; resolves when no reconciliation runs any more. */
  async run(signal: AbortSignal): Promise<void> {
    const { name, workers, report, surroundings } = this.parts;
    const ended = new AbortController();
    const watching = this.#reportLongRuns(AbortSignal.any([signal, ended.signal]));
    await runWorkers(this.#queue, {
      workers,
      signal,
      stopwatch: surroundings.stopwatch(),
      work: (key) => this.#work(key, signal),
      report: ({ item, error, failuresInARow }) =>
        report({ type: "reconcile-failed", controller: name, key: item, error, failures: failuresInARow }),
    });
    ended.abort();
    await watching;
  }

  async #work(key: string, signal: AbortSignal): Promise<Outcome> {
    const { reconcile, cache, surroundings, name } = this.parts;
    const { timers } = surroundings;
    const work = () => reconcile({ ...splitObjectKey(key), object: cache.get(key), signal });
    const describe = () => `controller ${name} reconciles ${key}`;
    const measure = this.#measure();
    let result: ReconcileResult;
    try {
      result = await (timers.during === undefined ? work() : timers.during(describe, work));
    } catch (error) {
      measure?.("error");
      throw error;
    }
    measure?.(result === undefined ? "success" : "requeue_after");
    return result === undefined ? "done" : { afterMilliseconds: result.requeueAfterMilliseconds };
  }

  /** Begins to measure a reconciliation, where there are metrics. */
  #measure(): ((outcome: ReconcileOutcome) => void) | undefined {
    const { metrics, surroundings, name } = this.parts;
    if (metrics === undefined) return undefined;
    const elapsed = surroundings.stopwatch();
    const ended = metrics.manager.began(name);
    return (outcome) => ended(outcome, elapsed() / 1000);
  }

  async #reportLongRuns(signal: AbortSignal): Promise<void> {
    const { surroundings, report, name } = this.parts;
    // Driven time stands still while a reconciliation runs.
    if (areDriven(surroundings.timers)) return;
    while (!signal.aborted) {
      await pause(surroundings.timers, RUNNING_LONG_MS, signal);
      const { longestRunning } = this.#queue.stats();
      if (signal.aborted || longestRunning === undefined || longestRunning.seconds * 1000 < RUNNING_LONG_MS) continue;
      const { item: key, seconds } = longestRunning;
      report({ type: "reconcile-running", controller: name, key, seconds });
    }
  }
}
