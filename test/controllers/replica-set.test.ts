import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const KINDS = [
  ["ReplicaSet", "/apis/apps/v1/namespaces/default/replicasets", { matchLabels: { app: "shop" } }],
  ["ReplicationController", "/api/v1/namespaces/default/replicationcontrollers", { app: "shop" }],
] as const;
const PODS = "/api/v1/namespaces/default/pods";

const podsOf = async (app: string) =>
  objects((await call(api, "GET", `${PODS}?labelSelector=app%3D${app}`)).at("items")).map((pod) => ({
    name: text(object(pod["metadata"])["name"]),
    owner: object(objects(object(pod["metadata"])["ownerReferences"])[0])["name"],
    deleted: object(pod["metadata"])["deletionTimestamp"] !== undefined,
  }));

async function merge(path: string, patch: JsonObject): Promise<void> {
  const answer = await call(api, "PATCH", path, patch, { type: "application/merge-patch+json" });
  expect(answer.status, answer.text).toBe(200);
}

describe.each(KINDS)("RS-1, RS-3: the controller of a %s", (kind, path, selector) => {
  const app = kind.toLowerCase();
  const selects = JSON.parse(JSON.stringify(selector).replace("shop", app)) as JsonObject;
  const template = {
    metadata: { labels: { app }, annotations: { note: "kept" } },
    spec: { containers: [{ name: "c", image: "i" }] },
  };

  test("creates pods of its template, and counts them", async () => {
    const spec = { replicas: 3, selector: selects, template };
    expect((await call(api, "POST", path, { metadata: { name: app }, spec })).status).toBe(201);
    await eventually(async () => {
      expect(await podsOf(app)).toHaveLength(3);
      const status = object((await call(api, "GET", `${path}/${app}`)).at("status"));
      expect(status).toMatchObject({ replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 1 });
    });
    for (const pod of await podsOf(app)) {
      expect(pod.owner).toBe(app);
      expect(pod.name).toMatch(new RegExp(`^${app}-[a-z0-9]{5}$`));
    }
  });

  test("deletes pods that are not ready before those that are", async () => {
    const [keep] = await podsOf(app);
    await merge(`${PODS}/${keep?.name}`, { spec: {}, metadata: { labels: { chosen: "yes" } } });
    await merge(`${PODS}/${keep?.name}/status`, {
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    });
    await eventually(async () => {
      expect(object((await call(api, "GET", `${path}/${app}`)).at("status"))["readyReplicas"]).toBe(1);
    });
    await merge(`${path}/${app}/scale`, { spec: { replicas: 1 } });
    await eventually(async () => expect((await podsOf(app)).map(({ name }) => name)).toEqual([keep?.name]));
  });

  test("adopts a pod that its selector matches, and replaces one that no longer matches", async () => {
    await merge(`${path}/${app}/scale`, { spec: { replicas: 2 } });
    await eventually(async () => expect(await podsOf(app)).toHaveLength(2));
    const [first] = await podsOf(app);
    await merge(`${PODS}/${first?.name}`, { metadata: { labels: { app: `${app}-other` } } });
    await eventually(async () => {
      expect(await podsOf(app)).toHaveLength(2);
      expect(await podsOf(`${app}-other`)).toMatchObject([{ name: first?.name, owner: undefined }]);
    });
    await merge(`${PODS}/${first?.name}`, { metadata: { labels: { app } } });
    await eventually(async () => {
      const pods = await podsOf(app);
      expect(pods).toHaveLength(2);
      expect(pods.every(({ owner }) => owner === app)).toBe(true);
    });
  });

  test("creates a pod again that was deleted", async () => {
    const before = await podsOf(app);
    await call(api, "DELETE", `${PODS}/${before[0]?.name}?gracePeriodSeconds=0`);
    await eventually(async () => {
      const after = await podsOf(app);
      expect(after).toHaveLength(2);
      expect(after).not.toContainEqual(before[0]);
    });
  });
});

test("RS-3: a ReplicaSet reports a failure to create pods by a condition and an event", async () => {
  const sets = KINDS[0][1];
  const template = {
    metadata: { labels: { app: "refused" } },
    spec: { serviceAccountName: "absent", containers: [{ name: "c", image: "i" }] },
  };
  const spec = { selector: { matchLabels: { app: "refused" } }, template };
  await call(api, "POST", sets, { metadata: { name: "refused" }, spec });
  await eventually(async () => {
    const { conditions, ...counts } = object((await call(api, "GET", `${sets}/refused`)).at("status"));
    expect(counts).toMatchObject({ replicas: 0, observedGeneration: 1 });
    expect(conditions).toMatchObject([
      {
        type: "ReplicaFailure",
        status: "True",
        reason: "FailedCreate",
        message:
          'pods "refused-" is forbidden: error looking up service account default/absent: serviceaccount "absent" not found',
      },
    ]);
    const events = objects((await call(api, "GET", "/api/v1/namespaces/default/events")).at("items"));
    const failed = events.find(
      ({ reason, involvedObject }) => reason === "FailedCreate" && object(involvedObject)["name"] === "refused",
    );
    expect(text(failed?.["message"])).toBe(`Error creating: ${text(objects(conditions)[0]?.["message"])}`);
  });
});
