import type { JsonSchema } from "./schemas.js";
import type { OpenApiV2Document } from "./v2.js";
import { WireWriter } from "../../machinery/wire/protobuf/wire-writer.js";

/** Writes one message of proto3, which leaves zero values out; nested ones have a writer of their own and are put in whole. */
class ProtobufWriter extends WireWriter {
  string(field: number, value: string): this {
    return value === "" ? this : this.text(field, value);
  }

  bool(field: number, value: boolean): this {
    return value ? this.integer(field, value) : this;
  }
}

/**
 * Encodes an OpenAPI 2 document as the message openapi.v2.Document of google/gnostic-models (OpenAPIv2.proto, Apache-2.0), which
 * kubectl reads. Field numbers are from there; only the parts that our documents have are supported.
 */
export function encodeOpenApiV2(document: OpenApiV2Document): Uint8Array {
  const paths = new ProtobufWriter();
  for (const [path, item] of Object.entries(document.paths)) paths.message(2, named(path, pathItem(item)));
  const definitions = new ProtobufWriter();
  for (const [name, one] of Object.entries(document.definitions)) definitions.message(1, named(name, schema(one)));
  return new ProtobufWriter()
    .string(1, document.swagger)
    .message(2, new ProtobufWriter().string(1, document.info.title).string(2, document.info.version))
    .message(8, paths)
    .message(9, definitions)
    .message(12, security(document.security))
    .message(13, securityDefinitions(document.securityDefinitions))
    .finish();
}

const named = (name: string, value: ProtobufWriter): ProtobufWriter =>
  new ProtobufWriter().string(1, name).message(2, value);

function security(requirements: readonly JsonSchema[]): ProtobufWriter {
  const writer = new ProtobufWriter();
  for (const requirement of requirements) {
    for (const name of Object.keys(requirement)) writer.message(1, named(name, new ProtobufWriter()));
  }
  return writer;
}

/** Each is an ApiKeySecurity. */
function securityDefinitions(definitions: Readonly<Record<string, JsonSchema>>): ProtobufWriter {
  const writer = new ProtobufWriter();
  for (const [name, one] of Object.entries(definitions)) {
    const key = new ProtobufWriter()
      .string(1, text(one["type"]))
      .string(2, text(one["name"]))
      .string(3, text(one["in"]))
      .string(4, text(one["description"]));
    writer.message(1, named(name, new ProtobufWriter().message(2, key)));
  }
  return writer;
}

const METHOD_FIELDS = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 } as const;

function pathItem(item: JsonSchema): ProtobufWriter {
  const writer = new ProtobufWriter();
  for (const [method, field] of Object.entries(METHOD_FIELDS)) {
    const found = item[method];
    if (isRecord(found)) writer.message(field, operation(found));
  }
  for (const one of list(item["parameters"])) writer.message(9, parameterItem(one));
  return writer;
}

function operation(value: JsonSchema): ProtobufWriter {
  const writer = new ProtobufWriter();
  for (const tag of strings(value["tags"])) writer.string(1, tag);
  writer.string(3, text(value["description"])).string(5, text(value["operationId"]));
  for (const type of strings(value["produces"])) writer.string(6, type);
  for (const type of strings(value["consumes"])) writer.string(7, type);
  for (const one of list(value["parameters"])) writer.message(8, parameterItem(one));
  const responses = new ProtobufWriter();
  for (const [code, answer] of entries(value["responses"])) {
    const response = new ProtobufWriter().string(1, text(answer["description"]));
    const answered = answer["schema"];
    if (isRecord(answered)) response.message(2, new ProtobufWriter().message(1, schema(answered)));
    responses.message(1, named(code, new ProtobufWriter().message(1, response)));
  }
  writer.message(9, responses);
  for (const scheme of strings(value["schemes"])) writer.string(10, scheme);
  return extensions(writer, value, 13);
}

/** ParametersItem, holding a Parameter, holding a body, query or path parameter. */
function parameterItem(value: JsonSchema): ProtobufWriter {
  const where = text(value["in"]);
  const required = value["required"] === true;
  const name = text(value["name"]);
  const description = text(value["description"]);
  const parameter = new ProtobufWriter();
  if (where === "body") {
    const body = new ProtobufWriter().string(2, name).string(3, where).bool(4, required);
    if (isRecord(value["schema"])) body.message(5, schema(value["schema"]));
    parameter.message(1, body);
  } else if (where === "path") {
    const path = new ProtobufWriter()
      .bool(1, required)
      .string(2, where)
      .string(3, description)
      .string(4, name)
      .string(5, text(value["type"]));
    parameter.message(2, new ProtobufWriter().message(4, path));
  } else {
    const query = new ProtobufWriter()
      .bool(1, required)
      .string(2, where)
      .string(3, description)
      .string(4, name)
      .string(6, text(value["type"]));
    parameter.message(2, new ProtobufWriter().message(3, query));
  }
  return new ProtobufWriter().message(1, parameter);
}

function schema(value: JsonSchema): ProtobufWriter {
  const writer = new ProtobufWriter()
    .string(1, text(value["$ref"]))
    .string(2, text(value["format"]))
    .string(4, text(value["description"]));
  for (const name of strings(value["required"])) writer.string(19, name);
  for (const one of strings(value["enum"])) writer.message(20, any(one));
  const values = value["additionalProperties"];
  if (isRecord(values)) writer.message(21, new ProtobufWriter().message(1, schema(values)));
  const type = text(value["type"]);
  if (type !== "") writer.message(22, new ProtobufWriter().string(1, type));
  const items = value["items"];
  if (isRecord(items)) writer.message(23, new ProtobufWriter().message(1, schema(items)));
  const properties = entries(value["properties"]);
  if (properties.length > 0) {
    const written = new ProtobufWriter();
    for (const [name, one] of properties) written.message(1, named(name, schema(one)));
    writer.message(25, written);
  }
  return extensions(writer, value, 31);
}

/** Every "x-" key, as YAML; JSON is YAML too. */
function extensions(writer: ProtobufWriter, value: JsonSchema, field: number): ProtobufWriter {
  for (const [key, held] of Object.entries(value)) {
    if (key.startsWith("x-")) writer.message(field, named(key, any(held)));
  }
  return writer;
}

const any = (value: unknown): ProtobufWriter => new ProtobufWriter().string(2, `${JSON.stringify(value)}\n`);

const isRecord = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): readonly JsonSchema[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
const entries = (value: unknown): readonly (readonly [string, JsonSchema])[] =>
  isRecord(value) ? Object.entries(value).filter((entry): entry is [string, JsonSchema] => isRecord(entry[1])) : [];
