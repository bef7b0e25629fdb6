import type { EventReader } from "./event-log.js";
import { ClosedError, type KvEvent, type WatchBatch } from "./kv.js";

/** Events in one batch at most, so that a far-behind watcher still lets others run. */
const BATCH = 1000;

/** The batches of a reader until `signal` aborts or the store closes, which both end it without an error. */
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
