import type { Timers } from "../../base/time/timers.js";

/** The milliseconds since a moment in the past. */
export type Elapsed = () => number;

/** The way in which a term of leadership ended. */
export type TermEnd =
  /** The elector was told to stop, and the work has ended. */
  | { readonly kind: "stopped" }
  /** The work threw. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** Another candidate leads, or may lead soon. */
  | { readonly kind: "lost"; readonly error: unknown };

export interface LeadershipTermOptions {
  /** The time since the request that won the term was sent. */
  readonly since: Elapsed;
  /** The term ends when this many milliseconds have passed since the last successful renewal was sent. */
  readonly renewDeadline: number;
  readonly timers: Timers;
  /** Makes the error of a term that was not renewed in time. */
  readonly expired: () => Error;
}

/**
 * One term of a leader. The term measures its deadline at each call: the timer that ends an idle term may fire late, after the
 * process was suspended.
 */
export class LeadershipTerm {
  readonly #work = new AbortController();
  readonly #over = new AbortController();
  #since: Elapsed;
  #cancelTimer: () => void;
  #ending: TermEnd | undefined;

  constructor(private readonly options: LeadershipTermOptions) {
    this.#since = options.since;
    this.#cancelTimer = this.#startTimer();
  }

  /** Aborts when the work of the leader must stop: at the end of the term, or earlier when the signal of the elector aborts. */
  get work(): AbortSignal {
    return this.#work.signal;
  }

  /** Aborts when the process is no longer the leader. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** How the term ended; undefined before. */
  get ending(): TermEnd | undefined {
    return this.#ending;
  }

  /** True while no other candidate can be the leader. Ends the term when its deadline has passed. */
  isValid(): boolean {
    if (this.#ending === undefined && this.#since() >= this.options.renewDeadline) {
      this.end({ kind: "lost", error: this.options.expired() });
    }
    return this.#ending === undefined;
  }

  /** Moves the deadline after a renewal. A renewal that was answered after the deadline comes too late. */
  renewed(since: Elapsed): void {
    if (!this.isValid()) return;
    this.#since = since;
    this.#cancelTimer();
    this.#cancelTimer = this.#startTimer();
  }

  /** Ends the work. The process stays the leader until it has stopped. */
  stopWork(reason: unknown): void {
    this.#work.abort(reason);
  }

  /** Ends the term and its work. A term ends once. */
  end(ending: TermEnd): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#cancelTimer();
    this.#over.abort();
    this.#work.abort(ending.kind === "stopped" ? undefined : ending.error);
  }

  #startTimer(): () => void {
    // Whole milliseconds, so that a timer that fires a part of one early is not started again for no time at all.
    const left = Math.max(1, Math.ceil(this.options.renewDeadline - this.#since()));
    return this.options.timers.start(left, () => {
      if (this.isValid()) this.#cancelTimer = this.#startTimer();
    });
  }
}

const BRAND = Symbol.for("kubets.LeadershipLostError");

/** The process lost its leadership without being asked to stop. `cause` is the last error of a renewal, if there was one. */
export class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";
  readonly [BRAND] = true;

  constructor(lease: string, why: string, cause?: unknown) {
    super(`leader election lost: lease ${lease} ${why}`, cause === undefined ? {} : { cause });
  }
}

export function isLeadershipLost(error: unknown): error is LeadershipLostError {
  return typeof error === "object" && error !== null && BRAND in error;
}
