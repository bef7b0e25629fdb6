import { stopwatchOf, type Timers } from "../../base/time/timers.js";
import type { Clock } from "../../base/time/clock.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import { REQUEST_IS_OVER } from "../../base/async/cancellation.js";
import { limitOf } from "../filters/deadline.js";
import { isLongRunning, respondTooMany } from "../filters/max-in-flight.js";
import type { ApiRequest, Filter, Handler } from "../request/api-request.js";
import type { RequestInfo } from "../request/request-info.js";
import type { StoredSize } from "../storage/store.js";
import { FlowControlConfiguration, type ConfigurationSource } from "./configuration.js";
import { type DanglingCondition, DanglingSchemas } from "./dangling-schemas.js";
import { DroppedRequests } from "./dropped-requests.js";
import type { Flow } from "./flow-schemas.js";
import type { FlowControlObserver } from "./observer.js";
import { PriorityLevels } from "./priority-levels.js";
import type { SeatedRequest } from "./queue.js";
import { WatchCounts } from "./watch-counts.js";
import { TurnBudget } from "./turn-budget.js";
import { estimateWork, watchersOf, type WorkFacts } from "./work-estimator.js";
import { mostSeats } from "./work.js";

/** How long any request waits for seats, at most. */
const LONGEST_WAIT = 60_000;
/** A request waits for this part of the time that it may take. */
const PART_OF_TIME = 4;
/** All other verbs write. */
const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

export interface FairnessOptions {
  /** How many requests of one seat the server handles at once, exempt ones apart. */
  readonly seats: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** How long a request may take, in milliseconds. Default: kube-apiserver's. */
  readonly requestTimeout: number | undefined;
  readonly reportError: (error: unknown) => void;
  readonly observer?: FlowControlObserver | undefined;
}

/** The parts of the server that priority and fairness uses. */
export interface FairnessParts {
  readonly source: ConfigurationSource;
  /** Applies a condition to the status of a FlowSchema. Throws StatusErrors. */
  readonly writeCondition: (flowSchema: string, condition: DanglingCondition) => Promise<unknown>;
  readonly sizeOf: (info: RequestInfo) => StoredSize | undefined;
}

/**
 * Priority and fairness: divides the server among flows of requests, as FlowSchemas and PriorityLevelConfigurations say. Until {@link start} the
 * mandatory ones alone count.
 */
export class Fairness {
  readonly levels: PriorityLevels;
  readonly #options: FairnessOptions;
  readonly #configuration: FlowControlConfiguration;
  readonly #watches = new WatchCounts();
  readonly #dropped = new DroppedRequests();
  /** Nanoseconds since the start. */
  readonly #elapsed: () => number;
  readonly #budget: TurnBudget;
  #facts: WorkFacts = { watches: this.#watches, sizeOf: () => undefined };

  constructor(options: FairnessOptions) {
    const { seats, clock, timers, reportError, observer } = options;
    this.#options = options;
    const stopwatch = stopwatchOf(timers)();
    const elapsed = (): number => Math.round(stopwatch() * 1e6);
    this.#elapsed = elapsed;
    this.#budget = new TurnBudget(elapsed);
    this.levels = new PriorityLevels(
      seats,
      { elapsed, now: () => clock.now(), timers, observer, learnsDurations: true, budget: this.#budget },
      reportError,
    );
    this.#configuration = new FlowControlConfiguration({ levels: this.levels, timers, reportError });
  }

  /** Resolves when the stored objects count. */
  async start({ source, writeCondition, sizeOf }: FairnessParts): Promise<void> {
    this.#facts = { watches: this.#watches, sizeOf };
    await this.#configuration.start(source, new DanglingSchemas(() => this.#options.clock.now(), writeCondition));
  }

  /** Ends what it does by itself. Requests go on as before. */
  stop(): void {
    this.#configuration.stop();
  }

  /** Lets a request run when its flow's turn has come. Connections into pods are not limited; a watch is until its initial events are sent. */
  readonly filter: Filter = (next) => (request) => {
    const { info } = request;
    if (info.verb !== "watch" && isLongRunning(info)) return next(request);
    const flow = this.#configuration.schemas.classify(request);
    request.addHeaders(flow.headers);
    const seated = this.#begin(request, flow);
    if (seated === undefined) return this.#refuse(request, flow);
    return seated.state === "executing"
      ? this.#run(next, request, seated, flow)
      : this.#runLater(next, request, seated, flow);
  };

  #begin(request: ApiRequest, { schema, level }: Flow): SeatedRequest | undefined {
    const { observer } = this.#options;
    const estimate = estimateWork(request, this.#facts, level.mostSeats);
    observer?.estimated?.(level.name, schema.name, mostSeats(estimate));
    const watchers = observer?.watchers === undefined ? undefined : watchersOf(request.info, this.#facts);
    if (watchers !== undefined) observer?.watchers?.(level.name, schema.name, watchers);
    request.added.line?.push({
      apf_pl: level.name,
      apf_fs: schema.name,
      apf_iseats: estimate.initialSeats,
      apf_fseats: estimate.finalSeats,
      apf_additionalLatency: goDurationText(estimate.additionalLatency / 1e6),
    });
    // A single queue has no flows.
    const distinguisher = level.spec.queuing.queues > 1 ? distinguisherOf(request, schema.distinguisher) : "";
    return level.queues.start({
      flowSchema: schema.name,
      distinguisher,
      estimate,
      request,
    });
  }

  async #run(next: Handler, request: ApiRequest, seated: SeatedRequest, { level }: Flow): Promise<void> {
    const { observer } = this.#options;
    const isMutating = !READS.has(request.info.verb);
    observer?.phase?.("executing", isMutating, 1);
    let hasEnded = false;
    const end = (): void => {
      if (!hasEnded) observer?.phase?.("executing", isMutating, -1);
      hasEnded = true;
      if (request.added.line !== undefined && seated.state === "executing") this.#logExecution(request, seated);
      level.queues.finish(seated);
      if (level.isQuiescing && level.queues.isIdle) this.#configuration.changed();
    };
    if (request.info.verb !== "watch") {
      try {
        return await next(request);
      } finally {
        end();
      }
    }
    const forget = this.#watches.open(request);
    try {
      await next(request.with({ onInitialized: end }));
    } finally {
      forget();
      end();
    }
  }

  #logExecution({ added, info }: ApiRequest, { startedAt }: SeatedRequest): void {
    const took = goDurationText((this.#elapsed() - startedAt) / 1e6);
    added.line?.push({ ...(info.verb === "watch" && { apf_init_latency: took }), apf_execution_time: took });
  }

  async #runLater(next: Handler, request: ApiRequest, seated: SeatedRequest, flow: Flow): Promise<void> {
    const { observer } = this.#options;
    const isMutating = !READS.has(request.info.verb);
    observer?.phase?.("waiting", isMutating, 1);
    const hasSeats = await this.#seats(request, seated, flow).finally(() =>
      observer?.phase?.("waiting", isMutating, -1),
    );
    return hasSeats ? this.#run(next, request, seated, flow) : this.#refuse(request, flow);
  }

  /** Resolves to whether the request got its seats in time. Rejects when it is cancelled. */
  #seats(request: ApiRequest, seated: SeatedRequest, { level }: Flow): Promise<boolean> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancelTimer();
        signal.removeEventListener("abort", leave);
        level.queues.cancel(seated);
        if (level.isQuiescing && level.queues.isIdle) this.#configuration.changed();
      };
      // A server that stops still answers it.
      const leave = (): void => {
        if (!request.isCancelled) return;
        end();
        reject(REQUEST_IS_OVER);
      };
      seated.onSeats = (): void => {
        end();
        resolve(true);
      };
      const cancelTimer = this.#options.timers.start(this.#patience(request), () => {
        end();
        resolve(false);
      });
      signal.addEventListener("abort", leave);
      if (signal.aborted) leave();
    });
  }

  /** How long a request still waits, in milliseconds: a quarter of its time since it arrived. */
  #patience({ exchange, info, received }: ApiRequest): number {
    const { clock, requestTimeout } = this.#options;
    const time = limitOf(info.verb === "watch" ? null : exchange.query.get("timeout"), requestTimeout);
    const passed = Math.max(0, clock.now() - received);
    return Math.max(0, Math.min(time / PART_OF_TIME, LONGEST_WAIT) - passed);
  }

  async #refuse(request: ApiRequest, { level }: Flow): Promise<void> {
    const second = Math.floor(this.#options.clock.now() / 1000);
    const retryAfter = this.#dropped.drop(level.name, second);
    await this.#budget.refusal();
    if (request.isCancelled) throw REQUEST_IS_OVER;
    await respondTooMany(request, retryAfter);
  }
}

/** What a schema tells flows apart by. */
function distinguisherOf({ user, info }: ApiRequest, method: Flow["schema"]["distinguisher"]): string {
  if (method === "ByUser") return user.name;
  return method === "ByNamespace" ? info.namespace : "";
}
