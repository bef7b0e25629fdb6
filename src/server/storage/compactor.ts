import type { Timers } from "../../base/timers.js";
import type { Kv } from "./kv.js";

/**
 * Forgets the past every `milliseconds`: each time, what was already past the time before. The answer stops it. A
 * compaction that fails is tried again with the next one.
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
      // The store is closed or in trouble; writers report that better.
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
