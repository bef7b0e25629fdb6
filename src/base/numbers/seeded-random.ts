import { createCipheriv, createHash } from "node:crypto";
import type { Random } from "./random.js";

/** Drawn at once: a call of the cipher costs more than what it fills. */
const POOL_BYTES = 4096;

/**
 * Random bytes that are the same for the same seed: the key stream of AES in counter mode. Secrets of a cluster that uses it are as
 * secret as its seed.
 */
export function seededRandom(seed: string): Random {
  const key = createHash("sha256").update(seed).digest();
  const cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  let pool: Uint8Array = new Uint8Array();
  let used = 0;
  return {
    bytes(length) {
      if (length > POOL_BYTES) return new Uint8Array(cipher.update(Buffer.alloc(length)));
      if (used + length > pool.length) [pool, used] = [cipher.update(Buffer.alloc(POOL_BYTES)), 0];
      used += length;
      return new Uint8Array(pool.subarray(used - length, used));
    },
    fork: (name) => seededRandom(`${seed}/${name}`),
  };
}
