import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";
import { formatKind } from "../../machinery/rest-mapper.js";
import { goQuote } from "../../base/text/go-quote.js";
import { bytesOf, readFields, textOf, type WireField } from "../../machinery/wire/protobuf/wire-reader.js";

/** A definition of OpenAPI v2, in one of the forms that Kubernetes' documents use. */
export type V2Model = { readonly description: string } & (
  | { readonly type: "kind"; readonly fields: ReadonlyMap<string, V2Model>; readonly required: readonly string[] }
  | { readonly type: "array" | "map"; readonly held: V2Model }
  /** "string", "number", "integer" or "boolean". */
  | { readonly type: "primitive"; readonly name: string }
  /** Refers to another definition. */
  | { readonly type: "reference"; readonly name: string }
  | { readonly type: "arbitrary" }
);

export interface V2Models {
  /** The definition of a kind. */
  ofKind(kind: GroupVersionKind): V2Model | undefined;
  /** The definition of a name. Every reference has one. */
  target(name: string): V2Model;
}

/**
 * The models of an OpenAPI v2 document in protobuf form. As in kubectl, a single definition of unknown form invalidates the
 * document: throws "SchemaError(NAME.FIELD): ...".
 */
export function readV2Models(document: Uint8Array): V2Models {
  const definitions = readDefinitions(document);
  const names = new Set(definitions.map(([name]) => name));
  const models = new Map(definitions.map(([name, schema]) => [name, parse(schema, name, names)]));
  const kinds = new Map(definitions.toSorted(([a], [b]) => compareKeys(a, b)).flatMap(kindsOf));
  return {
    ofKind: (kind) => models.get(kinds.get(formatKind(kind)) ?? ""),
    target(name) {
      const model = models.get(name);
      if (model === undefined) throw new Error(`there is no definition ${goQuote(name)}`);
      return model;
    },
  };
}

/** The kinds that a definition describes, each with the definition's name. */
function kindsOf([name, { extensions }]: NamedSchema): readonly (readonly [string, string])[] {
  const stated = parseExtension(extensions.get("x-kubernetes-group-version-kind"));
  return (Array.isArray(stated) ? stated : []).flatMap((one): [string, string][] => {
    const { group, version, kind } = isJsonObject(one) ? one : {};
    if (typeof group !== "string" || typeof version !== "string" || typeof kind !== "string" || kind === "") return [];
    return [[formatKind({ group, version, kind }), name]];
  });
}

function parseExtension(yaml: string | undefined): JsonValue {
  try {
    return parseYaml(yaml ?? "");
  } catch {
    return null;
  }
}

const fault = (path: string, what: string): Error => new Error(`SchemaError${path === "" ? "" : `(${path})`}: ${what}`);

function parse(schema: V2Schema, path: string, names: ReadonlySet<string>): V2Model {
  if (schema.reference !== "") return parseReference(schema, path, names);
  const { description, types, properties, values, items } = schema;
  const [type] = types;
  if (types.length > 1) throw fault(path, "definitions with multiple types aren't supported");
  if (properties !== undefined && (type === undefined || type === "object")) {
    const fields = properties.map(([name, field]): [string, V2Model] => [name, parse(field, `${path}.${name}`, names)]);
    return { type: "kind", description, fields: new Map(fields), required: schema.required };
  }
  switch (type) {
    case undefined:
      return { type: "arbitrary", description };
    case "object":
      if (values === undefined) return { type: "map", description, held: { type: "arbitrary", description } };
      return { type: "map", description, held: parse(values, path, names) };
    case "array": {
      const [item, ...others] = items;
      if (item === undefined || others.length > 0) throw fault(path, "array should have exactly one sub-item");
      return { type: "array", description, held: parse(item, path, names) };
    }
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return { type: "primitive", description, name: type };
    default:
      throw fault(path, `Unknown primitive type: ${goQuote(type)}`);
  }
}

const PREFIX = "#/definitions/";

function parseReference(schema: V2Schema, path: string, names: ReadonlySet<string>): V2Model {
  const { reference, description } = schema;
  if ((schema.properties ?? []).length > 0) throw fault(path, "unallowed embedded type definition");
  if (schema.types.length > 0) throw fault(path, "definition reference can't have a type");
  if (!reference.startsWith(PREFIX)) {
    throw fault(path, `unallowed reference to non-definition ${goQuote(reference)}`);
  }
  const name = reference.slice(PREFIX.length);
  if (!names.has(name)) throw fault(path, `unknown model in reference: ${goQuote(name)}`);
  return { type: "reference", description, name };
}

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
