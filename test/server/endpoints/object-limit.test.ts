import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const DEFAULT = "/api/v1/namespaces/default";
const WIDES = "/apis/example.com/v1/namespaces/default/wides";
const LIMIT = 1_572_864;

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const names = { plural: "wides", singular: "wide", kind: "Wide", listKind: "WideList" };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  const spec = { group: "example.com", scope: "Namespaced", names, versions };
  const definition = { metadata: { name: "wides.example.com" }, spec };
  await call(api, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  await eventually(async () => expect((await call(api, "GET", WIDES)).status).toBe(200));
});

afterAll(() => cluster.close());

const failureOf = ({ text }: Answer): unknown => {
  const { kind, apiVersion, metadata, ...status } = JSON.parse(text) as Record<string, unknown>;
  return { kind, apiVersion, metadata, ...status };
};

const tooLarge = (message: string) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  code: 500,
});

const wide = (name: string, length: number) => ({
  apiVersion: "example.com/v1",
  kind: "Wide",
  metadata: { name },
  text: "x".repeat(length),
});

test("a custom resource over the size limit is refused as etcd refuses it", async () => {
  const refused = await call(api, "POST", WIDES, wide("large", LIMIT));
  expect([refused.status, failureOf(refused)]).toEqual([500, tooLarge("etcdserver: request is too large")]);
  const larger = await call(api, "POST", WIDES, wide("large", 2_200_000));
  expect(larger.at("message")).toMatch(
    /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(22\d{5} vs\. 2097152\)$/,
  );
  expect(larger.status).toBe(500);
  expect((await call(api, "GET", `${WIDES}/large`)).status).toBe(404);
});

test("a dry run over the size limit succeeds, because kube-apiserver does not ask etcd either", async () => {
  expect((await call(api, "POST", `${WIDES}?dryRun=All`, wide("dry", LIMIT))).status).toBe(201);
});

test("the size of a built-in object is measured in protobuf, in whatever format it is stored", async () => {
  const data = { key: Buffer.alloc(2 ** 20, "secret").toString("base64") };
  const annotations = { a: "x".repeat(200_000) };
  const created = await call(api, "POST", `${DEFAULT}/secrets`, { metadata: { name: "encoded", annotations }, data });
  expect(created.status, created.text.slice(0, 300)).toBe(201);
  expect(created.text.length).toBeGreaterThan(LIMIT);
});

test("what a Service had reserved is freed when the Service is over the size limit", async () => {
  const spec = { ports: [{ port: 80 }], clusterIP: "10.96.0.77" };
  const prefix = Array.from({ length: 4 }, () => "a".repeat(62)).join(".");
  const selector = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${prefix}/${at}`, "v".repeat(60)]));
  const services = `${DEFAULT}/services`;
  const refused = await call(api, "POST", services, { metadata: { name: "large" }, spec: { ...spec, selector } });
  expect(refused.at("message")).toBe("etcdserver: request is too large");
  const created = await call(api, "POST", services, { metadata: { name: "small" }, spec });
  expect([created.status, created.at("spec.clusterIP")]).toEqual([201, "10.96.0.77"]);
});

/** Of 2,700 fields it is below the limit, and over it with managedFields: the names of the fields are the most of both. */
const managed = (name: string, count: number, value: string) => ({
  apiVersion: "example.com/v1",
  kind: "Wide",
  metadata: { name },
  spec: Object.fromEntries(Array.from({ length: count }, (_, at) => [`${"a".repeat(300)}${at}`, value])),
});

const APPLY = { type: "application/apply-patch+yaml" };

test.each([
  ["a create", (name: string) => call(api, "POST", WIDES, managed(name, 2700, "created")), 201],
  [
    "an update",
    async (name: string) => {
      const created = await call(api, "POST", WIDES, managed(name, 1, "created"));
      const metadata = { name, resourceVersion: created.at("metadata.resourceVersion") };
      return call(api, "PUT", `${WIDES}/${name}`, { ...managed(name, 2700, "updated"), metadata });
    },
    200,
  ],
  [
    "a merge patch",
    async (name: string) => {
      await call(api, "POST", WIDES, managed(name, 1, "created"));
      const type = "application/merge-patch+json";
      return call(api, "PATCH", `${WIDES}/${name}`, managed(name, 2700, "patched"), { type });
    },
    200,
  ],
] as const)("%s over the size limit is tried again without managedFields", async (title, write, status) => {
  const name = title.replaceAll(" ", "-");
  const answer = await write(name);
  expect(answer.status, answer.text.slice(0, 300)).toBe(status);
  expect(answer.at("metadata.managedFields")).toBeUndefined();
  expect(answer.at("metadata.name")).toBe(name);
});

test("an apply over the size limit is not tried without managedFields, because it would own nothing", async () => {
  const path = `${WIDES}/applied?fieldManager=me`;
  const refused = await call(api, "PATCH", path, managed("applied", 2700, "applied"), APPLY);
  expect([refused.status, refused.at("message")]).toEqual([500, "etcdserver: request is too large"]);
  expect((await call(api, "GET", `${WIDES}/applied`)).status).toBe(404);
});

test("an object over the size limit even without managedFields is refused, and the stored managedFields stay", async () => {
  await call(api, "POST", WIDES, managed("kept", 10, "created"));
  const type = "application/merge-patch+json";
  const refused = await call(api, "PATCH", `${WIDES}/kept`, { text: "x".repeat(LIMIT) }, { type });
  expect([refused.status, refused.at("message")]).toEqual([500, "etcdserver: request is too large"]);
  const kept = await call(api, "GET", `${WIDES}/kept`);
  expect(kept.at("metadata.managedFields")).toHaveLength(1);
});

describe("an object over the size limit that was stored before", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "kubets-object-limit-"));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  const options = { ...quietCluster, port: false, storage: "disk", dataDir } as const;
  const MAPS = `${DEFAULT}/configmaps`;
  const merge = { type: "application/merge-patch+json" };

  test("can be read, changed while it does not grow, and deleted with its finalizers", async () => {
    const data = { a: "x".repeat(100_000) };
    {
      await using before = await startCluster({ ...options, maxObjectBytes: 0 });
      const metadata = { name: "old", finalizers: ["example.com/a", "example.com/b"] };
      expect((await call(before.transport(), "POST", MAPS, { metadata, data })).status).toBe(201);
    }
    await using cluster = await startCluster({ ...options, maxObjectBytes: 90_000 });
    const api = cluster.transport();
    const old = `${MAPS}/old`;
    expect((await call(api, "GET", old)).at("data.a")).toBe(data.a);
    const grown = await call(api, "PATCH", old, { data: { b: "x".repeat(1000) } }, merge);
    expect([grown.status, grown.at("message")]).toEqual([500, "etcdserver: request is too large"]);
    const deleted = await call(api, "DELETE", old);
    expect([deleted.status, deleted.at("metadata.deletionTimestamp")]).toEqual([200, expect.any(String)]);
    const shrunk = await call(
      api,
      "PATCH",
      `${old}?fieldManager=another`,
      { metadata: { finalizers: ["example.com/b"] } },
      merge,
    );
    expect([shrunk.status, shrunk.at("metadata.finalizers")]).toEqual([200, ["example.com/b"]]);
    const found = await call(api, "GET", old);
    const { metadata, ...rest } = JSON.parse(found.text) as { readonly metadata: object };
    expect((await call(api, "PUT", old, { ...rest, metadata: { ...metadata, finalizers: [] } })).status).toBe(200);
    expect((await call(api, "GET", old)).status).toBe(404);
  });
});
