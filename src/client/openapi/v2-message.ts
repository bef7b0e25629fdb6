import { bytesOf, readFields, textOf, type WireField } from "../../machinery/codec/protobuf/wire-reader.js";

/** A schema of OpenAPI v2 as it is written; what is not there is empty. */
export interface V2Schema {
  readonly reference: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly required: readonly string[];
  readonly items: readonly V2Schema[];
  /** The schema of `additionalProperties`, when it is one. */
  readonly values: V2Schema | undefined;
  /** Undefined when there is no `properties`, which is not the same as an empty one. */
  readonly properties: readonly NamedSchema[] | undefined;
  /** "x-..." to YAML. */
  readonly extensions: ReadonlyMap<string, string>;
}

export type NamedSchema = readonly [name: string, schema: V2Schema];

/**
 * The definitions of a document: the message openapi.v2.Document of google/gnostic-models (OpenAPIv2.proto, Apache-2.0),
 * whose field numbers these are. Throws a ProtobufError.
 */
export function readDefinitions(document: Uint8Array): readonly NamedSchema[] {
  return messages(document, 9).flatMap(readNamedSchemas);
}

function readNamedSchemas(message: Uint8Array): readonly NamedSchema[] {
  return messages(message, 1).map((named) => [text(named, 1), readSchema(join(messages(named, 2)))]);
}

function readSchema(message: Uint8Array): V2Schema {
  const fields = [...readFields(message)];
  const held = (number: number): readonly Uint8Array[] => bytesOfFields(fields, number);
  const texts = (number: number): readonly string[] => textsOfFields(fields, number);
  const properties = held(25);
  return {
    reference: texts(1).at(-1) ?? "",
    description: texts(4).at(-1) ?? "",
    required: texts(19),
    values: held(21)
      .flatMap((item) => messages(item, 1))
      .map(readSchema)
      .at(-1),
    types: held(22).flatMap((item) => textsOfFields([...readFields(item)], 1)),
    items: held(23).flatMap((item) => messages(item, 1).map(readSchema)),
    properties: properties.length === 0 ? undefined : properties.flatMap(readNamedSchemas),
    extensions: new Map(held(31).map((named) => [text(named, 1), text(join(messages(named, 2)), 2)])),
  };
}

const messages = (message: Uint8Array, number: number): readonly Uint8Array[] =>
  bytesOfFields([...readFields(message)], number);

const text = (message: Uint8Array, number: number): string =>
  textsOfFields([...readFields(message)], number).at(-1) ?? "";

const bytesOfFields = (fields: readonly WireField[], number: number): readonly Uint8Array[] =>
  fields.filter((field) => field.number === number).map((field) => bytesOf(field.value));

const textsOfFields = (fields: readonly WireField[], number: number): readonly string[] =>
  fields.filter((field) => field.number === number).map((field) => textOf(field.value));

/** A message that is written in parts is all of them in a row. */
function join(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts);
}
