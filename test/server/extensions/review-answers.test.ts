import { afterAll, beforeAll, expect, test } from "vitest";
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
])("each object in a list %s names its kind and apiVersion", async (_, version, query, accept) => {
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

test("objects of a built-in kind leave kind and apiVersion to the list", async () => {
  await call(api, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "plain" } });
  const listed = await call(api, "GET", "/api/v1/namespaces/default/configmaps");
  expect(listed.at("items.0.kind")).toBeUndefined();
});

test.each([
  ["PATCH", "/a"],
  ["PUT", "/a"],
])("a %s that removes the last finalizer of a deleted object is answered with what it wrote", async (method) => {
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
