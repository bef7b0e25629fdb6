import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { number, object, objects, text } from "../../src/machinery/meta/access.js";
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

const NAMESPACE = "/apis/apps/v1/namespaces/default";
const PATH = `${NAMESPACE}/deployments`;

const template = (app: string, image: string): JsonObject => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "c", image }] },
});

async function create(app: string, more: JsonObject = {}): Promise<void> {
  const spec = { replicas: 2, selector: { matchLabels: { app } }, template: template(app, "one"), ...more };
  const answer = await call(api, "POST", PATH, { metadata: { name: app }, spec });
  expect(answer.status, answer.text).toBe(201);
}

async function merge(path: string, patch: JsonObject): Promise<void> {
  const answer = await call(api, "PATCH", path, patch, { type: "application/merge-patch+json" });
  expect(answer.status, answer.text).toBe(200);
}

const setImage = (app: string, image: string) => merge(`${PATH}/${app}`, { spec: { template: template(app, image) } });

const items = async (path: string, app: string) =>
  objects((await call(api, "GET", `${path}?labelSelector=app%3D${app}`)).at("items"));

/** [image, size, revision] of each ReplicaSet, by revision. */
const setsOf = async (app: string) =>
  (await items(`${NAMESPACE}/replicasets`, app))
    .map(({ spec, metadata }) => {
      const pod = object(object(object(spec).template)["spec"]);
      const revision = object(object(metadata).annotations)["deployment.kubernetes.io/revision"];
      return [text(objects(pod["containers"])[0]?.["image"]), number(object(spec).replicas), text(revision)] as const;
    })
    .sort((a, b) => (a[2] < b[2] ? -1 : 1));

const statusOf = async (app: string) => object((await call(api, "GET", `${PATH}/${app}`)).at("status"));

const conditionOf = async (app: string, type: string) =>
  objects((await statusOf(app))["conditions"]).find((one) => one["type"] === type);

/** Waits until as many pods as wanted are of the current template, and no others are there. */
async function rolledOut(app: string, replicas = 2): Promise<void> {
  await eventually(async () => {
    const { observedGeneration, ...status } = await statusOf(app);
    expect(status).toMatchObject({ replicas, updatedReplicas: replicas, availableReplicas: replicas });
    expect(observedGeneration).toBe((await call(api, "GET", `${PATH}/${app}`)).at("metadata.generation"));
    expect(await conditionOf(app, "Progressing")).toMatchObject({ reason: "NewReplicaSetAvailable" });
  });
}

const eventsOf = async (name: string) =>
  objects((await call(api, "GET", "/api/v1/namespaces/default/events")).at("items"))
    .filter(({ involvedObject }) => object(involvedObject)["name"] === name)
    .map(({ reason, message }) => `${text(reason)} ${text(message)}`);

test("DEP-1, DEP-4: a Deployment is rolled out, changed and rolled back", async () => {
  await create("roll");
  await rolledOut("roll");
  const [first] = await items(`${NAMESPACE}/replicasets`, "roll");
  const name = text(object(first?.metadata).name);
  const hash = text(object(object(first?.metadata).labels)["pod-template-hash"]);
  expect(name).toBe(`roll-${hash}`);
  expect(first).toMatchObject({
    metadata: {
      annotations: {
        "deployment.kubernetes.io/desired-replicas": "2",
        "deployment.kubernetes.io/max-replicas": "3",
        "deployment.kubernetes.io/revision": "1",
      },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "roll", controller: true }],
    },
    spec: { selector: { matchLabels: { app: "roll", "pod-template-hash": hash } } },
  });
  await eventually(async () => {
    expect(await eventsOf("roll")).toContain(`ScalingReplicaSet Scaled up replica set ${name} from 0 to 2`);
  });
  await setImage("roll", "two");
  await rolledOut("roll");
  expect(await setsOf("roll")).toEqual([
    ["one", 0, "1"],
    ["two", 2, "2"],
  ]);
  await setImage("roll", "one");
  await rolledOut("roll");
  expect(await setsOf("roll")).toEqual([
    ["two", 0, "2"],
    ["one", 2, "3"],
  ]);
  const revision = (await call(api, "GET", `${PATH}/roll`)).at("metadata.annotations");
  expect(revision).toEqual({ "deployment.kubernetes.io/revision": "3" });
});

test("DEP-1: a paused Deployment is scaled and not rolled out until it is resumed", async () => {
  await create("pause");
  await rolledOut("pause");
  await merge(`${PATH}/pause`, { spec: { paused: true, template: template("pause", "two") } });
  await eventually(async () => {
    expect(await conditionOf("pause", "Progressing")).toMatchObject({ status: "Unknown", reason: "DeploymentPaused" });
  });
  await merge(`${PATH}/pause/scale`, { spec: { replicas: 3 } });
  await eventually(async () => expect(await setsOf("pause")).toEqual([["one", 3, "1"]]));
  await merge(`${PATH}/pause`, { spec: { paused: false } });
  await rolledOut("pause", 3);
  expect(await setsOf("pause")).toEqual([
    ["one", 0, "1"],
    ["two", 3, "2"],
  ]);
});

test("DEP-2: with Recreate a Deployment creates new pods when the last old one is gone", async () => {
  await create("recreate", { strategy: { type: "Recreate" } });
  await rolledOut("recreate");
  const before = await items("/api/v1/namespaces/default/pods", "recreate");
  for (const { metadata } of before) {
    await merge(`/api/v1/namespaces/default/pods/${text(object(metadata).name)}`, {
      metadata: { finalizers: ["example.com/hold"] },
    });
  }
  await setImage("recreate", "two");
  await eventually(async () => expect(await setsOf("recreate")).toEqual([["one", 0, "1"]]));
  for (const { metadata } of before) {
    expect(await setsOf("recreate")).toHaveLength(1);
    await merge(`/api/v1/namespaces/default/pods/${text(object(metadata).name)}`, { metadata: { finalizers: null } });
  }
  await rolledOut("recreate");
  expect(await setsOf("recreate")).toEqual([
    ["one", 0, "1"],
    ["two", 2, "2"],
  ]);
});

test("a Deployment deletes old ReplicaSets beyond its history limit", async () => {
  await create("history", { revisionHistoryLimit: 1 });
  for (const image of ["two", "three"]) {
    await rolledOut("history");
    await setImage("history", image);
  }
  await rolledOut("history");
  await eventually(async () => {
    expect(await setsOf("history")).toEqual([
      ["two", 0, "2"],
      ["three", 2, "3"],
    ]);
  });
});

test("a Deployment adopts a ReplicaSet of the same template, which gets its revision", async () => {
  const labels = { app: "adopt", "pod-template-hash": "given" };
  const given = template("adopt", "one");
  const set = {
    metadata: { name: "adopt-given", labels },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { ...given, metadata: { labels } } },
  };
  expect((await call(api, "POST", `${NAMESPACE}/replicasets`, set)).status).toBe(201);
  await eventually(async () => expect(await items("/api/v1/namespaces/default/pods", "adopt")).toHaveLength(2));
  await create("adopt");
  await rolledOut("adopt");
  expect(await setsOf("adopt")).toEqual([["one", 2, "1"]]);
  expect(await conditionOf("adopt", "Progressing")).toMatchObject({ status: "True" });
});

test("a Deployment raises its collision count when another ReplicaSet has the name of its new one", async () => {
  await create("collide", { paused: true });
  await create("model", {
    template: template("collide", "one"),
    selector: { matchLabels: { app: "collide" } },
    replicas: 0,
  });
  let hash = "";
  await eventually(async () => {
    const [set] = await items(`${NAMESPACE}/replicasets`, "collide");
    hash = text(object(object(set?.metadata).labels)["pod-template-hash"]);
    expect(hash).not.toBe("");
  });
  const taken = {
    metadata: { name: `collide-${hash}` },
    spec: { replicas: 0, selector: { matchLabels: { app: "x" } }, template: template("x", "one") },
  };
  expect((await call(api, "POST", `${NAMESPACE}/replicasets`, taken)).status).toBe(201);
  await merge(`${PATH}/collide`, { spec: { paused: false } });
  await rolledOut("collide");
  expect(await statusOf("collide")).toMatchObject({ collisionCount: 1 });
});

test("a Deployment whose rollout makes no progress gets the condition of a time-out and the failure of its ReplicaSet", async () => {
  const spec = { ...object(template("stuck", "one")["spec"]), serviceAccountName: "absent" };
  await create("stuck", { progressDeadlineSeconds: 1, template: { ...template("stuck", "one"), spec } as JsonObject });
  await eventually(async () => {
    expect(await conditionOf("stuck", "ReplicaFailure")).toMatchObject({ status: "True", reason: "FailedCreate" });
    expect(await conditionOf("stuck", "Progressing")).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: expect.stringMatching(/^ReplicaSet "stuck-\w+" has timed out progressing\.$/) as string,
    });
  });
});

test("deleting a Deployment deletes its ReplicaSets and pods", async () => {
  await create("gone");
  await rolledOut("gone");
  await call(api, "DELETE", `${PATH}/gone`);
  await eventually(async () => {
    expect(await items(`${NAMESPACE}/replicasets`, "gone")).toEqual([]);
    expect(await items("/api/v1/namespaces/default/pods", "gone")).toEqual([]);
  });
});
