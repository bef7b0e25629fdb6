import { afterAll, beforeAll, expect, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import type { StructSchema } from "../../../src/machinery/schema/schema.js";
import { applyDefaults } from "../../../src/machinery/structural/apply-defaults.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { contentSchemaOf } from "../../../src/machinery/structural/to-schema.js";
import { compileValueValidation } from "../../../src/machinery/structural/validate-value.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { createServer, type Server } from "../../../src/server/generic/server.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { createStorage, type Storage } from "../../../src/server/storage/create-storage.js";
import { call } from "../../helpers/api-caller.js";
import { seededRandom } from "../../helpers/seeded-random.js";

const objectMeta = schemaFor({ group: "", version: "v1", kind: "ConfigMap" })?.byName.get("metadata")
  ?.schema as StructSchema;

/** A kind that is described by a structural schema, as a definition of a custom resource has it. */
const structural = structuralSchemaOf({
  type: "object",
  description: "A box to put things into.",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, description: "How much fits in." },
        colour: { type: "string", default: "brown" },
        label: { type: "string", nullable: true },
        limit: { "x-kubernetes-int-or-string": true },
        things: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, count: { type: "integer", default: 1 } },
          },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
});
const validate = compileValueValidation(structural);
const BOXES = "/apis/example.com/v1/namespaces/default/boxes";

let storage: Storage;
let server: Server;
let api: Transport;

beforeAll(async () => {
  storage = createStorage({ kv: openMemoryKv(), clock: systemClock, compactionSeconds: 0 });
  server = createServer({
    storage,
    records: builtinRecords,
    clock: systemClock,
    random: seededRandom("structural content"),
    requestRandom: systemRandom,
    tokens: [],
    serverAddress: () => "",
    resources: [
      {
        group: "example.com",
        resource: "boxes",
        kind: "Box",
        namespaced: true,
        strategy: {
          validate: (object) => validate(object as JsonObject, undefined),
          validateUpdate: (object, old) => validate(object as JsonObject, old as JsonObject),
        },
        versions: [
          {
            version: "v1",
            schema: contentSchemaOf(() => structural, "Box", { objectMeta }),
            applyDefaults: (draft) => applyDefaults(draft as JsonObject, structural),
          },
        ],
      },
    ],
  });
  api = server.transport({ commonName: "admin", organizations: ["system:masters"] });
  await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
});

afterAll(async () => {
  await server.stop();
  await storage.close();
});

test("a create of a custom object prunes unknown fields with a warning, and adds defaults", async () => {
  const spec = { size: 1, label: null, limit: "5%", things: [{ name: "a", foo: 1 }], free: { b: { a: null } }, bar: 1 };
  const created = await call(api, "POST", `${BOXES}?fieldValidation=Warn`, { metadata: { name: "a" }, spec });
  expect(created.status).toBe(201);
  expect(created.headers["warning"]).toEqual([
    '299 - "unknown field \\"spec.bar\\""',
    '299 - "unknown field \\"spec.things[0].foo\\""',
  ]);
  const stored = { ...spec, things: [{ name: "a", count: 1 }], colour: "brown", bar: undefined };
  expect(created.at("spec")).toEqual(JSON.parse(JSON.stringify(stored)));
  expect((await call(api, "GET", `${BOXES}/a`)).at("spec")).toEqual(created.at("spec"));
});

test("a create of a custom object with strict validation refuses unknown and repeated fields", async () => {
  const body = '{"metadata": {"name": "b"}, "spec": {"size": 1, "free": {"x": 1, "x": 2}, "bar": 1}}';
  const refused = await call(api, "POST", `${BOXES}?fieldValidation=Strict`, body);
  expect([refused.status, refused.at("message")]).toEqual([
    400,
    'Box in version "v1" cannot be handled as a Box: strict decoding error: duplicate field "spec.free.x", unknown field "spec.bar"',
  ]);
});

test("a value of a wrong type is reported by validation", async () => {
  const refused = await call(api, "POST", BOXES, { metadata: { name: "b" }, spec: { size: "1", colour: 5 } });
  expect([refused.status, refused.at("message")]).toEqual([
    422,
    'Box.example.com "b" is invalid: [spec.size: Invalid value: "string": spec.size in body must be of type integer: "string", spec.colour: Invalid value: "integer": spec.colour in body must be of type string: "integer"]',
  ]);
});

test.each<[string, JsonObject, string]>([
  ["an object for a list", { size: 1, things: { a: 1 } }, "spec.things in body must be of type array"],
  ["text for an object", { size: 1, free: "text" }, "spec.free in body must be of type object"],
  ["a list for an int-or-string", { size: 1, limit: [1] }, "spec.limit in body must be of type integer,string"],
  ["text for an item", { size: 1, things: ["text"] }, "spec.things[0] in body must be of type object"],
  ["an item without its key", { size: 1, things: [{ count: 2 }] }, "spec.things[0].name: Required value"],
  [
    "a repeated key",
    { size: 1, things: [{ name: "a" }, { name: "a" }] },
    'spec.things[1]: Duplicate value: {"name":"a"}',
  ],
])("validation refuses in a create and an update %s", async (_, spec, message) => {
  const created = await call(api, "POST", BOXES, { metadata: { name: "d" }, spec });
  expect([created.status, created.at("message")]).toEqual([422, expect.stringContaining(message)]);
  const current = await call(api, "GET", `${BOXES}/a`);
  const updated = await call(api, "PUT", `${BOXES}/a`, { metadata: current.at("metadata"), spec });
  expect([updated.status, updated.at("message")]).toEqual([422, expect.stringContaining(message)]);
  const patched = await call(api, "PATCH", `${BOXES}/a`, { spec }, MERGE);
  expect([patched.status, patched.at("message")]).toEqual([422, expect.stringContaining(message)]);
});

test("a merge patch of a custom object may set null, and an update without changes keeps the resourceVersion", async () => {
  const patched = await call(api, "PATCH", `${BOXES}/a`, { spec: { colour: null, foo: 1 } }, MERGE);
  expect([patched.status, patched.at("spec.colour"), patched.at("spec.foo")]).toEqual([200, "brown", undefined]);
  const again = await call(api, "PATCH", `${BOXES}/a`, { spec: {} }, MERGE);
  expect(again.at("metadata.resourceVersion")).toBe(patched.at("metadata.resourceVersion"));
});

const MERGE = { type: "application/merge-patch+json" };
const APPLY = { type: "application/apply-patch+yaml" };

test("server-side apply of a custom object merges a list of type map by its keys, and owns its fields", async () => {
  const apply = (manager: string, spec: JsonValue) =>
    call(
      api,
      "PATCH",
      `${BOXES}/c?fieldManager=${manager}`,
      { apiVersion: "example.com/v1", kind: "Box", metadata: { name: "c" }, spec },
      APPLY,
    );
  await apply("one", { size: 1, things: [{ name: "a", count: 2 }], free: { x: 1 } });
  const applied = await apply("two", { size: 1, things: [{ name: "b" }] });
  expect([applied.status, applied.at("spec.things")]).toEqual([
    200,
    [
      { name: "a", count: 2 },
      { name: "b", count: 1 },
    ],
  ]);
  const managers = applied.at("metadata.managedFields") as readonly JsonObject[];
  expect(managers.find(({ manager }) => manager === "two")?.fieldsV1).toEqual({
    "f:spec": { "f:size": {}, "f:things": { 'k:{"name":"b"}': { ".": {}, "f:name": {} } } },
  });
  const conflict = await apply("two", { size: 2 });
  expect([conflict.status, conflict.at("message")]).toEqual([
    409,
    'Apply failed with 1 conflict: conflict with "one": .spec.size',
  ]);
});

test("OpenAPI has the schema as it was written, in both versions", async () => {
  type Schemas = Record<string, { description: string; properties: Record<string, JsonObject> }>;
  const v3 = JSON.parse((await call(api, "GET", "/openapi/v3/apis/example.com/v1")).text) as {
    components: { schemas: Schemas };
  };
  const box = v3.components.schemas["com.example.v1.Box"];
  expect(box).toMatchObject({
    type: "object",
    description: "A box to put things into.",
    "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Box" }],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      spec: { required: ["size"], properties: { size: { minimum: 1, description: "How much fits in." } } },
    },
  });
  expect(JSON.stringify(box?.properties.metadata)).toContain(
    "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
  );
  const v2 = JSON.parse((await call(api, "GET", "/openapi/v2")).text) as { definitions: Schemas };
  const properties = (v2.definitions["com.example.v1.Box"]?.properties.spec?.properties ?? {}) as Record<
    string,
    JsonObject
  >;
  expect([properties.size, properties.label, properties.free]).toEqual([
    { type: "integer", minimum: 1, description: "How much fits in." },
    {},
    { "x-kubernetes-preserve-unknown-fields": true },
  ]);
});
