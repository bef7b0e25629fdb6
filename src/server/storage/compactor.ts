import type { Timers } from "../../base/time/timers.js";
import type { Kv } from "./kv.js";

/**
 * Compacts the store every `milliseconds`, up to the revision that was current at the previous compaction. Returns a
 * function that stops it. The next run makes up for a compaction that failed.
 */
export function startCompactor(kv: Kv, timers: Timers, milliseconds: number): () => void {
  let stopped = false;
  let last: number | undefined;
  let cancel = (): void => {};
  const tick = async (): Promise<void> => {
    try {
      const current = await kv.currentRevision();
      if (last !== undefined) await kv.compact(last);
      last = current;
    } catch {
      // The store is closed or unavailable. Writes report that with a better error.
    }
    if (!stopped) arm();
  };
  const arm = (): void => {
    cancel = timers.start(milliseconds, () => void tick());
  };
  void tick();
  return () => {
    stopped = true;
    cancel();
  };
}
