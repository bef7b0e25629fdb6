/**
 * The two ends of an exchange's life, apart: a stopping server still answers what it accepted. The signal is made when
 * it is first asked for: it costs more than all else of a small request, and most requests need none.
 */
export class ExchangeLifetime {
  #left = false;
  #ending: AbortController | undefined;
  #onLeave: (() => void) | undefined;
  readonly #end = () => this.#ending?.abort();

  constructor(private readonly stopping: AbortSignal) {}

  /** The client has left, or everything was sent: nothing can be written any more. */
  get left(): boolean {
    return this.#left;
  }

  /** Aborts when the client has left or the server stops: whoever waits should come to an end. */
  get ending(): AbortSignal {
    if (this.#ending === undefined) {
      this.#ending = new AbortController();
      // By hand rather than by AbortSignal.any: `stopping` outlives every exchange and must not collect them.
      if (this.#left || this.stopping.aborted) this.#end();
      else this.stopping.addEventListener("abort", this.#end, { once: true });
    }
    return this.#ending.signal;
  }

  /** Calls `listener` on leaving, at once when that was before. One listener is kept. */
  onLeave(listener: () => void): void {
    if (this.#left) listener();
    else this.#onLeave = listener;
  }

  /** To be called when the exchange is over or the client has left. */
  readonly leave = (): void => {
    if (this.#left) return;
    this.#left = true;
    if (this.#ending !== undefined) {
      this.stopping.removeEventListener("abort", this.#end);
      this.#ending.abort();
    }
    this.#onLeave?.();
  };
}
