import { REQUEST_IS_OVER } from "../../../base/async/cancellation.js";

/**
 * The life of an exchange, with two ends: `ending` begins when the server stops, `left` when nothing can be written any
 * more. A stopping server still answers the requests it accepted. The abort signal is created on first use: it costs more
 * than all else of a small request, and most requests need none.
 */
export class ExchangeLifetime {
  #left = false;
  #ending: AbortController | undefined;
  #onLeave: (() => void) | undefined;
  readonly #end = () => this.#ending?.abort(REQUEST_IS_OVER);

  constructor(private readonly stopping: AbortSignal) {}

  /** True once the client has disconnected or everything was sent. */
  get left(): boolean {
    return this.#left;
  }

  /** Aborts when the client has disconnected or the server stops. Waiting handlers should then end. */
  get ending(): AbortSignal {
    if (this.#ending === undefined) {
      this.#ending = new AbortController();
      // Not AbortSignal.any: `stopping` outlives every exchange and would collect their signals.
      if (this.#left || this.stopping.aborted) this.#end();
      else this.stopping.addEventListener("abort", this.#end, { once: true });
    }
    return this.#ending.signal;
  }

  /** Calls `listener` when the exchange ends, or at once if it has ended. Keeps one listener. */
  onLeave(listener: () => void): void {
    if (this.#left) listener();
    else this.#onLeave = listener;
  }

  /** Ends the exchange: it is over or the client has disconnected. */
  readonly leave = (): void => {
    if (this.#left) return;
    this.#left = true;
    if (this.#ending !== undefined) {
      this.stopping.removeEventListener("abort", this.#end);
      this.#end();
    }
    this.#onLeave?.();
  };
}
