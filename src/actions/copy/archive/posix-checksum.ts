/** The checksum of POSIX' `cksum`, fed piece by piece. */
export class PosixChecksum {
  #crc = 0;
  #length = 0;

  update(bytes: Uint8Array): void {
    let crc = this.#crc;
    for (const byte of bytes) crc = (crc << 8) ^ (TABLE[((crc >>> 24) ^ byte) & 0xff] ?? 0);
    this.#crc = crc;
    this.#length += bytes.length;
  }

  /** As `cksum` prints it: the checksum and the length, with a space between. */
  toString(): string {
    let crc = this.#crc;
    for (let length = this.#length; length > 0; length = Math.floor(length / 256)) {
      crc = (crc << 8) ^ (TABLE[((crc >>> 24) ^ length) & 0xff] ?? 0);
    }
    return `${~crc >>> 0} ${this.#length}`;
  }
}

const POLYNOMIAL = 0x04c11db7;

const TABLE = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ POLYNOMIAL : value << 1;
  return value;
});

/** The POSIX checksum of the first `length` bytes of a sequence; undefined where it is shorter. */
export async function checksumOf(chunks: AsyncIterable<Uint8Array>, length: number): Promise<string | undefined> {
  const sum = new PosixChecksum();
  let left = length;
  if (left > 0) {
    for await (const chunk of chunks) {
      const part = chunk.subarray(0, left);
      sum.update(part);
      left -= part.length;
      if (left === 0) break;
    }
  }
  return left === 0 ? sum.toString() : undefined;
}
