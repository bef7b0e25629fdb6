/** How a value is written and read. */
interface FieldType<In, Out> {
  readonly wireType: 0 | 2;
  /** What follows the tag and, for wire type 2, the length. */
  encode(value: In): Uint8Array;
  /** From behind the tag. */
  read(reader: Reader): Out;
}

interface AnyField {
  readonly number: number;
  readonly type: FieldType<never, unknown>;
  readonly repeated: boolean;
  /** What a decoded message has where the field is left out. */
  readonly absent: unknown;
}

/** A field of a message: what a writer may give and what a reader gets. */
export interface Field<In, Out> extends AnyField {
  /** Never there: it only carries the types. */
  readonly types?: readonly [In, Out];
}

export interface MessageType<In, Out> {
  encode(message: In): Uint8Array;
  /** Fields it does not know are skipped. Values of bytes are copies. Throws a {@link RangeError} for a text cut short. */
  decode(bytes: Uint8Array): Out;
}

type Shape = Readonly<Record<string, AnyField>>;
type Encodable<S> = {
  readonly [K in keyof S]?: S[K] extends { readonly types?: readonly [infer In, unknown] } ? In : never;
};
type Decoded<S> = {
  readonly [K in keyof S]: S[K] extends { readonly types?: readonly [unknown, infer Out] } ? Out : never;
};

/** A protobuf message of proto3, described by its fields. */
export function message<S extends Shape>(shape: S): MessageType<Encodable<S>, Decoded<S>> {
  const names = Object.keys(shape);
  const fields: Shape = shape;
  const byNumber = new Map(names.map((name) => [fields[name]?.number ?? 0, name]));
  const absent = Object.fromEntries(names.map((name) => [name, fields[name]?.absent]));
  return {
    encode(values) {
      const parts: Uint8Array[] = [];
      for (const name of names) {
        const value = (values as Readonly<Record<string, unknown>>)[name];
        const field = fields[name];
        if (value === undefined || field === undefined) continue;
        for (const one of field.repeated ? (value as readonly unknown[]) : [value]) {
          const bytes = field.type.encode(one as never);
          parts.push(varint(field.number * 8 + field.type.wireType));
          if (field.type.wireType === 2) parts.push(varint(bytes.length));
          parts.push(bytes);
        }
      }
      return Buffer.concat(parts);
    },
    decode(bytes) {
      const values: Record<string, unknown> = { ...absent };
      const reader = new Reader(bytes);
      while (!reader.done) {
        const tag = reader.integer();
        const name = byNumber.get(Math.floor(tag / 8));
        const field = name === undefined ? undefined : fields[name];
        if (name === undefined || field === undefined) {
          reader.skip(tag % 8);
          continue;
        }
        const value = field.type.read(reader);
        if (!field.repeated) values[name] = value;
        else if (values[name] === field.absent) values[name] = [value];
        else (values[name] as unknown[]).push(value);
      }
      return values as Decoded<S>;
    },
  };
}

/** An int64 that is exact as a number, as revisions and counts are. */
export const integer = (number: number): Field<number, number> => scalar(number, integerType, 0);
/** An int64 that may use all its bits. */
export const bigInteger = (number: number): Field<bigint, bigint> => scalar(number, bigIntegerType, 0n);
export const flag = (number: number): Field<boolean, boolean> => scalar(number, flagType, false);
export const bytes = (number: number): Field<Uint8Array, Uint8Array> => scalar(number, bytesType, new Uint8Array());
export const text = (number: number): Field<string, string> => scalar(number, textType, "");
export const texts = (number: number): Field<readonly string[], readonly string[]> => ({
  ...scalar<readonly string[], readonly string[]>(number, textType, []),
  repeated: true,
});

/** A message in a message. */
export function nested<In, Out>(number: number, type: MessageType<In, Out>): Field<In, Out | undefined> {
  return scalar(number, messageType(type), undefined);
}

export function nesteds<In, Out>(number: number, type: MessageType<In, Out>): Field<readonly In[], readonly Out[]> {
  return { ...scalar<readonly In[], readonly Out[]>(number, messageType(type), []), repeated: true };
}

function messageType<In, Out>({ encode, decode }: MessageType<In, Out>): FieldType<In, Out> {
  return { wireType: 2, encode, read: (reader) => decode(reader.bytes()) };
}

function scalar<In, Out>(number: number, type: FieldType<never, unknown>, absent: unknown): Field<In, Out> {
  return { number, type, repeated: false, absent };
}

const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder("utf-8", { ignoreBOM: true }) };

const integerType: FieldType<number, number> = { wireType: 0, encode: varint, read: (reader) => reader.integer() };
const bigIntegerType: FieldType<bigint, bigint> = {
  wireType: 0,
  encode(value) {
    const out: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x80n; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
    out.push(Number(rest));
    return Uint8Array.from(out);
  },
  read: (reader) => reader.bigInteger(),
};
const flagType: FieldType<boolean, boolean> = {
  wireType: 0,
  encode: (value) => varint(value ? 1 : 0),
  read: (reader) => reader.integer() !== 0,
};
const bytesType: FieldType<Uint8Array, Uint8Array> = {
  wireType: 2,
  encode: (value) => value,
  // A view would keep the whole page in memory.
  read: (reader) => new Uint8Array(reader.bytes()),
};
const textType: FieldType<string, string> = {
  wireType: 2,
  encode: (value) => utf8.encoder.encode(value),
  read: (reader) => utf8.decoder.decode(reader.bytes()),
};

/** Of a number from 0 to 2^53. */
function varint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out.push((rest % 0x80) | 0x80);
  out.push(rest);
  return Uint8Array.from(out);
}

class Reader {
  #at = 0;
  constructor(private readonly message: Uint8Array) {}

  get done(): boolean {
    return this.#at >= this.message.length;
  }

  /** Exact from 0 to 2^53, and for what is negative from -2^53. */
  integer(): number {
    const start = this.#at;
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.message[this.#at++];
      if (byte === undefined) throw tooShort();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 0x80;
    }
    if (this.#at - start <= 8) return value;
    this.#at = start;
    return Number(this.bigInteger());
  }

  bigInteger(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.message[this.#at++];
      if (byte === undefined) throw tooShort();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  }

  /** A view of what has its length before it. */
  bytes(): Uint8Array {
    return this.#take(this.integer());
  }

  skip(wireType: number): void {
    if (wireType === 0) this.bigInteger();
    else if (wireType === 1) this.#take(8);
    else if (wireType === 2) this.bytes();
    else if (wireType === 5) this.#take(4);
    else throw new RangeError(`protobuf: illegal wire type ${wireType}`);
  }

  #take(length: number): Uint8Array {
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.message.length) throw tooShort();
    // A Buffer's own subarray is several times slower.
    return new Uint8Array(this.message.buffer, this.message.byteOffset + start, length);
  }
}

const tooShort = (): RangeError => new RangeError("protobuf: unexpected end");
