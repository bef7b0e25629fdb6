import { createHash } from "node:crypto";
import type { Random } from "./random.js";

/**
 * Random bytes that are the same for the same seed: a counter run through SHA-256. Secrets of a cluster that uses it are as secret as
 * its seed.
 */
export function seededRandom(seed: string): Random {
  let counter = 0;
  return {
    bytes(length) {
      const out = new Uint8Array(length);
      for (let filled = 0; filled < length; filled += 32) {
        const block = createHash("sha256").update(`${seed}:${counter++}`).digest();
        out.set(block.subarray(0, Math.min(32, length - filled)), filled);
      }
      return out;
    },
    fork: (name) => seededRandom(`${seed}/${name}`),
  };
}
