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

const OFFSET_128 = 0x6c62272e07bb014262b821756295c58dn;
const PRIME_128 = 0x0000000001000000000000000000013bn;

/** FNV-1a of 128 bits. */
export function fnv128a(bytes: Uint8Array): bigint {
  let hash = OFFSET_128;
  for (const byte of bytes) hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * PRIME_128);
  return hash;
}
