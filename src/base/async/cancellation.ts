/**
 * What work is aborted and rejected with when its request is over. One for all requests: every new exception records where it was made,
 * which takes longer than the rest of the end of a request.
 */
export const REQUEST_IS_OVER = new DOMException("This operation was aborted", "AbortError");

/**
 * Says whether anything still waits for what work makes. Work asks between its steps and ends by {@link throwIfCancelled}. Asking costs a
 * property, where an AbortSignal costs more than the rest of a small request.
 */
export interface CancellationToken {
  /** True once the client has disconnected or its deadline has passed. It never becomes false again. */
  readonly isCancelled: boolean;
  /**
   * True once the sender may not act any more: then nothing is stored, whatever was done for the request before. Left out: it always may.
   */
  readonly isRevoked?: boolean;
  /** For work that waits for others, such as a call of a webhook. Aborts when the work is cancelled, or the server stops. Made when it is asked for. */
  readonly signal: AbortSignal;
}

/** Throws {@link REQUEST_IS_OVER} for work that is cancelled. */
export function throwIfCancelled(token: CancellationToken | undefined): void {
  if (token?.isCancelled === true) throw REQUEST_IS_OVER;
}
