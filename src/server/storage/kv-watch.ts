import type { EventReader } from "./event-log.js";
import { ClosedError, type KvEvent, type WatchBatch } from "./kv.js";

/** The size of a batch in events, so that a watcher far behind does not block the event loop. */
const BATCH = 1000;

/** Yields a reader's batches. Ends without an error when `signal` aborts or the store closes. */
export async function* followReader(reader: EventReader<KvEvent>, signal: AbortSignal): AsyncGenerator<WatchBatch> {
  const close = (): void => reader.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    while (!signal.aborted) {
      const events = reader.take(BATCH);
      if (events.length > 0) yield { events, revision: reader.position };
      else await reader.wait();
    }
  } catch (error) {
    if (!(error instanceof ClosedError)) throw error;
  } finally {
    signal.removeEventListener("abort", close);
    reader.close();
  }
}
