import { NetworkFailure } from "../transport/go-network-error.js";
import type { RestRequest } from "./rest-client.js";

export interface LifetimeOptions {
  /** Milliseconds; 0 is no limit. */
  readonly limit: number;
  /** What the client ends with: see {@link RestClientOptions.ending}. */
  readonly ending: AbortSignal | undefined;
  /** Asks the server for a sign of life; rejects where none comes. Left out: nobody asks. */
  readonly reach?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Go's text for a connection whose other end is silent. */
export const LOST = "http2: client connection lost";
/** How long a write may go on after the client's end, in milliseconds. */
export const GRACE_OF_WRITES = 1000;
/** As client-go tests a line by HTTP/2: how long it may be silent, and how long the server may take to give a sign of life. Milliseconds. */
const SILENCE = 30_000;
const PATIENCE = 15_000;

/** What may end a request before its answer is read: its caller, its client, a limit of time, and a server that is gone. */
export class RequestLifetime {
  readonly signal: AbortSignal | undefined;
  #late = false;
  #lost: Error | undefined;
  readonly #undo: (() => void)[] = [];

  constructor({ method, signal: caller }: Pick<RestRequest, "method" | "signal">, options: LifetimeOptions) {
    const { limit, reach } = options;
    const ending = options.ending?.aborted === true ? undefined : options.ending;
    if (limit <= 0 && ending === undefined && reach === undefined) {
      this.signal = caller;
      return;
    }
    const controller = new AbortController();
    this.signal = controller.signal;
    const abort = (why: unknown): void => {
      if (!controller.signal.aborted) controller.abort(why);
    };
    const isRead = method === "GET" || method === "HEAD";
    if (limit > 0) {
      this.#after(limit, () => {
        this.#late = !controller.signal.aborted;
        abort(new Error("deadline"));
      });
    }
    if (reach !== undefined) {
      this.#watch(reach, (why) => {
        if (!controller.signal.aborted) this.#lost = why;
        abort(why);
      });
    }
    this.#on(caller, () => abort(caller?.reason));
    this.#on(ending, () => {
      if (isRead) abort(ending?.reason);
      else this.#after(GRACE_OF_WRITES, () => abort(ending?.reason));
    });
  }

  /** Its time was over. */
  get isLate(): boolean {
    return this.#late;
  }

  /** Why the server could not be reached any more while the request waited. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  /** The request is over. */
  end(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  #on(signal: AbortSignal | undefined, act: () => void): void {
    if (signal === undefined) return;
    if (signal.aborted) act();
    signal.addEventListener("abort", act, { once: true });
    this.#undo.push(() => signal.removeEventListener("abort", act));
  }

  #after(milliseconds: number, act: () => void): void {
    const timer = setTimeout(act, milliseconds);
    this.#undo.push(() => clearTimeout(timer));
  }

  #watch(reach: NonNullable<LifetimeOptions["reach"]>, lost: (why: Error) => void): void {
    const asking = new AbortController();
    let timer: NodeJS.Timeout;
    const ask = (): void => {
      timer = setTimeout(() => lost(new NetworkFailure(LOST)), PATIENCE);
      reach(asking.signal).then(listen, lost);
    };
    const listen = (): void => {
      clearTimeout(timer);
      if (!asking.signal.aborted) timer = setTimeout(ask, SILENCE);
    };
    listen();
    this.#undo.push(() => {
      clearTimeout(timer);
      asking.abort(new Error("the request is over"));
    });
  }
}
