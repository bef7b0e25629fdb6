const utf8 = new TextEncoder();

/** Writes the fields of one protobuf message, in the order they are given. Zero values are written as others are. */
export class WireWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** int32, int64 and bool: a negative number takes ten bytes. */
  integer(field: number, value: number | bigint | boolean): this {
    return this.#push(Uint8Array.from([...varint(field << 3), ...longVarint(BigInt.asUintN(64, BigInt(value)))]));
  }

  double(field: number, value: number): this {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    return this.#push(Uint8Array.from(varint((field << 3) | 1))).#push(bytes);
  }

  text(field: number, value: string): this {
    return this.bytes(field, utf8.encode(value));
  }

  message(field: number, message: WireWriter): this {
    return this.bytes(field, message.finish());
  }

  bytes(field: number, value: Uint8Array): this {
    this.#push(Uint8Array.from([...varint((field << 3) | 2), ...varint(value.length)]));
    return this.#push(value);
  }

  finish(): Uint8Array {
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  #push(chunk: Uint8Array): this {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return this;
  }
}

/** Of tags and lengths, which are far below 2^31. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return bytes;
}

function longVarint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return bytes;
}
