import { Fifo } from "../../base/collections/fifo.js";

/**
 * Runs `work` and yields the events that it emits, in order; concurrent parts of the work may emit at any time. An error of `work`
 * is thrown after its last event. A reader that stops early aborts `stopped`, and the stream ends with the work.
 */
export async function* eventsOf<E>(
  work: (emit: (event: E) => void, stopped: AbortSignal) => Promise<void>,
): AsyncGenerator<E, void, undefined> {
  const events = new Fifo<E>();
  const stop = new AbortController();
  let arrived: () => void = () => undefined;
  let running = true;
  let failure: { readonly error: unknown } | undefined;
  const emit = (event: E): void => {
    events.push(event);
    arrived();
  };
  const end = work(emit, stop.signal)
    .catch((error: unknown) => void (failure = { error }))
    .finally(() => {
      running = false;
      arrived();
    });
  try {
    for (;;) {
      for (let event = events.shift(); event !== undefined; event = events.shift()) yield event;
      if (!running) break;
      await new Promise<void>((resolve) => (arrived = resolve));
    }
  } finally {
    stop.abort();
    await end;
  }
  if (failure !== undefined) throw failure.error;
}
