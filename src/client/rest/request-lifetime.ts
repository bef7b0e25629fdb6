import { NetworkFailure } from "../transport/go-network-error.js";
import type { PulseTimes } from "../transport/peer-pulse.js";
import type { RestRequest } from "./rest-client.js";

export interface LifetimeOptions {
  /** Milliseconds; 0 is no limit. */
  readonly limit: number;
  /** What the client ends with: see {@link RestClientOptions.ending}. */
  readonly ending: AbortSignal | undefined;
  /** How long the server may be silent before the request asks it for a sign of life. Without this or `reach` the request does not ask. */
  readonly pulse?: PulseTimes | undefined;
  /** Asks it; rejects where none comes. */
  readonly reach?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Called when the request ends because the server gives no sign of life. */
  readonly onLost?: () => void;
}

/** Go's text for a connection whose other end is silent. */
export const LOST = "http2: client connection lost";
/** How long a write may continue after its client was closed, in milliseconds. */
export const GRACE_OF_WRITES = 1000;

/**
 * Ends a request before its answer is read: when its caller or its client aborts, when its time limit passes, or when the server
 * is unreachable.
 */
export class RequestLifetime {
  readonly signal: AbortSignal | undefined;
  #late = false;
  #lost: Error | undefined;
  readonly #undo: (() => void)[] = [];
  #controller: AbortController | undefined;
  #unwatch: (() => void) | undefined;
  readonly #onLost: (() => void) | undefined;

  constructor({ method, signal: caller }: Pick<RestRequest, "method" | "signal">, options: LifetimeOptions) {
    const { limit, ending, pulse, reach, onLost } = options;
    this.#onLost = onLost;
    if (limit <= 0 && ending === undefined && (reach === undefined || pulse === undefined)) {
      this.signal = caller;
      return;
    }
    const controller = new AbortController();
    this.#controller = controller;
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
    if (reach !== undefined && pulse !== undefined) {
      this.#watch(pulse, isRead, reach);
    }
    const isUnderWay = ending?.aborted !== true;
    this.#on(caller, () => abort(caller?.reason));
    this.#on(ending, () => {
      if (isRead || !isUnderWay) abort(ending?.reason);
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

  /** Ends the request: the server cannot be reached any more. */
  lose(why: Error): void {
    if (this.#controller === undefined || this.#controller.signal.aborted) return;
    this.#lost = why;
    this.#controller.abort(why);
    this.#onLost?.();
  }

  /** The server has begun to answer: the client watches the line from now on, with those of its other streams. */
  unwatch(): void {
    this.#unwatch?.();
  }

  /** The request is over. */
  end(): void {
    this.#unwatch?.();
    for (const undo of this.#undo.splice(0)) undo();
  }

  #on(signal: AbortSignal | undefined, act: () => void): void {
    if (signal !== undefined) this.#undo.push(whenAborted(signal, act));
  }

  #after(milliseconds: number, act: () => void): void {
    const timer = setTimeout(act, milliseconds);
    this.#undo.push(() => clearTimeout(timer));
  }

  #watch({ silence, patience }: PulseTimes, isRead: boolean, reach: NonNullable<LifetimeOptions["reach"]>): void {
    // Made once the server is silent: most requests are over before, and to abort one costs more than all else here.
    let asking: AbortController | undefined;
    let isOver = false;
    let timer: NodeJS.Timeout;
    const lost = (why: Error): void => this.lose(why);
    const ask = (): void => {
      asking ??= new AbortController();
      // A read would be sent again, on another connection: what becomes of that one decides, in its own time.
      if (!isRead) timer = setTimeout(() => lost(new NetworkFailure(LOST)), patience).unref();
      reach(asking.signal).then(listen, (why: Error) => {
        if (!isOver) lost(why);
      });
    };
    const listen = (): void => {
      clearTimeout(timer);
      if (!isOver) timer = setTimeout(ask, silence).unref();
    };
    listen();
    this.#unwatch = () => {
      clearTimeout(timer);
      this.#unwatch = undefined;
      isOver = true;
      asking?.abort(new Error("the request is over"));
    };
  }
}

const acts = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` once the signal aborts, at once if it has; returns a function that cancels this. The requests of a program share one
 * listener of a signal: Node warns about more than ten, and each costs more than everything else at a request's end.
 */
export function whenAborted(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act();
    return () => undefined;
  }
  let waiting = acts.get(signal);
  if (waiting === undefined) {
    const all = new Set<() => void>();
    waiting = all;
    acts.set(signal, all);
    signal.addEventListener("abort", () => [...all].forEach((one) => one()), { once: true });
  }
  // Two requests may be given the same function.
  const own = (): void => act();
  waiting.add(own);
  return () => void waiting.delete(own);
}
