/**
 * Masks or unmasks bytes with the four bytes of `key`, in place. `done` is how many bytes of the same frame came before.
 */
export function mask(bytes: Uint8Array, key: Uint8Array, done: number): void {
  const { length } = bytes;
  const keyAt = (index: number): number => key[(done + index) & 3] ?? 0;
  const one = (index: number): void => {
    bytes[index] = (bytes[index] ?? 0) ^ keyAt(index);
  };
  let index = 0;
  while (index < length && ((bytes.byteOffset + index) & 3) !== 0) one(index++);
  // Four bytes at a time.
  const words = (length - index) >> 2;
  if (words > 0) {
    const [word = 0] = new Int32Array(Uint8Array.from([0, 1, 2, 3], (byte) => keyAt(index + byte)).buffer);
    const at = new Int32Array(bytes.buffer, bytes.byteOffset + index, words);
    for (let each = 0; each < words; each++) at[each] = (at[each] ?? 0) ^ word;
    index += words * 4;
  }
  while (index < length) one(index++);
}
