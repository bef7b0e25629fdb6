import type { CancellationToken } from "../../../base/async/cancellation.js";
import { soon } from "../../../base/async/turns.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { Timers } from "../../../base/time/timers.js";
import {
  formatGroupResource,
  type GroupResource,
  internalError,
  isStatusError,
  type StatusError,
  timeout,
} from "../../../machinery/errors/status-error.js";

const EARLY_MILLISECONDS = 2;
/** The time limit of a call that the server makes on its own behalf, in milliseconds: that of a request. */
export const OWN_CALL_MILLISECONDS = 60_000;

/** The called method, and the name of the object; "" for none. */
export interface CallPlace {
  readonly method: string;
  readonly name: string;
}

/** Calls the methods of a source: it limits their time, and turns their errors into answers and log lines. */
export class SourceCalls {
  /** Runs at the end of this turn of the event loop. */
  #waiting: (() => void)[] = [];

  constructor(
    private readonly resource: GroupResource,
    private readonly reportError: (error: unknown) => void,
    private readonly timers: Timers,
  ) {}

  /**
   * Resolves with what `work` returns. Rejects with a StatusError: the one that it throws, a 500 for any other error, or a 504 once the request
   * is over. `token` is that of the request; without it, the call has a minute.
   */
  async run<T>(place: CallPlace, token: CancellationToken | undefined, work: () => T | PromiseLike<T>): Promise<T> {
    try {
      const result = work();
      return isPromise(result) ? await this.inTime(place, token, result) : result;
    } catch (error) {
      throw this.failed(place, error);
    }
  }

  /** Resolves with `promise`, or rejects with a 504 when the time of the call is up. */
  inTime<T>(place: CallPlace, token: CancellationToken | undefined, promise: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const late = (): void => reject(timeout(`${this.#named(place)} did not answer in time`, 0));
      let stop: (() => void) | undefined;
      let isSettled = false;
      // A call that settles in the same turn of the event loop needs no limit, which takes longer to set up than the call itself.
      this.#atEndOfTurn(() => {
        if (!isSettled) stop = this.#limit(place, token, late);
      });
      const settle = (): void => {
        isSettled = true;
        stop?.();
      };
      promise.then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          // oxlint-disable-next-line prefer-promise-reject-errors
          reject(error);
        },
      );
    });
  }

  #atEndOfTurn(act: () => void): void {
    if (this.#waiting.push(act) > 1) return;
    soon(() => {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const one of waiting) one();
    });
  }

  /** The answer for what a call has thrown. Reports it, unless the answer says what the source wanted to say. */
  failed(place: CallPlace, error: unknown): StatusError {
    if (isStatusError(error)) return error;
    const text = `${this.#named(place)}: ${errorMessage(error)}`;
    this.reportError(new Error(text, { cause: error }));
    return internalError(text);
  }

  #limit(place: CallPlace, token: CancellationToken | undefined, late: () => void): () => void {
    if (token === undefined) {
      return this.timers.start(OWN_CALL_MILLISECONDS, () => {
        this.#reportLate(place);
        late();
      });
    }
    const { signal } = token;
    const end = (): void => {
      // The client of a request that has time left is gone: it hears of nothing. Timers may fire a millisecond early.
      if ((token.timeLeft ?? EARLY_MILLISECONDS) < EARLY_MILLISECONDS) this.#reportLate(place);
      late();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    return () => signal.removeEventListener("abort", end);
  }

  #reportLate(place: CallPlace): void {
    this.reportError(new Error(`${this.#named(place)} did not answer in time`));
  }

  /** `get of projects.project.example.com "x"`. */
  #named({ method, name }: CallPlace): string {
    return `${method} of ${formatGroupResource(this.resource)}${name === "" ? "" : ` ${goQuote(name)}`}`;
  }
}

const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
