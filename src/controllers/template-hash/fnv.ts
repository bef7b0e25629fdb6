const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a of 32 bits, as Go's fnv.New32a. */
export function fnv32a(...parts: readonly Uint8Array[]): number {
  let hash = OFFSET;
  for (const part of parts) for (const byte of part) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

/** FNV-1 of 32 bits, as Go's fnv.New32. */
export function fnv32(...parts: readonly Uint8Array[]): number {
  let hash = OFFSET;
  for (const part of parts) for (const byte of part) hash = Math.imul(hash, PRIME) ^ byte;
  return hash >>> 0;
}
