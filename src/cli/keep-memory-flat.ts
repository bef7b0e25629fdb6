/** Milliseconds to the first look: until then a command grows by its own code, and a short one is over. */
const FIRST_MS = 50;
/** Milliseconds between two looks: while the process grows, while it has just grown, and while it is still. */
const GROWING_MS = 2;
const WATCHFUL_MS = 16;
const STILL_MS = 200;
/** It is still after so many looks without growth. */
const STILL_LOOKS = 64;
/** Bytes by which the process may grow between two collections. */
const GROWTH_BYTES = 4 * 2 ** 20;
/** The last release of Node that is known to have V8's flag. V8 prints a line about one that it does not have. */
const LAST_KNOWN_NODE = 24;

/**
 * Keeps the memory of the process flat while it copies gigabytes. A runtime collects garbage only when it has accumulated much of
 * it, and each copied chunk is garbage: 30 MB with Node, 60 to 90 MB with bun. Node loses up to a tenth of its throughput by that,
 * bun up to two fifths (bench:streams).
 */
export function keepMemoryFlat(process: NodeJS.Process): void {
  if (process.versions["bun"] !== undefined) collectWhenGrown(process);
  else if (Number.parseInt(process.versions.node, 10) <= LAST_KNOWN_NODE) keepYoungGenerationSmall(process);
}

/** V8 gives new objects up to 16 times the room that it starts with: now it keeps to that. */
function keepYoungGenerationSmall(process: NodeJS.Process): void {
  process.getBuiltinModule("node:v8").setFlagsFromString("--semi-space-growth-factor=1");
}

/** bun's own functions; only bun has them. */
declare const Bun: { gc(synchronous: boolean): void };

/** bun has no such limit while it runs. An idle process does not grow, and is left alone. */
function collectWhenGrown(process: NodeJS.Process): void {
  let lowest = Number.POSITIVE_INFINITY;
  let last = 0;
  let still = 0;
  const look = (): void => {
    const resident = process.memoryUsage.rss();
    still = resident > last ? 0 : still + 1;
    last = resident;
    lowest = Math.min(lowest, resident);
    if (resident - lowest >= GROWTH_BYTES) {
      Bun.gc(true);
      lowest = last = process.memoryUsage.rss();
    }
    setTimeout(look, still >= STILL_LOOKS ? STILL_MS : Math.min(GROWING_MS * (still + 1), WATCHFUL_MS)).unref();
  };
  setTimeout(look, FIRST_MS).unref();
}
