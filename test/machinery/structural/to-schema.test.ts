import { describe, expect, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { decodeJson } from "../../../src/machinery/wire/json/json-decoder.js";
import { encodeObjectText } from "../../../src/machinery/wire/encode.js";
import { decodeObject } from "../../../src/machinery/wire/strict-decode.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import type { Field, Schema, StructSchema } from "../../../src/machinery/schema/schema.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { contentSchemaOf } from "../../../src/machinery/structural/to-schema.js";
import { objectSchema } from "../../../src/server/api-registry/own-types.js";
import { array, embedded, integer, map, mapList, object, set, text, unknownFields, withX } from "./schemas.js";

const GVK = { group: "example.com", version: "v1", kind: "Box" };
const objectMeta = schemaFor({ group: "", version: "v1", kind: "ConfigMap" })?.byName.get("metadata")
  ?.schema as StructSchema;

/** The schema of a kind whose spec has the field x. */
const boxWithX = (x: JsonObject): StructSchema =>
  objectSchema(
    GVK,
    contentSchemaOf(() => withX(x), "Box", { objectMeta }),
  );

const specOf = (kind: StructSchema): StructSchema => kind.byName.get("spec")?.schema as StructSchema;

describe("the content schema made from a custom resource's schema", () => {
  const fieldX = (x: JsonObject): Field => specOf(boxWithX(x)).byName.get("x") as Field;

  test.each<[string, JsonObject, Partial<Schema>]>([
    ["a string", text, { type: "scalar", scalar: "string" }],
    ["a string of any format", { ...text, format: "byte" }, { type: "scalar", scalar: "string" }],
    ["an integer", integer, { type: "scalar", scalar: "int64" }],
    ["a number", { type: "number" }, { type: "scalar", scalar: "float64" }],
    ["a boolean", { type: "boolean" }, { type: "scalar", scalar: "bool" }],
    ["an int-or-string", { "x-kubernetes-int-or-string": true }, { type: "scalar", scalar: "intOrString" }],
    ["free-form JSON", unknownFields, { type: "scalar", scalar: "any" }],
    ["an object that preserves all", { type: "object", ...unknownFields }, { type: "scalar", scalar: "any" }],
    [
      "an atomic object that preserves all",
      { type: "object", ...unknownFields, "x-kubernetes-map-type": "atomic" },
      { type: "map", mapType: "atomic" },
    ],
    ["a map", map(text), { type: "map", values: { type: "scalar", scalar: "string" } }],
    ["a map of anything", map(true), { type: "map" }],
    ["a list, which is atomic", array(text), { type: "list", listType: "atomic" }],
    ["a set", set(text), { type: "list", listType: "set" }],
    [
      "a list of type map",
      mapList(["name"], object({ name: text })),
      { type: "list", listType: "map", listMapKeys: ["name"] },
    ],
    ["a struct", object({ a: text }), { type: "struct", name: "x" }],
    [
      "an atomic struct",
      object({ a: text }, { "x-kubernetes-map-type": "atomic" }),
      { type: "struct", mapType: "atomic" },
    ],
    [
      "a struct that preserves unknown fields",
      object({ a: text }, unknownFields),
      { type: "struct", preservesUnknownFields: true },
    ],
    [
      "an embedded resource",
      embedded({ spec: object({}) }),
      { type: "struct", embeddedResource: true, preservesUnknownFields: true },
    ],
  ])("describes a field with %s", (_, x, expected) => {
    expect(fieldX(x).schema).toMatchObject(expected);
  });

  test("has the default value of a list's key, which apply needs", () => {
    const { schema } = fieldX(mapList(["port"], object({ port: { ...integer, default: 80 } })));
    expect((schema as { items: StructSchema }).items.byName.get("port")?.default).toBe(80);
  });

  test("adds the fields of an embedded resource that its schema does not declare", () => {
    expect([...(fieldX(embedded({ spec: object({}) })).schema as StructSchema).byName.keys()]).toEqual([
      "kind",
      "apiVersion",
      "metadata",
      "spec",
    ]);
  });

  test("leaves out apiVersion, kind and metadata at the root", () => {
    const content = contentSchemaOf(
      () => structuralSchemaOf(object({ kind: text, metadata: object({}), data: map(text) })),
      "Box",
    );
    expect(content.fields.map(({ name }) => name)).toEqual(["data"]);
  });
});

describe("decoding a custom object by its content schema", () => {
  const decode = (schema: StructSchema, body: string) => {
    const { value, duplicates } = decodeJson(new TextEncoder().encode(body));
    return decodeObject<JsonObject>(value, schema, { duplicates });
  };

  test.each<[string, JsonObject, string, JsonValue, string[]]>([
    ["values of a wrong type stay, for validation", integer, '"a"', "a", []],
    ["null goes where it is not allowed", integer, "null", undefined as unknown as JsonValue, []],
    ["null stays where it is allowed", { ...integer, nullable: true }, "null", null, []],
    ["unknown fields go", object({ a: text }), '{"a": 1, "b": 2}', { a: 1 }, ['unknown field "spec.x.b"']],
    ["unknown fields in lists go", array(object({})), '[{"b": 2}]', [{}], ['unknown field "spec.x[0].b"']],
    [
      "unknown fields stay where they are preserved",
      { type: "object", ...unknownFields },
      '{"b": {"c": 1}}',
      { b: { c: 1 } },
      [],
    ],
    ["repeated fields are found", object({ a: text }), '{"a": 1, "a": 2}', { a: 2 }, ['duplicate field "spec.x.a"']],
    [
      "repeated fields are found where they are preserved",
      { type: "object", ...unknownFields },
      '{"l": [{"a": 1, "a": 2}]}',
      { l: [{ a: 2 }] },
      ['duplicate field "spec.x.l[0].a"'],
    ],
    ["exact integers stay exact", integer, "9007199254740993", 9007199254740993n, []],
    [
      "the metadata of an embedded resource is read",
      embedded(),
      '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "creationTimestamp": null, "foo": 1}, "other": 1}',
      { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, other: 1 },
      ['unknown field "spec.x.metadata.foo"'],
    ],
  ])("%s", (_, x, value, expected, errors) => {
    const body = `{"apiVersion": "example.com/v1", "kind": "Box", "metadata": {"name": "a"}, "spec": {"x": ${value}}}`;
    const { object: box, strictErrors } = decode(boxWithX(x), body);
    expect((box.spec as JsonObject).x).toEqual(expected);
    expect(strictErrors).toEqual(errors);
  });

  test.each([
    [
      "metadata",
      '{"labels": "a"}',
      'spec.x.metadata: Invalid value: {"labels":"a"}: json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string',
    ],
    ["kind", "5", "spec.x.kind: Invalid value: 5: must be a string"],
  ])("reports %s of an embedded resource that cannot be decoded", (field, value, message) => {
    const body = `{"spec": {"x": {"${field}": ${value}}}}`;
    expect(() => decode(boxWithX(embedded()), body)).toThrow(message);
  });

  test("reports an unknown field at the root, and keeps a preserved one", () => {
    const kind = (schema: JsonObject) =>
      objectSchema(
        GVK,
        contentSchemaOf(() => structuralSchemaOf(schema), "Box"),
      );
    const body = '{"foo": {"a": 1}}';
    expect(decode(kind(object({})), body)).toEqual({ object: {}, strictErrors: ['unknown field "foo"'] });
    expect(decode(kind(object({}, unknownFields)), body)).toEqual({ object: { foo: { a: 1 } }, strictErrors: [] });
  });

  test("does not change the decoded value", () => {
    const value = { spec: { x: { a: "1", b: 2 } } };
    decodeObject(value, boxWithX(object({ a: text })));
    expect(value).toEqual({ spec: { x: { a: "1", b: 2 } } });
  });

  test("encodes empty and null values as they are, with keys in byte order", () => {
    const box = {
      kind: "Box",
      apiVersion: "example.com/v1",
      metadata: {},
      spec: { x: { b: [], a: {}, "": null, c: "", d: 0 } },
    };
    expect(encodeObjectText(box, boxWithX(map(true)))).toBe(
      '{"apiVersion":"example.com/v1","kind":"Box","metadata":{},"spec":{"x":{"":null,"a":{},"b":[],"c":"","d":0}}}',
    );
  });
});
