/** A protobuf text that cannot be read. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** One field as it is on the wire. */
export type WireValue =
  | { readonly type: "varint"; readonly value: bigint }
  | { readonly type: "fixed64" | "fixed32" | "bytes"; readonly bytes: Uint8Array };

export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

/** The fields of a message in the order they were written. Throws a {@link ProtobufError}. */
export function* readFields(message: Uint8Array): Generator<WireField, void> {
  let at = 0;
  const varint = (): bigint => {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) throw new ProtobufError("unexpected EOF");
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, result);
    }
    throw new ProtobufError("proto: integer overflow");
  };
  const take = (length: number): Uint8Array => {
    if (at + length > message.length) throw new ProtobufError("unexpected EOF");
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (number < 1) throw new ProtobufError(`proto: illegal tag ${number} (wire type ${wireType})`);
    switch (wireType) {
      case 0:
        yield { number, value: { type: "varint", value: varint() } };
        break;
      case 1:
        yield { number, value: { type: "fixed64", bytes: take(8) } };
        break;
      case 2:
        yield { number, value: { type: "bytes", bytes: take(Number(varint())) } };
        break;
      case 5:
        yield { number, value: { type: "fixed32", bytes: take(4) } };
        break;
      default:
        throw new ProtobufError(`proto: illegal wireType ${wireType}`);
    }
  }
}

/** The content of a length-delimited field. */
export function bytesOf(value: WireValue): Uint8Array {
  if (value.type !== "bytes") throw new ProtobufError(`proto: wrong wireType for a message`);
  return value.bytes;
}

/** A signed 64-bit integer; a number as long as that is exact. */
export function integerOf(value: WireValue): number | bigint {
  if (value.type !== "varint") throw new ProtobufError(`proto: wrong wireType for an integer`);
  const signed = BigInt.asIntN(64, value.value);
  const number = Number(signed);
  return Number.isSafeInteger(number) ? number : signed;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export const textOf = (value: WireValue): string => utf8.decode(bytesOf(value));
