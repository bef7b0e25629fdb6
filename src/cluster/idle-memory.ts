import type { Timers } from "../base/time/timers.js";
import type { Filter } from "../server/request/api-request.js";

/** The server counts as idle when no request has begun for this long. */
const IDLE_MILLISECONDS = 2000;
/** Less memory than this is not worth a collection. */
const WORTHWHILE_BYTES = 48 * 2 ** 20;
/** A collection of a larger heap would hold the event loop for longer than a request may wait. */
const LARGEST_HEAP_BYTES = 256 * 2 ** 20;

/** The functions of the process that the collection of idle memory uses; `collect` resolves when the memory is returned to the system. */
export interface CollectableMemory {
  /** Bytes: of what lies in V8's heap, of what V8 has reserved for it, and of buffers outside of it. */
  usage(): { readonly heapUsed: number; readonly heapTotal: number; readonly external: number };
  collect(): Promise<void>;
}

/**
 * Gives memory back after a load. V8 collects when something is allocated, so a server that goes idle right after a
 * flood would keep the flood's garbage for as long as nothing happens, and the room that V8 had reserved for it. The filter
 * notes each request; once none has begun for {@link IDLE_MILLISECONDS} and what is reserved has grown by
 * {@link WORTHWHILE_BYTES}, V8 collects once.
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
      // A runtime that offers no collection keeps its memory; that is no fault of the server.
      collect().catch(() => {});
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
  const { heapTotal, external } = memory.usage();
  return heapTotal + external;
}

/**
 * V8's own full collection: it frees buffers at once, and while nothing happens V8 then gives empty pages back within a minute.
 * What the inspector offers does both at once, but requests after it take up to a fifth longer: it leaves the young
 * generation at its smallest (bench:server).
 */
export const v8Memory: CollectableMemory = {
  usage: () => process.memoryUsage(),
  async collect() {
    const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([import("node:v8"), import("node:vm")]);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
    collect();
    // What the first run finds unreachable may hold on to buffers that only a second one lets go of.
    await new Promise(setImmediate);
    collect();
  },
};
