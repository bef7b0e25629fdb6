import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";

let cluster: Cluster;
let api: Transport;

/** Nodes are objects here and pods wait for them: tests write the pods' phases. */
beforeAll(async () => {
  cluster = await startCluster({ port: false, scheduler: false });
  api = cluster.transport();
  for (const name of ["a", "b"]) await createNode(name);
});
afterAll(() => cluster.close());

const APPS = "/apis/apps/v1/namespaces/default";
const PATH = `${APPS}/daemonsets`;
const CORE = "/api/v1/namespaces/default";

async function createNode(name: string): Promise<void> {
  expect((await call(api, "POST", "/api/v1/nodes", { metadata: { name, labels: { role: "worker" } } })).status).toBe(
    201,
  );
}

const template = (app: string, image: string): JsonObject => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image }] },
});

async function create(app: string): Promise<void> {
  const spec = { selector: { matchLabels: { app } }, template: template(app, "one") };
  const answer = await call(api, "POST", PATH, { metadata: { name: app }, spec });
  expect(answer.status, answer.text).toBe(201);
}

async function merge(path: string, patch: JsonObject): Promise<void> {
  const answer = await call(api, "PATCH", path, patch, { type: "application/merge-patch+json" });
  expect(answer.status, answer.text).toBe(200);
}

interface SeenPod {
  readonly name: string;
  readonly node: string;
  readonly image: string;
  readonly hash: string;
}

/** By node. */
async function podsOf(app: string): Promise<SeenPod[]> {
  const items = objects((await call(api, "GET", `${CORE}/pods?labelSelector=app%3D${app}`)).at("items"));
  const pods = items.map(({ metadata, spec }) => ({
    name: text(object(metadata).name),
    node: /"values":\["(\w+)"\]/.exec(JSON.stringify(object(spec).affinity))?.[1] ?? "",
    image: text(objects(object(spec).containers)[0]?.["image"]),
    hash: text(object(object(metadata).labels)["controller-revision-hash"]),
  }));
  return pods.sort((x, y) => (x.node < y.node ? -1 : 1));
}

const nodesAndImages = async (app: string): Promise<string[]> =>
  (await podsOf(app)).map(({ node, image }) => `${node} ${image}`);

const setPhase = (name: string, phase: string): Promise<void> =>
  merge(`${CORE}/pods/${name}/status`, {
    status: { phase, conditions: [{ type: "Ready", status: phase === "Running" ? "True" : "False" }] },
  });

async function allReady(app: string): Promise<void> {
  for (const { name } of await podsOf(app)) await setPhase(name, "Running");
}

const eventsOf = async (name: string) =>
  objects((await call(api, "GET", `${CORE}/events`)).at("items"))
    .filter(({ involvedObject }) => object(involvedObject)["name"] === name)
    .map(({ reason, message }) => `${text(reason)} ${text(message)}`);

test("a DaemonSet has a pod on every node, creates one on a new node and deletes that of a removed node", async () => {
  await create("churn");
  await eventually(async () => expect(await nodesAndImages("churn")).toEqual(["a one", "b one"]));
  await createNode("c");
  await eventually(async () => expect(await nodesAndImages("churn")).toEqual(["a one", "b one", "c one"]));
  await call(api, "DELETE", "/api/v1/nodes/c");
  await eventually(async () => {
    expect(await nodesAndImages("churn")).toEqual(["a one", "b one"]);
    expect((await call(api, "GET", `${PATH}/churn`)).at("status")).toMatchObject({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberUnavailable: 2,
      observedGeneration: 1,
    });
  });
});

test("an update of a DaemonSet replaces the pods node by node, and the history keeps the old revision", async () => {
  await create("update");
  await eventually(async () => expect(await nodesAndImages("update")).toEqual(["a one", "b one"]));
  await allReady("update");
  await merge(`${PATH}/update`, { spec: { template: template("update", "two") } });
  await eventually(async () => expect((await nodesAndImages("update")).join()).toMatch(/^(a two,b one|a one,b two)$/));
  await allReady("update");
  await eventually(async () => expect(await nodesAndImages("update")).toEqual(["a two", "b two"]));
  await allReady("update");
  const status = { updatedNumberScheduled: 2, numberAvailable: 2, numberReady: 2, observedGeneration: 2 };
  await eventually(async () => expect((await call(api, "GET", `${PATH}/update`)).at("status")).toMatchObject(status));
  const revisions = objects(
    (await call(api, "GET", `${APPS}/controllerrevisions?labelSelector=app%3Dupdate`)).at("items"),
  );
  const [pod] = await podsOf("update");
  expect(revisions.map(({ metadata, revision }) => [text(object(metadata).name), revision])).toContainEqual([
    `update-${pod?.hash}`,
    2,
  ]);
  expect(revisions).toHaveLength(2);
});

test("a DaemonSet replaces a failed pod, and records an event", async () => {
  await create("fail");
  await eventually(async () => expect(await podsOf("fail")).toHaveLength(2));
  const [first] = await podsOf("fail");
  await setPhase(first?.name ?? "", "Failed");
  await eventually(async () => {
    const pods = await podsOf("fail");
    expect(pods.map(({ node }) => node)).toEqual(["a", "b"]);
    expect(pods.map(({ name }) => name)).not.toContain(first?.name);
    const message = `Found failed daemon pod default/${first?.name} on node a, will try to kill it`;
    expect(await eventsOf("fail")).toContain(`FailedDaemonPod ${message}`);
  });
});
