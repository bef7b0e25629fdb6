import { newestRelease } from "../../../src/api/facts/index.js";
import { describe, expect, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { describeDefinitions, v2Dialect, v3Dialect } from "../../../src/api/openapi/schemas.js";
import { atOnce } from "../../../src/base/async/steps.js";
import { compareSteps } from "../../../src/machinery/apply/compare.js";
import { encodedView } from "../../../src/machinery/apply/encoded-view.js";
import type { FieldSet } from "../../../src/machinery/apply/field-set.js";
import { parseFieldsV1, printFieldsV1 } from "../../../src/machinery/apply/fields-v1.js";
import { merge } from "../../../src/machinery/apply/merge.js";
import { reconcile } from "../../../src/machinery/apply/reconcile.js";
import { toFieldSet } from "../../../src/machinery/apply/to-field-set.js";
import { describe as descriptorOf } from "../../../src/machinery/apply/type-descriptor.js";
import { validate } from "../../../src/machinery/apply/validate.js";
import { decodeTyped } from "../../../src/machinery/wire/decode-typed.js";
import { encodeObjectSteps } from "../../../src/machinery/wire/encode-steps.js";
import { encodeObjectText } from "../../../src/machinery/wire/encode.js";
import { decodeObject, decodeObjectSteps } from "../../../src/machinery/wire/strict-decode.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { strategicMergePatch } from "../../../src/machinery/patch/strategic-merge.js";
import { fromSchema } from "../../../src/machinery/patch/strategic-schema.js";
import { anyJson, int32, intOrString, list, map, string, struct } from "../../../src/machinery/schema/build-schema.js";
import { applyDefaults } from "../../../src/machinery/schema/defaults.js";
import type { StructSchema } from "../../../src/machinery/schema/schema.js";

const objectMeta = schemaFor({ group: "", version: "v1", kind: "ConfigMap" })?.byName.get("metadata")
  ?.schema as StructSchema;

const port = struct("Port", { name: string, number: { schema: int32, default: 80 } });
/** Declares some fields and keeps the others. */
const open = struct("Open", { port, size: int32 }, { preservesUnknownFields: true });
/** Declares nothing and keeps everything. */
const free = struct("Free", {}, { preservesUnknownFields: true });
const closed = struct("Closed", { size: int32 });
const embedded = struct("Template", { spec: closed }, { embeddedResource: { metadata: objectMeta } });
const openEmbedded = struct(
  "Manifest",
  {},
  { embeddedResource: { metadata: objectMeta }, preservesUnknownFields: true },
);
const widget = struct("Widget", {
  open,
  free,
  closed,
  embedded,
  openEmbedded,
  opens: list(open),
  byName: map(open),
  limit: intOrString,
  anything: anyJson,
});

describe("decoding an object whose schema preserves unknown fields", () => {
  test.each<readonly [string, JsonObject, JsonObject, readonly string[]]>([
    [
      "keeps unknown fields where the struct preserves them",
      { open: { size: 1, x: { y: [1, null] } } },
      { open: { size: 1, x: { y: [1, null] } } },
      [],
    ],
    [
      "keeps null, lists and scalars as they are",
      { free: { a: null, b: [], c: "", d: 0 } },
      { free: { a: null, b: [], c: "", d: 0 } },
      [],
    ],
    [
      "prunes inside a declared field of an open struct",
      { open: { port: { number: 1, x: 1 } } },
      { open: { port: { number: 1 } } },
      ['unknown field "open.port.x"'],
    ],
    [
      "prunes beside an open struct",
      { closed: { x: 1 }, x: 1 },
      { closed: {} },
      ['unknown field "closed.x"', 'unknown field "x"'],
    ],
    [
      "keeps them in the items of a list and the values of a map",
      { opens: [{ x: 1 }], byName: { a: { x: 1 } } },
      { opens: [{ x: 1 }], byName: { a: { x: 1 } } },
      [],
    ],
    [
      "keeps apiVersion, kind and metadata of an embedded resource, and prunes the rest",
      {
        embedded: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "a", x: 1, creationTimestamp: null },
          spec: { size: 1 },
          x: 1,
        },
      },
      { embedded: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { size: 1 } } },
      ['unknown field "embedded.metadata.x"', 'unknown field "embedded.x"'],
    ],
    [
      "reads the metadata of an open embedded resource as ObjectMeta",
      { openEmbedded: { kind: "Pod", metadata: { name: "a", labels: {}, x: 1 }, spec: { x: 1 } } },
      { openEmbedded: { kind: "Pod", metadata: { name: "a" }, spec: { x: 1 } } },
      ['unknown field "openEmbedded.metadata.x"'],
    ],
    ["takes an integer or a string", { limit: 3 }, { limit: 3 }, []],
  ])("%s", (_, value, object, strictErrors) => {
    expect(decodeObject(value, widget)).toEqual({ object, strictErrors });
    expect(atOnce(decodeObjectSteps(value, widget))).toEqual({ object, strictErrors });
    // The steps of a long object walk it in another way.
    const long = { ...value, opens: Array.from({ length: 3000 }, () => ({ x: 1, size: 1 })) };
    expect(atOnce(decodeObjectSteps(long, widget)).object).toEqual({ ...object, opens: long.opens });
  });

  test("an unknown field that is set twice is reported", () => {
    const body = '{"kind":"Widget","apiVersion":"example.com/v1","free":{"x":1,"x":2}}';
    const gvk = { group: "example.com", version: "v1", kind: "Widget" };
    const kind = struct("Widget", { kind: string, apiVersion: string, free });
    const options = { expected: gvk, schemaOf: () => kind, mode: "Warn" as const };
    const { warnings } = decodeTyped(new TextEncoder().encode(body), options);
    expect(warnings).toEqual(['duplicate field "free.x"']);
  });

  test.each<readonly [string, JsonObject, string]>([
    [
      "a declared field of an open struct",
      { open: { size: "1" } },
      "json: cannot unmarshal string into Go struct field Open.open.size of type int32",
    ],
    [
      "the metadata of an embedded resource",
      { openEmbedded: { metadata: { labels: { a: 1 } } } },
      "json: cannot unmarshal number into Go struct field ObjectMeta.openEmbedded.metadata.labels of type string",
    ],
    [
      "an open struct that is no object",
      { free: "x" },
      "json: cannot unmarshal string into Go struct field Widget.free of type Free",
    ],
  ])("refuses a wrong value in %s", (_, value, message) => {
    expect(() => decodeObject(value, widget)).toThrow(message);
  });
});

describe("encoding an object with preserved unknown fields", () => {
  test.each<readonly [string, JsonObject, string]>([
    [
      "declared fields in their order, then the others in the order of their keys",
      { open: { z: 1, size: 2, b: { d: 1, c: 2 }, port: {}, a: null } },
      '{"open":{"port":{},"size":2,"a":null,"b":{"c":2,"d":1},"z":1}}',
    ],
    ["a struct without declared fields", { free: { b: 1, a: 1 } }, '{"free":{"a":1,"b":1}}'],
    ["nothing unknown elsewhere", { closed: { x: 1 }, x: 1 }, '{"closed":{}}'],
    [
      "kind and apiVersion of an embedded resource first",
      { embedded: { spec: {}, metadata: { name: "a" }, apiVersion: "v1", kind: "Pod" } },
      '{"embedded":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{}}}',
    ],
  ])("writes %s", (_, object, text) => {
    expect(encodeObjectText(object, widget)).toBe(text);
    expect(Buffer.from(atOnce(encodeObjectSteps(object, widget))).toString()).toBe(text);
  });

  test("writes a long object in time slices the same", () => {
    const object = {
      opens: Array.from({ length: 3000 }, (_, index) => ({ z: index, size: 1, a: [index] })),
      free: { b: 1, a: 2 },
    };
    expect(Buffer.from(atOnce(encodeObjectSteps(object, widget))).toString()).toBe(encodeObjectText(object, widget));
  });
});

test("default values apply to declared fields only, not to preserved unknown ones", () => {
  const object = { open: { port: {}, other: {} }, free: { port: {} } };
  applyDefaults(object, widget);
  expect(object).toEqual({ open: { port: { number: 80 }, other: {} }, free: { port: {} } });
});

test("a deep copy and field tracking keep preserved unknown fields", () => {
  const object = { open: { x: { y: 1 } }, closed: { x: 1 } };
  expect(encodedView(structuredClone(object), widget)).toEqual({ open: { x: { y: 1 } }, closed: {} });
});

describe("managedFields of an object with preserved unknown fields", () => {
  const type = descriptorOf(widget);
  const printed = (set: FieldSet): unknown => JSON.parse(JSON.stringify(printFieldsV1(set)));

  test.each<readonly [string, JsonObject, object]>([
    [
      "unknown fields key by key",
      { open: { x: { y: 1, z: [1] } } },
      { "f:open": { "f:x": { ".": {}, "f:y": {}, "f:z": {} } } },
    ],
    [
      "declared fields of an open struct as declared",
      { open: { port: { name: "a" } } },
      { "f:open": { "f:port": { "f:name": {} } } },
    ],
    [
      "everything of a struct that declares nothing",
      { free: { a: { b: 1 } } },
      { "f:free": { "f:a": { ".": {}, "f:b": {} } } },
    ],
    [
      "an embedded resource",
      { embedded: { kind: "Pod", metadata: { name: "a" } } },
      { "f:embedded": { "f:kind": {}, "f:metadata": { "f:name": {} } } },
    ],
  ])("own %s", (_, value, fields) => {
    expect(() => validate(value, type)).not.toThrow();
    expect(printed(toFieldSet(value, type))).toEqual(fields);
  });

  test("refuse a field that is neither declared nor preserved", () => {
    expect(() => validate({ closed: { x: 1 } }, type)).toThrow(".closed.x: field not declared in schema");
  });

  test("let an applied configuration merge into unknown fields", () => {
    const merged = merge({ open: { x: { a: 1, b: 1 }, size: 1 } }, { open: { x: { b: 2, c: 3 } } }, type);
    expect(merged).toEqual({ open: { x: { a: 1, b: 2, c: 3 }, size: 1 } });
  });

  test("track a changed unknown field separately from its neighbours", () => {
    const changes = atOnce(compareSteps({ open: { x: { a: 1, b: 1 } } }, { open: { x: { a: 1, b: 2, c: 1 } } }, type));
    expect(printed(changes.modified)).toEqual({ "f:open": { "f:x": { "f:b": {} } } });
    expect(printed(changes.added)).toEqual({ "f:open": { "f:x": { "f:c": {} } } });
  });

  test("own a value as a whole that became atomic below a declared field of an open struct", () => {
    const atomic = struct("Open", { port: { ...port, mapType: "atomic" as const } }, { preservesUnknownFields: true });
    const before = parseFieldsV1({ "f:port": { "f:name": {} }, "f:x": { "f:y": {} } });
    expect(printed(reconcile(before, descriptorOf(atomic)))).toEqual({ "f:port": {}, "f:x": { "f:y": {} } });
  });
});

test("a strategic merge patch merges preserved unknown fields as a JSON merge patch does", () => {
  const current = { open: { port: { name: "a" }, x: { a: 1, b: [{ name: "a" }] } } };
  const patch = { open: { port: { number: 1 }, x: { a: null, b: [{ name: "b" }], c: { d: 1 } } } };
  expect(strategicMergePatch(current, patch, fromSchema(widget))).toEqual({
    open: { port: { name: "a", number: 1 }, x: { b: [{ name: "b" }], c: { d: 1 } } },
  });
  expect(() =>
    strategicMergePatch({ closed: { x: { a: 1 } } }, { closed: { x: { b: 1 } } }, fromSchema(widget)),
  ).toThrow("unable to find api field");
});

describe("OpenAPI of a schema that preserves unknown fields", () => {
  const named = {
    ...struct("Widget", Object.fromEntries(widget.fields.map(({ name, schema }) => [name, schema]))),
    definition: "com.example.v1.Widget",
  };
  const types = {
    definitionOf: () => undefined,
    kindsOf: () => [],
    unionsOf: () => undefined,
    structOf: (name: string) => (name === named.definition ? named : undefined),
  };
  const properties = (dialect: typeof v3Dialect): Record<string, unknown> =>
    describeDefinitions([named.definition], dialect, { types, release: newestRelease })[named.definition]?.[
      "properties"
    ] as Record<string, unknown>;
  const ref = (prefix: string) => `${prefix}${objectMeta.definition}`;

  test("in version 3 has the extension beside the declared fields", () => {
    const { free: freeShape, open: openShape, embedded: embeddedShape, limit } = properties(v3Dialect);
    expect(freeShape).toEqual({ type: "object", "x-kubernetes-preserve-unknown-fields": true });
    expect(openShape).toMatchObject({
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { size: { type: "integer" } },
    });
    expect(embeddedShape).toEqual({
      type: "object",
      required: ["apiVersion", "kind"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { $ref: ref(v3Dialect.refPrefix) },
        spec: { type: "object", properties: { size: { type: "integer", format: "int32" } } },
      },
      "x-kubernetes-embedded-resource": true,
    });
    expect(limit).toEqual({ anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true });
  });

  test("in version 2 lists no fields of such a struct, because kubectl would refuse others", () => {
    const { open: openShape, openEmbedded: openEmbeddedShape, embedded: embeddedShape, limit } = properties(v2Dialect);
    expect(openShape).toEqual({ type: "object", "x-kubernetes-preserve-unknown-fields": true });
    expect(openEmbeddedShape).toEqual({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-embedded-resource": true,
    });
    expect(embeddedShape).toMatchObject({ properties: { metadata: { $ref: ref(v2Dialect.refPrefix) } } });
    expect(limit).toEqual({ "x-kubernetes-int-or-string": true });
  });
});
