import type { EventLog } from "./event-log.js";
import { ClosedError, CompactedError, type KvEvent, type WatchBatch } from "./kv.js";

/** Events read from memory at a time. */
const PAGE = 500;

/** The events of a store that keeps more events than fit into memory. */
export interface History {
  /** Those in memory. It may be another log at each call. */
  log(): EventLog<KvEvent>;
  /**
   * Reads the events after a revision that the log has lost, oldest first and complete for each of their revisions. Throws
   * {@link CompactedError} when they are compacted.
   */
  read(after: number): Promise<readonly KvEvent[]>;
}

/** Watches the events in memory, and reads older ones from the store where the watcher is too far behind. */
export async function* watchHistory(
  history: History,
  prefix: string,
  fromRevision: number,
  signal: AbortSignal,
): AsyncGenerator<WatchBatch> {
  let position = fromRevision;
  while (!signal.aborted) {
    const log = history.log();
    if (position < log.floor) {
      const events = await history.read(position);
      position = events.at(-1)?.revision ?? log.floor;
      const mine = events.filter(({ key }) => key.startsWith(prefix));
      if (mine.length > 0) yield { events: mine, revision: position };
      continue;
    }
    const reader = log.read(prefix, position);
    const close = (): void => reader.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      while (!signal.aborted) {
        const events = reader.take(PAGE);
        position = reader.position;
        if (events.length > 0) yield { events, revision: position };
        else await reader.wait();
      }
    } catch (error) {
      if (error instanceof ClosedError) return;
      // The reader is too slow for the events in memory. The store may still have them.
      if (!(error instanceof CompactedError)) throw error;
    } finally {
      signal.removeEventListener("abort", close);
      reader.close();
    }
  }
}
