import { bytesOf, readFields, textOf, type WireField } from "../../machinery/wire/protobuf/wire-reader.js";

/** A decoded OpenAPI v2 schema. Absent parts are empty. */
export interface V2Schema {
  readonly reference: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly required: readonly string[];
  readonly items: readonly V2Schema[];
  /** The schema of `additionalProperties`, when it has one. */
  readonly values: V2Schema | undefined;
  /** Undefined when there is no `properties`, which differs from an empty one. */
  readonly properties: readonly NamedSchema[] | undefined;
  /** From "x-..." to YAML. */
  readonly extensions: ReadonlyMap<string, string>;
}

export type NamedSchema = readonly [name: string, schema: V2Schema];

/**
 * Decodes the definitions of a document: the message openapi.v2.Document of google/gnostic-models (OpenAPIv2.proto,
 * Apache-2.0), which defines the field numbers. Throws a ProtobufError.
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

/** Joins the parts of a message: protobuf allows several for one field. */
function join(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts);
}
