/** The two ends of an exchange's life, apart: a stopping server still answers what it accepted. */
export interface ExchangeLifetime {
  /** The client has left: nothing can be written any more. */
  readonly gone: AbortSignal;
  /** The client has left or the server stops: whoever waits should come to an end. */
  readonly ending: AbortSignal;
  /** To be called when the exchange is over or the client has left. */
  readonly leave: () => void;
}

export function exchangeLifetime(stopping: AbortSignal): ExchangeLifetime {
  const gone = new AbortController();
  const ending = new AbortController();
  const end = () => ending.abort();
  // By hand rather than by AbortSignal.any: `stopping` outlives every exchange and must not collect them.
  if (stopping.aborted) end();
  else stopping.addEventListener("abort", end, { once: true });
  return {
    gone: gone.signal,
    ending: ending.signal,
    leave() {
      stopping.removeEventListener("abort", end);
      gone.abort();
      ending.abort();
    },
  };
}
