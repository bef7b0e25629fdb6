import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { readyPods } from "../helpers/ready-pods.js";

let cluster: Cluster;
let api: Transport;
let kubelet: AsyncDisposable;

beforeAll(async () => {
  cluster = await startCluster({ port: false, scheduler: false });
  api = cluster.transport();
  kubelet = readyPods(api);
});
afterAll(async () => {
  await kubelet[Symbol.asyncDispose]();
  await cluster.close();
});

const APPS = "/apis/apps/v1/namespaces/default";
const PATH = `${APPS}/statefulsets`;
const CORE = "/api/v1/namespaces/default";

const template = (app: string, image: string): JsonObject => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "c", image }] },
});

async function create(app: string, more: JsonObject = {}): Promise<void> {
  const spec = {
    replicas: 2,
    selector: { matchLabels: { app } },
    template: template(app, "one"),
    serviceName: app,
    ...more,
  };
  const answer = await call(api, "POST", PATH, { metadata: { name: app }, spec });
  expect(answer.status, answer.text).toBe(201);
}

async function merge(path: string, patch: JsonObject): Promise<void> {
  const answer = await call(api, "PATCH", path, patch, { type: "application/merge-patch+json" });
  expect(answer.status, answer.text).toBe(200);
}

const items = async (path: string, app: string) =>
  objects((await call(api, "GET", `${path}?labelSelector=app%3D${app}`)).at("items"));

/** "web-0 image" of each pod. */
const podsOf = async (app: string) =>
  (await items(`${CORE}/pods`, app)).map(({ metadata, spec }) => {
    const [container] = objects(object(spec).containers);
    return `${text(object(metadata).name)} ${text(container?.["image"])}`;
  });

const statusOf = async (app: string) => object((await call(api, "GET", `${PATH}/${app}`)).at("status"));

/** Waits until all pods are ready and the update is complete. */
async function settled(app: string, replicas = 2): Promise<void> {
  await eventually(async () => {
    const status = await statusOf(app);
    expect(status).toMatchObject({ replicas, readyReplicas: replicas, updatedReplicas: replicas });
    expect(status["currentRevision"]).toBe(status["updateRevision"]);
    expect(status["observedGeneration"]).toBe((await call(api, "GET", `${PATH}/${app}`)).at("metadata.generation"));
  });
}

const revisionsOf = async (app: string) =>
  (await items(`${APPS}/controllerrevisions`, app))
    .map(({ metadata, revision }) => [text(object(metadata).name), revision] as const)
    .sort((a, b) => Number(a[1]) - Number(b[1]));

const eventsOf = async (name: string) =>
  [...objects((await call(api, "GET", `${CORE}/events`)).at("items"))]
    .sort((a, b) => Number(object(a["metadata"])["resourceVersion"]) - Number(object(b["metadata"])["resourceVersion"]))
    .filter(({ involvedObject }) => object(involvedObject)["name"] === name)
    .map(({ reason, message }) => `${text(reason)} ${text(message)}`);

test("STS-1: a StatefulSet creates pods in order, replaces them from the highest ordinal down, and keeps its revisions", async () => {
  await create("order", { revisionHistoryLimit: 0 });
  await settled("order");
  expect(await podsOf("order")).toEqual(["order-0 one", "order-1 one"]);
  const [first] = await revisionsOf("order");
  expect(first).toEqual([expect.stringMatching(/^order-[a-z0-9]+$/), 1]);
  await eventually(async () => {
    const events = await eventsOf("order");
    expect(events).toContain("SuccessfulCreate create Pod order-0 in StatefulSet order successful");
  });
  await merge(`${PATH}/order`, { spec: { template: template("order", "two") } });
  await eventually(async () => expect(await podsOf("order")).toEqual(["order-0 two", "order-1 two"]));
  await settled("order");
  await eventually(async () => {
    const deleted = (await eventsOf("order")).filter((event) => event.startsWith("SuccessfulDelete"));
    expect(deleted).toEqual([
      "SuccessfulDelete delete Pod order-1 in StatefulSet order successful",
      "SuccessfulDelete delete Pod order-0 in StatefulSet order successful",
    ]);
  });
  await eventually(async () => expect(await revisionsOf("order")).toEqual([[expect.any(String), 2]]));
  await merge(`${PATH}/order/scale`, { spec: { replicas: 1 } });
  await eventually(async () => expect(await podsOf("order")).toEqual(["order-0 two"]));
});

test("STS-1: a StatefulSet that returns to an earlier template uses its former revision with a new number", async () => {
  await create("back", { podManagementPolicy: "Parallel", updateStrategy: { type: "OnDelete" } });
  await eventually(async () => expect(await revisionsOf("back")).toHaveLength(1));
  const [[name] = []] = await revisionsOf("back");
  await merge(`${PATH}/back`, { spec: { template: template("back", "two") } });
  await eventually(async () =>
    expect(await revisionsOf("back")).toEqual([
      [name, 1],
      [expect.any(String), 2],
    ]),
  );
  await merge(`${PATH}/back`, { spec: { template: template("back", "one") } });
  await eventually(async () => {
    expect(await revisionsOf("back")).toEqual([
      [expect.any(String), 2],
      [name, 3],
    ]);
    expect(await statusOf("back")).toMatchObject({ updateRevision: name, updatedReplicas: 2 });
  });
});

test("STS-1: a StatefulSet's claims outlive their pods, or are deleted with them when the set says so", async () => {
  const volumeClaimTemplates = [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ];
  const policy = { whenScaled: "Delete", whenDeleted: "Retain" };
  await create("claims", {
    volumeClaimTemplates,
    podManagementPolicy: "Parallel",
    persistentVolumeClaimRetentionPolicy: policy,
  });
  const claims = async () =>
    (await items(`${CORE}/persistentvolumeclaims`, "claims")).map(({ metadata }) => text(object(metadata).name));
  await eventually(async () => {
    expect(await podsOf("claims")).toHaveLength(2);
    expect(await claims()).toEqual(["data-claims-0", "data-claims-1"]);
  });
  await merge(`${PATH}/claims/scale`, { spec: { replicas: 1 } });
  await eventually(async () => expect(await claims()).toEqual(["data-claims-0"]));
  await call(api, "DELETE", `${PATH}/claims`);
  await eventually(async () => expect(await podsOf("claims")).toEqual([]));
  expect(await claims()).toEqual(["data-claims-0"]);
  expect(await eventsOf("claims")).toContain(
    "SuccessfulCreate create Claim data-claims-0 Pod claims-0 in StatefulSet claims success",
  );
});
