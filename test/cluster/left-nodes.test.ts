import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, type ClusterOptions, startCluster } from "../../src/cluster/index.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";

const PODS = "/api/v1/namespaces/default/pods";
const NODES = "/api/v1/nodes";

let dataDir: string;
let cluster: Cluster | undefined;
let api: Transport;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kubets-left-nodes-"));
});
afterAll(async () => {
  await cluster?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function restart(options: ClusterOptions): Promise<void> {
  await cluster?.close();
  cluster = await startCluster({ port: false, storage: "disk", dataDir, ...options });
  api = cluster.transport();
}

async function create(path: string, body: object): Promise<void> {
  expect((await call(api, "POST", path, body)).status).toBe(201);
}

const itemsOf = async (path: string) => objects((await call(api, "GET", path)).at("items"));
const namesOf = async (path: string) => (await itemsOf(path)).map(({ metadata }) => text(object(metadata).name));
const placesOf = async (path: string) =>
  (await itemsOf(path)).map(({ spec }) => text(object(spec).nodeName)).toSorted();

/** A Node that another program has made, or a user. */
async function foreignNode(name: string, status: object): Promise<void> {
  await create(NODES, { metadata: { name } });
  const type = "application/merge-patch+json";
  expect((await call(api, "PATCH", `${NODES}/${name}/status`, { status }, { type })).status).toBe(200);
}

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: "busybox", command: ["sleep", "1000"] }] },
});

test("a cluster on disk deletes at its start the nodes of its last run, whose pods the controllers create again, but no other server's nodes", async () => {
  await restart({ nodes: 3 });
  const hostname = (address: string) => ({ addresses: [{ type: "Hostname", address }] });
  await foreignNode("by-hand", {});
  await foreignNode("node-8", { ...hostname("node-8"), nodeInfo: { osImage: "Debian GNU/Linux 13" } });
  await foreignNode("node-9", { ...hostname("192.0.2.1"), nodeInfo: { osImage: "kubets" } });
  for (const [resource, name, more] of [
    ["daemonsets", "each", {}],
    ["replicasets", "web", { replicas: 3 }],
  ] as const) {
    const spec = { ...more, selector: { matchLabels: { app: name } }, template: template(name) };
    await create(`/apis/apps/v1/namespaces/default/${resource}`, { metadata: { name }, spec });
  }
  const [each, web] = ["each", "web"].map((app) => `${PODS}?labelSelector=app%3D${app}`) as [string, string];
  await eventually(async () => {
    expect(await placesOf(each)).toEqual(expect.arrayContaining(["node-1", "node-2", "node-3"]));
    expect(await placesOf(web)).toEqual(["node-1", "node-2", "node-3"]);
  });
  for (const node of ["node-1", "node-3", "by-hand", "node-9"]) {
    await create(PODS, { metadata: { name: `on-${node}` }, spec: { nodeName: node, ...template("x").spec } });
  }
  await restart({ nodes: 1 });
  expect(await namesOf(NODES)).toEqual(["by-hand", "node-1", "node-8", "node-9"]);
  expect((await namesOf(PODS)).filter((name) => name.startsWith("on-"))).toEqual([
    "on-by-hand",
    "on-node-1",
    "on-node-9",
  ]);
  expect(await placesOf(each)).not.toContain("node-3");
  await eventually(async () => expect(await placesOf(web)).toEqual(["node-1", "node-1", "node-1"]));
});

test("a cluster on disk that starts without nodes deletes all nodes of its last run", async () => {
  await restart({ controllers: false });
  expect(await namesOf(NODES)).toEqual(["by-hand", "node-8", "node-9"]);
});
