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
