import { WireReader } from "../../../machinery/wire/protobuf/wire-reader.js";
import { WireWriter } from "../../../machinery/wire/protobuf/wire-writer.js";

/** Writes and reads the values of one type. */
interface FieldType<In, Out> {
  write(writer: WireWriter, number: number, value: In): void;
  /** Reads the value behind its tag. */
  read(reader: WireReader): Out;
}

interface AnyField {
  readonly number: number;
  readonly type: FieldType<unknown, unknown>;
  readonly repeated: boolean;
  /** The decoded value of a field that is left out. */
  readonly absent: unknown;
}

/** A field of a message, with the types to encode and to decode. */
export interface Field<In, Out> extends AnyField {
  /** Never set: it only carries the types. */
  readonly types?: readonly [In, Out];
}

export interface MessageType<In, Out> {
  encode(message: In): Uint8Array;
  /** Skips unknown fields. Copies values of bytes. Throws a {@link ProtobufError}. */
  decode(bytes: Uint8Array): Out;
}

type Shape = Readonly<Record<string, AnyField>>;
type Encodable<S> = {
  readonly [K in keyof S]?: S[K] extends { readonly types?: readonly [infer In, unknown] } ? In : never;
};
type Decoded<S> = {
  readonly [K in keyof S]: S[K] extends { readonly types?: readonly [unknown, infer Out] } ? Out : never;
};

/** A proto3 message, described by its fields. */
export function message<S extends Shape>(shape: S): MessageType<Encodable<S>, Decoded<S>> {
  const names = Object.keys(shape);
  const fields: Shape = shape;
  const byNumber = new Map(names.map((name) => [fields[name]?.number ?? 0, name]));
  const absent = Object.fromEntries(names.map((name) => [name, fields[name]?.absent]));
  return {
    encode(values) {
      const writer = new WireWriter();
      for (const name of names) {
        const value = (values as Readonly<Record<string, unknown>>)[name];
        const field = fields[name];
        if (value === undefined || field === undefined) continue;
        for (const one of field.repeated ? (value as readonly unknown[]) : [value]) {
          field.type.write(writer, field.number, one);
        }
      }
      return writer.finish();
    },
    decode(bytes) {
      const values: Record<string, unknown> = { ...absent };
      const reader = new WireReader(bytes);
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
/** An int64 that may use all 64 bits. */
export const bigInteger = (number: number): Field<bigint, bigint> => scalar(number, bigIntegerType, 0n);
export const flag = (number: number): Field<boolean, boolean> => scalar(number, flagType, false);
export const bytes = (number: number): Field<Uint8Array, Uint8Array> => scalar(number, bytesType, new Uint8Array());
export const text = (number: number): Field<string, string> => scalar(number, textType, "");
export const texts = (number: number): Field<readonly string[], readonly string[]> => ({
  ...scalar<readonly string[], readonly string[]>(number, textType, []),
  repeated: true,
});

/** A nested message. */
export function nested<In, Out>(number: number, type: MessageType<In, Out>): Field<In, Out | undefined> {
  return scalar(number, messageType(type), undefined);
}

export function nesteds<In, Out>(number: number, type: MessageType<In, Out>): Field<readonly In[], readonly Out[]> {
  return { ...scalar<readonly In[], readonly Out[]>(number, messageType(type), []), repeated: true };
}

function messageType<In, Out>({ encode, decode }: MessageType<In, Out>): FieldType<In, Out> {
  return {
    write: (writer, number, value) => writer.bytes(number, encode(value)),
    read: (reader) => decode(reader.bytes()),
  };
}

function scalar<In, Out>(number: number, type: FieldType<unknown, unknown>, absent: unknown): Field<In, Out> {
  return { number, type, repeated: false, absent };
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

const integerType: FieldType<number, number> = {
  write: (writer, number, value) => writer.integer(number, value),
  read: (reader) => reader.integer(),
};
const bigIntegerType: FieldType<bigint, bigint> = {
  write: (writer, number, value) => writer.integer(number, value),
  read: (reader) => BigInt.asIntN(64, reader.varint()),
};
const flagType: FieldType<boolean, boolean> = {
  write: (writer, number, value) => writer.integer(number, value),
  read: (reader) => reader.integer() !== 0,
};
const bytesType: FieldType<Uint8Array, Uint8Array> = {
  write: (writer, number, value) => writer.bytes(number, value),
  // A view would keep the whole page in memory.
  read: (reader) => new Uint8Array(reader.bytes()),
};
const textType: FieldType<string, string> = {
  write: (writer, number, value) => writer.text(number, value),
  read: (reader) => utf8.decode(reader.bytes()),
};
