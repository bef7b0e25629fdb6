import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { schemaFor } from "../../../src/api/facts/index.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { int32, intOrString, struct } from "../../../src/machinery/schema/build-schema.js";
import type { StructSchema } from "../../../src/machinery/schema/schema.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { createServer, type Server } from "../../../src/server/generic/server.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { createStorage, type Storage } from "../../../src/server/storage/create-storage.js";
import { call } from "../../helpers/api-caller.js";
import { seededRandom } from "../../helpers/seeded-random.js";

const objectMeta = schemaFor({ group: "", version: "v1", kind: "ConfigMap" })?.byName.get("metadata")
  ?.schema as StructSchema;

const spec = struct(
  "BoxSpec",
  {
    size: int32,
    limit: intOrString,
    manifest: struct("Manifest", {}, { embeddedResource: { metadata: objectMeta }, preservesUnknownFields: true }),
  },
  { preservesUnknownFields: true },
);

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
    random: seededRandom("unknown fields"),
    requestRandom: systemRandom,
    tokens: [],
    serverAddress: () => "",
    resources: [
      {
        group: "example.com",
        resource: "boxes",
        kind: "Box",
        namespaced: true,
        versions: [{ version: "v1", schema: struct("Box", { spec }) }],
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

test("a resource that preserves unknown fields stores, patches and applies them", async () => {
  const box = {
    metadata: { name: "a" },
    spec: {
      z: { b: 1, a: 2 },
      limit: "50%",
      size: 1,
      manifest: { kind: "Pod", apiVersion: "v1", metadata: { name: "p", unknown: 1 }, spec: { x: 1 } },
    },
  };
  const created = await call(api, "POST", `${BOXES}?fieldValidation=Warn`, box);
  expect(created.status).toBe(201);
  expect(created.headers["warning"]).toEqual(['299 - "unknown field \\"spec.manifest.metadata.unknown\\""']);
  const text = JSON.stringify(created.at("spec"));
  expect(text).toBe(
    '{"size":1,"limit":"50%","manifest":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"x":1}},"z":{"a":2,"b":1}}',
  );

  const patch = { spec: { z: { a: null, c: [1] }, limit: 5 } };
  const patched = await call(api, "PATCH", `${BOXES}/a`, patch, { type: "application/merge-patch+json" });
  expect([patched.status, patched.at("spec.z"), patched.at("spec.limit")]).toEqual([200, { b: 1, c: [1] }, 5]);

  const applied = await call(
    api,
    "PATCH",
    `${BOXES}/a?fieldManager=one&force=true`,
    { apiVersion: "example.com/v1", kind: "Box", metadata: { name: "a" }, spec: { z: { d: { e: 1 } } } },
    { type: "application/apply-patch+yaml" },
  );
  expect([applied.status, applied.at("spec.z")]).toEqual([200, { b: 1, c: [1], d: { e: 1 } }]);
  const managers = applied.at("metadata.managedFields") as readonly JsonObject[];
  expect(managers.find((entry) => entry["manager"] === "one")?.["fieldsV1"]).toEqual({
    "f:spec": { "f:z": { ".": {}, "f:d": { ".": {}, "f:e": {} } } },
  });
  const again = await call(api, "PUT", `${BOXES}/a`, { ...box, spec: applied.at("spec") });
  expect(again.at("metadata.resourceVersion")).toBe(applied.at("metadata.resourceVersion"));
});

test("a strict create names unknown fields only where they are not preserved", async () => {
  const strict = await call(api, "POST", `${BOXES}?fieldValidation=Strict`, {
    metadata: { name: "b" },
    spec: { anything: {} },
    other: 1,
  });
  expect([strict.status, strict.at("message")]).toEqual([
    400,
    'Box in version "v1" cannot be handled as a Box: strict decoding error: unknown field "other"',
  ]);
});

test("OpenAPI has the extension of a schema that preserves unknown fields", async () => {
  const document = JSON.parse((await call(api, "GET", "/openapi/v3/apis/example.com/v1")).text) as {
    components: { schemas: Record<string, { properties: Record<string, unknown> }> };
  };
  expect(document.components.schemas["com.example.v1.Box"]?.properties["spec"]).toMatchObject({
    "x-kubernetes-preserve-unknown-fields": true,
    properties: {
      limit: { "x-kubernetes-int-or-string": true },
      manifest: { "x-kubernetes-embedded-resource": true, required: ["apiVersion", "kind"] },
    },
  });
  expect(document.components.schemas[objectMeta.definition]).toBeDefined();
});
