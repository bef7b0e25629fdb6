import { badRequest, timeout } from "../../machinery/errors/status-error.js";
import { parseGoDuration } from "../../base/go-duration.js";
import { startStopwatch } from "../../base/stopwatch.js";
import type { ApiRequest, Filter } from "../request/api-request.js";

/** What a request may take at most, watches and proxied streams excepted. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Ends a request that takes too long: `?timeout=` when it asks for less than the server's own limit. A write that was
 * handed to storage by then may still be done.
 */
export const deadline: Filter = (next) => async (request) => {
  if (request.info.verb === "watch") return next(request);
  const limit = limitOf(request.exchange.query.get("timeout"));
  const ending = new Ending(request, limit);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      ending.expire();
      reject(timeout("request did not complete within the allotted timeout", 0));
    }, limit);
    timer.unref();
    next(request.with({ ending }))
      .finally(() => {
        clearTimeout(timer);
        ending.stop();
      })
      .then(resolve, reject);
  });
};

/** The end of a request with a deadline. Its signal is made when it is asked for. */
class Ending {
  readonly #elapsed = startStopwatch();
  #late: AbortController | undefined;
  #expired = false;
  readonly #end = () => this.#late?.abort();

  constructor(
    private readonly request: ApiRequest,
    private readonly limit: number,
  ) {}

  get timeLeft(): number {
    return this.limit - this.#elapsed();
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

/** Milliseconds that a request may take: what `?timeout=` asks for, up to the server's own limit. Throws 400. */
export function limitOf(asked: string | null): number {
  if (asked === null || asked === "") return REQUEST_TIMEOUT_MS;
  const milliseconds = parseGoDuration(asked);
  if (milliseconds === undefined) {
    throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(asked)}`);
  }
  return milliseconds <= 0 ? REQUEST_TIMEOUT_MS : Math.min(milliseconds, REQUEST_TIMEOUT_MS);
}
