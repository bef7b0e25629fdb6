/** Ends a call when its time limit passes or its caller aborts. The signal's reason is the error of a Go context that ended in that way. */
export class CallDeadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  /** `timeout` is in milliseconds. */
  constructor(timeout: number | undefined, caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (timeout !== undefined) this.#timer = setTimeout(() => this.#end("context deadline exceeded"), timeout);
    if (caller?.aborted === true) this.#cancelled();
    else caller?.addEventListener("abort", this.#cancelled, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What a call failed with; where that is only that it was aborted, why. */
  explained(error: unknown): unknown {
    return error instanceof Error && error.name === "AbortError" && this.signal.aborted ? this.signal.reason : error;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#cancelled);
  }

  readonly #cancelled = (): void => this.#end("context canceled");

  #end(reason: string): void {
    this.#controller.abort(new Error(reason));
  }
}
