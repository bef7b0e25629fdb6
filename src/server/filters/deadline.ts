import { REQUEST_IS_OVER } from "../../base/async/cancellation.js";
import { badRequest, isStatusError, timeout } from "../../machinery/errors/status-error.js";
import { parseGoDuration } from "../../base/text/go-literals.js";
import { type Stopwatch, stopwatchOf, type Timers } from "../../base/time/timers.js";
import type { ApiRequest, Filter } from "../request/api-request.js";
import { hideFailure } from "../request/failure-stack.js";
import type { Measuring } from "../metrics/measures.js";
import type { RefuseRequest } from "../request/request-audit.js";
import { isLongRunning } from "./max-in-flight.js";

/** What a request may take at most by default, watches and connections into pods excepted. */
const REQUEST_TIMEOUT_MS = 60_000;
/** What a write may take at most, the webhooks that it asks included. */
const WRITE_TIMEOUT_MS = 34_000;
const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/**
 * Ends a request that takes too long: `?timeout=` when it asks for less than the server's own limit. A write that was
 * handed to storage by then may still be done. A watch, a log, or a connection into a pod lasts as long as its client likes; the
 * time only bounds its admission. Driven timers wait for the request meanwhile.
 */
export const deadline =
  (timers: Timers, most = REQUEST_TIMEOUT_MS, measuring?: Measuring, refuse?: RefuseRequest): Filter =>
  (next) =>
  async (request) => {
    if (request.info.verb === "watch") return next(request);
    const isLasting = isLongRunning(request.info);
    let asked = most;
    try {
      if (!isLasting) asked = limitOf(request.exchange.query.get("timeout"), most);
    } catch (error) {
      if (refuse === undefined || !isStatusError(error)) throw error;
      return refuse(request, error.status);
    }
    const isWrite = !isLasting && request.info.isResourceRequest && WRITES.has(request.info.verb);
    const limit = isWrite ? Math.min(asked, WRITE_TIMEOUT_MS) : asked;
    const ending = new Ending(request, limit, stopwatchOf(timers)());
    const answer = () => next(request.with({ ending }));
    const run = () =>
      timers.during === undefined ? answer() : timers.during(() => describeUnanswered(request), answer);
    if (isLasting) return run().finally(() => ending.stop());
    await new Promise<void>((resolve, reject) => {
      const cancel = timers.start(limit, () => {
        ending.expire();
        measuring?.on?.timedOut(request);
        hideFailure(request.added);
        reject(timeout(limit < asked ? WRITE_IS_LATE : "request did not complete within the allotted timeout", 0));
      });
      run()
        .finally(() => {
          cancel();
          ending.stop();
        })
        .then(resolve, reject);
    });
  };

const WRITE_IS_LATE = "request did not complete within requested timeout - context deadline exceeded";

/** "POST /api/v1/pods"; undefined for a request that was answered, whose client may read on for as long as it likes. */
function describeUnanswered({ exchange }: ApiRequest): string | undefined {
  return exchange.responded ? undefined : `the request ${exchange.method} ${exchange.path}`;
}

/** The end of a request with a deadline. Its signal is made when it is asked for. */
class Ending {
  #late: AbortController | undefined;
  #expired = false;
  readonly #end = () => this.#late?.abort(REQUEST_IS_OVER);

  constructor(
    private readonly request: ApiRequest,
    private readonly limit: number,
    private readonly elapsed: Stopwatch,
  ) {}

  get isCancelled(): boolean {
    return this.#expired || this.request.exchange.left === true;
  }

  get timeLeft(): number {
    return this.limit - this.elapsed();
  }

  get signal(): AbortSignal {
    if (this.#late === undefined) {
      const { signal } = this.request;
      this.#late = new AbortController();
      if (this.#expired || signal.aborted) this.#end();
      else signal.addEventListener("abort", this.#end, { once: true });
    }
    return this.#late.signal;
  }

  expire(): void {
    this.#expired = true;
    this.#end();
  }

  /** The request is answered: what still works for it need not go on. */
  stop(): void {
    if (this.#late === undefined) return;
    this.request.signal.removeEventListener("abort", this.#end);
    this.#end();
  }
}

/** The time limit of a request in milliseconds: the value of `?timeout=`, up to the server's own limit. Throws 400. */
export function limitOf(asked: string | null, most = REQUEST_TIMEOUT_MS): number {
  if (asked === null || asked === "") return most;
  const milliseconds = parseGoDuration(asked);
  if (milliseconds === undefined) {
    throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(asked)}`);
  }
  return milliseconds <= 0 ? most : Math.min(milliseconds, most);
}
