const utf8 = new TextEncoder();

/** Writes one protobuf message; nested ones are written by a writer of their own and put in whole. */
export class ProtobufWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** A string field; proto3 leaves the empty one out. */
  string(field: number, value: string): this {
    return value === "" ? this : this.bytes(field, utf8.encode(value));
  }

  /** A bool field; proto3 leaves false out. */
  bool(field: number, value: boolean): this {
    return value ? this.#push(Uint8Array.of(...varint(field << 3), 1)) : this;
  }

  message(field: number, message: ProtobufWriter): this {
    return this.bytes(field, message.finish());
  }

  bytes(field: number, value: Uint8Array): this {
    this.#push(Uint8Array.of(...varint((field << 3) | 2), ...varint(value.length)));
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
