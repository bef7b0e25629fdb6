/** Thrown for bytes that are not valid protobuf. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** The value of one field on the wire. */
export type WireValue =
  | { readonly type: "varint"; readonly value: bigint }
  | { readonly type: "fixed64" | "fixed32" | "bytes"; readonly bytes: Uint8Array };

export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

/** Reads the values of one protobuf message from its first byte to its last. Its methods throw a {@link ProtobufError}. */
export class WireReader {
  #at = 0;

  constructor(private readonly message: Uint8Array) {}

  get done(): boolean {
    return this.#at >= this.message.length;
  }

  /** A varint that is exact as a number: from 0 to 2^53, and the negative ones, read as int64, from -2^53. */
  integer(): number {
    const start = this.#at;
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.message[this.#at++];
      if (byte === undefined) throw new ProtobufError("unexpected EOF");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 0x80;
    }
    if (this.#at - start <= 8) return value;
    this.#at = start;
    return Number(BigInt.asIntN(64, this.varint()));
  }

  /** A varint as the 64 bits without a sign that it holds. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.message[this.#at++];
      if (byte === undefined) throw new ProtobufError("unexpected EOF");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError("proto: integer overflow");
  }

  /** A view of a value that has its length before it. */
  bytes(): Uint8Array {
    return this.take(this.integer());
  }

  /** A view of the next `length` bytes. */
  take(length: number): Uint8Array {
    const start = this.#at;
    if (length < 0 || start + length > this.message.length) throw new ProtobufError("unexpected EOF");
    this.#at += length;
    // A Buffer's own subarray is several times slower.
    return new Uint8Array(this.message.buffer, this.message.byteOffset + start, length);
  }

  /** Passes over the value behind a tag of that wire type. */
  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.take(8);
    else if (wireType === 2) this.bytes();
    else if (wireType === 5) this.take(4);
    else throw new ProtobufError(`proto: illegal wireType ${wireType}`);
  }
}

/** Iterates over the fields of a message in the order of its bytes. Throws a {@link ProtobufError}. */
export function* readFields(message: Uint8Array): Generator<WireField, void> {
  const reader = new WireReader(message);
  while (!reader.done) {
    const tag = reader.varint();
    const number = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (number < 1) throw new ProtobufError(`proto: illegal tag ${number} (wire type ${wireType})`);
    switch (wireType) {
      case 0:
        yield { number, value: { type: "varint", value: reader.varint() } };
        break;
      case 1:
        yield { number, value: { type: "fixed64", bytes: reader.take(8) } };
        break;
      case 2:
        yield { number, value: { type: "bytes", bytes: reader.bytes() } };
        break;
      case 5:
        yield { number, value: { type: "fixed32", bytes: reader.take(4) } };
        break;
      default:
        throw new ProtobufError(`proto: illegal wireType ${wireType}`);
    }
  }
}

/** Returns the content of a length-delimited field. */
export function bytesOf(value: WireValue): Uint8Array {
  if (value.type !== "bytes") throw new ProtobufError(`proto: wrong wireType for a message`);
  return value.bytes;
}

/** Decodes a signed 64-bit integer; to a number as long as that is exact. */
export function integerOf(value: WireValue): number | bigint {
  if (value.type !== "varint") throw new ProtobufError(`proto: wrong wireType for an integer`);
  const signed = BigInt.asIntN(64, value.value);
  const number = Number(signed);
  return Number.isSafeInteger(number) ? number : signed;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export const textOf = (value: WireValue): string => utf8.decode(bytesOf(value));
