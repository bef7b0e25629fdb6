import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, install, versionOf } from "../../helpers/custom-definitions.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
});
afterAll(() => cluster.close());

const box = (group: string, name: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: `${group}/v1`,
  kind: "Box",
  metadata: { name, ...metadata },
  spec: { size: 1 },
});

const SIZE = { size: { type: "integer" } };

test.each([
  ["of the storage version, as JSON", "v1", "", "application/json"],
  ["of the storage version, indented", "v1", "?pretty=1", "application/json"],
  ["of another version, as JSON", "v1beta1", "", "application/json"],
])("each custom object in a list %s has its kind and apiVersion", async (_, version, query, accept) => {
  const group = `lists-${version}${query === "" ? "" : "-pretty"}.example.com`;
  await install(api, boxDefinition(group, [versionOf("v1", SIZE), versionOf("v1beta1", SIZE, { storage: false })]));
  for (const name of ["a", "b"]) {
    expect((await call(api, "POST", boxesOf(group), box(group, name))).status).toBe(201);
  }
  const listed = await call(api, "GET", `${boxesOf(group, version)}${query}`, undefined, { accept });
  const named = { kind: "Box", apiVersion: `${group}/${version}` };
  expect(JSON.parse(listed.text).items).toMatchObject([
    { ...named, metadata: { name: "a" } },
    { ...named, metadata: { name: "b" } },
  ]);
  const deleted = await call(api, "DELETE", boxesOf(group, version));
  expect(deleted.at("items.1")).toMatchObject({ ...named, metadata: { name: "b" } });
});

test("built-in objects in a list have no kind and apiVersion", async () => {
  await call(api, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "plain" } });
  const listed = await call(api, "GET", "/api/v1/namespaces/default/configmaps");
  expect(listed.at("items.0.kind")).toBeUndefined();
});

test.each([
  ["PATCH", "/a"],
  ["PUT", "/a"],
])("a %s that removes the last finalizer of a deleted object answers with what it wrote", async (method) => {
  const group = `finalizers-${method.toLowerCase()}.example.com`;
  await install(api, boxDefinition(group, [versionOf("v1", SIZE)]));
  const path = `${boxesOf(group)}/a`;
  await call(api, "POST", boxesOf(group), box(group, "a", { finalizers: ["example.com/hold"] }));
  const deleting = await call(api, "DELETE", path);
  expect(deleting.at("metadata.finalizers")).toEqual(["example.com/hold"]);
  const watch = await api.send({
    method: "GET",
    path: `${boxesOf(group)}?watch=1&timeoutSeconds=1&resourceVersion=${deleting.at("metadata.resourceVersion") as string}`,
    headers: { accept: "application/json" },
  });
  const { finalizers: _, ...metadata } = deleting.at("metadata") as JsonObject;
  const released = await (method === "PUT"
    ? call(api, "PUT", path, { ...(JSON.parse(deleting.text) as JsonObject), metadata })
    : call(api, "PATCH", path, { metadata: { finalizers: null } }, { type: "application/merge-patch+json" }));
  expect(released.status).toBe(200);
  expect(released.at("metadata.finalizers")).toBeUndefined();
  expect(released.at("metadata.resourceVersion")).toBe(deleting.at("metadata.resourceVersion"));
  expect((await call(api, "GET", path)).status).toBe(404);
  let events = "";
  for await (const chunk of watch.body) events += Buffer.from(chunk).toString();
  expect(JSON.parse(events.split("\n")[0] ?? "")).toMatchObject({
    type: "DELETED",
    object: { metadata: { finalizers: ["example.com/hold"] } },
  });
});

describe("the JSON of a custom resource has keys in byte order", () => {
  const group = "order.example.com";
  const any = { "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: any, zone: any }, ...any } };
  const sent = {
    zone: { b: 1, a: 2 },
    spec: { z: 1, a: { uid: "no", metadata: { uid: "neither" } } },
    kind: "Box",
    apiVersion: `${group}/v1`,
    data: { metadata: { name: "x", uid: "nor this" } },
    metadata: {
      name: "a",
      labels: { a: "b", uid: "00000000-0000-0000-0000-000000000000" },
      ownerReferences: [{ uid: "1", name: "o", kind: "ConfigMap", apiVersion: "v1" }],
    },
  };

  beforeAll(async () => {
    await install(
      api,
      boxDefinition(group, [versionOf("v1", {}, { schema }), versionOf("v2", {}, { schema, storage: false })]),
    );
    expect((await call(api, "POST", boxesOf(group), sent)).status).toBe(201);
  });

  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(([key, field]) => [key, sorted(field)] as const);
    return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  const expectSorted = (text: string): void => expect(text.trimEnd()).toBe(JSON.stringify(sorted(JSON.parse(text))));

  test.each(["v1", "v2"])("in an object and in a list of %s", async (version) => {
    const read = await call(api, "GET", `${boxesOf(group, version)}/a`);
    expectSorted(read.text);
    expect(Object.keys(JSON.parse(read.text) as object)).toEqual([
      "apiVersion",
      "data",
      "kind",
      "metadata",
      "spec",
      "zone",
    ]);
    const version1 = await call(api, "GET", `${boxesOf(group)}/a`);
    expect(read.at("metadata.resourceVersion")).toBe(version1.at("metadata.resourceVersion"));
    expect(read.at("metadata.resourceVersion")).toMatch(/^\d+$/);
    const listed = await call(api, "GET", boxesOf(group, version));
    expectSorted(listed.text);
    expect(listed.at("items.0")).toEqual(JSON.parse(read.text));
    expect(listed.at("metadata.continue")).toBe("");
  });

  test.each(["v1", "v2"])("in a watch of %s", async (version) => {
    const watch = await api.send({
      method: "GET",
      path: `${boxesOf(group, version)}?watch=1&timeoutSeconds=1`,
      headers: { accept: "application/json" },
    });
    let events = "";
    for await (const chunk of watch.body) events += Buffer.from(chunk).toString();
    const object = events.split("\n")[0]?.replace(/^\{"type":"ADDED","object":(.*)\}$/, "$1") ?? "";
    expectSorted(object);
    expect(JSON.parse(object)).toMatchObject({ metadata: { resourceVersion: expect.stringMatching(/^\d+$/) } });
  });

  test("except for its metadata alone, which has the order of the Go type", async () => {
    const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const read = await call(api, "GET", `${boxesOf(group)}/a`, undefined, { accept });
    expect(Object.keys(JSON.parse(read.text) as object)).toEqual(["kind", "apiVersion", "metadata"]);
    expect(Object.keys(read.at("metadata") as object).slice(0, 4)).toEqual([
      "name",
      "namespace",
      "uid",
      "resourceVersion",
    ]);
  });
});
