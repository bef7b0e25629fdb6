import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { inShortTurns } from "../../helpers/short-turns.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const OWNERS = 6000;

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
  const ownerReferences = Array.from({ length: OWNERS }, (_, at) => ({
    apiVersion: "v1",
    kind: "Node",
    name: `n${at}`,
    uid: `u-${at}`,
  }));
  const created = await call(api, "POST", MAPS, { metadata: { name: "owned", ownerReferences } });
  expect(created.status, created.text.slice(0, 300)).toBe(201);
});

afterAll(() => cluster.close());

let label = 0;

test.each(["application/merge-patch+json", "application/strategic-merge-patch+json", "application/json-patch+json"])(
  "a short %s of a large object lets other requests run in between",
  async (type) => {
    await inShortTurns(async () => {
      const value = `v${++label}`;
      const patch =
        type === "application/json-patch+json"
          ? [{ op: "add", path: "/metadata/labels", value: { a: value } }]
          : { metadata: { labels: { a: value } } };
      const [patched, other] = await Promise.all([
        call(api, "PATCH", `${MAPS}/owned`, patch, { type }),
        call(api, "GET", "/api/v1/namespaces/default"),
      ]);
      expect(other.status).toBe(200);
      expect(patched.at("metadata.labels.a")).toBe(value);
      expect(patched.at("metadata.ownerReferences")).toHaveLength(OWNERS);
    });
  },
);

test("a dry run of a large object lets other requests run in between", async () => {
  const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const WIDES = "/apis/example.com/v1/namespaces/default/wides";
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const names = { plural: "wides", singular: "wide", kind: "Wide", listKind: "WideList" };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  const spec = { group: "example.com", scope: "Namespaced", names, versions };
  await call(api, "POST", DEFINITIONS, { metadata: { name: "wides.example.com" }, spec });
  await eventually(async () => expect((await call(api, "GET", WIDES)).status).toBe(200));
  const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`field${at}`, `value ${at}`]));
  const wide = { apiVersion: "example.com/v1", kind: "Wide", metadata: { name: "wide" }, spec: fields };
  await inShortTurns(async () => {
    const [created, other] = await Promise.all([
      call(api, "POST", `${WIDES}?dryRun=All`, wide),
      call(api, "GET", "/api/v1/namespaces/default"),
    ]);
    expect(created.status, created.text.slice(0, 300)).toBe(201);
    expect(created.text).toContain('"field29999":"value 29999"');
    expect(other.status).toBe(200);
  });
});

test("the label selector of a large Service is validated in time slices", async () => {
  const selector = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`key-${at}`, "value"]));
  await inShortTurns(async () => {
    const body = { metadata: { name: "wide" }, spec: { ports: [{ port: 80 }], selector } };
    const created = await call(api, "POST", "/api/v1/namespaces/default/services?dryRun=All", body);
    expect(created.status, created.text.slice(0, 300)).toBe(201);
  });
});
