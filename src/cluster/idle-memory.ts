import type { Timers } from "../base/timers.js";
import type { Filter } from "../server/request/api-request.js";

/** The server counts as idle when no request has begun for this long. */
const IDLE_MILLISECONDS = 2000;
/** Less garbage than this is not worth a collection. */
const WORTHWHILE_BYTES = 32 * 2 ** 20;
/** A collection of a larger heap would hold the event loop for longer than a request may wait. */
const LARGEST_HEAP_BYTES = 256 * 2 ** 20;

/** What a collection needs of the process; `collect` resolves when the memory is given back. */
export interface CollectableMemory {
  /** Bytes of V8's heap, and of buffers outside of it. */
  usage(): { readonly heapUsed: number; readonly external: number };
  collect(): Promise<void>;
}

/**
 * Gives memory back after a load. V8 collects when something is allocated, so a server that goes idle right after a
 * flood would keep the flood's garbage for as long as nothing happens. The filter notes each request; once none has
 * begun for {@link IDLE_MILLISECONDS} and the heap has grown by {@link WORTHWHILE_BYTES}, V8 collects once and returns
 * the pages it no longer uses.
 */
export function collectWhenIdle(memory: CollectableMemory, timers: Timers): { readonly filter: Filter; stop(): void } {
  let requests = 0;
  let lowest = sizeOf(memory);
  let cancel: (() => void) | undefined;
  let stopped = false;

  const wait = (): void => {
    const seen = requests;
    cancel = timers.start(IDLE_MILLISECONDS, () => {
      if (requests !== seen) return wait();
      cancel = undefined;
      void collect();
    });
  };

  const collect = async (): Promise<void> => {
    const size = sizeOf(memory);
    lowest = Math.min(lowest, size);
    if (size - lowest < WORTHWHILE_BYTES || memory.usage().heapUsed > LARGEST_HEAP_BYTES) return;
    await memory.collect();
    lowest = sizeOf(memory);
  };

  return {
    filter: (next) => (request) => {
      requests++;
      if (cancel === undefined && !stopped) wait();
      return next(request);
    },
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}

function sizeOf(memory: CollectableMemory): number {
  const { heapUsed, external } = memory.usage();
  return heapUsed + external;
}

/** V8's own, through its inspector: the only call that also gives the pages of a heap that has shrunk back to the system. */
export const v8Memory: CollectableMemory = {
  usage: () => process.memoryUsage(),
  async collect() {
    const { Session } = await import("node:inspector/promises");
    const session = new Session();
    session.connect();
    try {
      // What the first run finds unreachable may hold on to buffers that only a second one lets go of.
      await session.post("HeapProfiler.collectGarbage");
      await session.post("HeapProfiler.collectGarbage");
    } finally {
      session.disconnect();
    }
  },
};
