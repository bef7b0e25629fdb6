import { REQUEST_IS_OVER } from "../../base/async/cancellation.js";
import type { Timers } from "../../base/time/timers.js";
import type { Filter } from "../request/api-request.js";
import type { Exchange } from "../request/exchange.js";
import { WrappedExchange } from "../request/wrapped-exchange.js";

/** The part of the grace period over which watches are ended; what is left of it is for clients that read slowly. */
const SPREAD = 0.8;

/**
 * The open watches of a server, which it ends one after the other when it stops, so that their clients do not all come to another server at
 * once (--shutdown-watch-termination-grace-period).
 */
export class OpenWatches {
  readonly #open = new Set<WatchExchange>();
  #whenNone: (() => void) | undefined;

  readonly filter: Filter = (next) => async (request) => {
    if (request.info.verb !== "watch") return next(request);
    const exchange = new WatchExchange(request.exchange);
    this.#open.add(exchange);
    try {
      await next(request.with({ exchange }));
    } finally {
      exchange.release();
      this.#open.delete(exchange);
      if (this.#open.size === 0) this.#whenNone?.();
    }
  };

  /** Ends the watches evenly over most of `period` milliseconds. Resolves when none is open, at the latest when the period has passed. */
  async end(period: number, timers: Timers): Promise<void> {
    const watches = [...this.#open];
    if (watches.length === 0) return;
    await new Promise<void>((resolve) => {
      const cancels = watches.map((watch, index) =>
        timers.start((period * SPREAD * index) / watches.length, () => watch.end()),
      );
      const finish = (): void => {
        for (const cancel of cancels) cancel();
        resolve();
      };
      cancels.push(timers.start(period, finish));
      this.#whenNone = finish;
    });
  }
}

class WatchExchange extends WrappedExchange {
  readonly #ending = new AbortController();
  readonly #follow = (): void => this.end();

  constructor(inner: Exchange) {
    super(inner);
    if (inner.signal.aborted) this.end();
    else inner.signal.addEventListener("abort", this.#follow, { once: true });
  }

  override get signal(): AbortSignal {
    return this.#ending.signal;
  }

  end(): void {
    this.#ending.abort(REQUEST_IS_OVER);
  }

  release(): void {
    this.inner.signal.removeEventListener("abort", this.#follow);
  }
}
