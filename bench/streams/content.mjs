import { createHash } from "node:crypto";

const PIECE = 64 * 1024;
/** A prime number of bytes, so that no two pieces are the same and a lost or swapped one is seen. */
const PATTERN = Buffer.alloc(1_048_573 + PIECE);
for (let index = 0; index < PATTERN.length; index++) {
  PATTERN[index] = ((index % 1_048_573) * 2_654_435_761) >>> 13;
}

/** So many bytes, in pieces that share one memory. */
export function* content(size) {
  for (let at = 0; at < size; at += PIECE) {
    const from = at % 1_048_573;
    yield PATTERN.subarray(from, from + Math.min(PIECE, size - at));
  }
}

/** SHA-256 of {@link content}, in hexadecimal digits. */
export function checksumOf(size) {
  const hash = createHash("sha256");
  for (const piece of content(size)) hash.update(piece);
  return hash.digest("hex");
}
