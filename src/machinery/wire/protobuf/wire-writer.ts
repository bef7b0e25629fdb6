const utf8 = new TextEncoder();

/** Writes the fields of one protobuf message, in the order they are given. Zero values are written as others are. */
export class WireWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** int32, int64 and bool: a negative number takes ten bytes. */
  integer(field: number, value: number | bigint | boolean): this {
    return this.#push(Uint8Array.from([...varint(field << 3), ...int64(value)]));
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

function int64(value: number | bigint | boolean): number[] {
  return typeof value === "number" && value >= 0 ? varint(value) : longVarint(BigInt.asUintN(64, BigInt(value)));
}

/** Of a number from 0 to 2^53. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return bytes;
}

function longVarint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}
