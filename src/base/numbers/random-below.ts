import type { Random } from "./random.js";

/** A whole number from 0 up to and without `limit`, which is at most 2^32: every one about as likely as the others. */
export function randomBelow(random: Random, limit: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4);
  return (((a * 256 + b) * 256 + c) * 256 + d) % limit;
}
