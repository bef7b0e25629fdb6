/**
 * The reason with which work is aborted and rejected when its request is over. All requests share one exception, because making one records
 * a stack, which takes longer than the rest of a request's end.
 */
export const REQUEST_IS_OVER = new DOMException("This operation was aborted", "AbortError");

/**
 * Tells work whether anybody still waits for its result. Work checks it between its steps and ends by {@link throwIfCancelled}. Reading it
 * costs a property access; an AbortSignal would cost more than the rest of a small request.
 */
export interface CancellationToken {
  /** True once the client has disconnected or its deadline has passed. It never becomes false again. */
  readonly isCancelled: boolean;
  /**
   * True once the sender has lost the right to act, such as a leader whose term has ended: then nothing is stored, however far the request
   * is. Left out: the sender always may act.
   */
  readonly isRevoked?: boolean;
  /** Milliseconds until the deadline, below zero behind it. Left out, or undefined: there is none. */
  readonly timeLeft?: number | undefined;
  /**
   * Aborts when the work is cancelled or the server stops, for work that waits for others, such as the call of a webhook. The signal is made
   * on first use.
   */
  readonly signal: AbortSignal;
}

/** Throws {@link REQUEST_IS_OVER} when the work is cancelled. */
export function throwIfCancelled(token: CancellationToken | undefined): void {
  if (token?.isCancelled === true) throw REQUEST_IS_OVER;
}
