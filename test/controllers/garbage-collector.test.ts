import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { type PathApi, pathApi } from "../helpers/path-api.js";
import { isNotFound } from "../../src/machinery/errors/status-error.js";
import type { KubeObject, OwnerReference } from "../../src/machinery/meta/object.js";
import { eventually } from "../helpers/eventually.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

let cluster: Cluster;
let api: PathApi;
const faults: unknown[] = [];

beforeAll(async () => {
  cluster = await startCluster({ port: false, onError: (error) => void faults.push(error), ...quietCluster });
  api = pathApi(cluster.transport(), "test");
});

afterAll(async () => {
  await cluster.close();
  expect(faults).toEqual([]);
});

const MAPS = "/api/v1/namespaces/default/configmaps";

/** A ConfigMap of "default", owned by the others. */
async function map(name: string, owners: readonly OwnerReference[] = [], finalizers: readonly string[] = []) {
  const metadata = { name, ownerReferences: [...owners], finalizers: [...finalizers] };
  return api.create(MAPS, { metadata });
}

function owned({ apiVersion = "", kind = "", metadata = {} }: KubeObject, blocking = false): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion, kind, name, uid, ...(blocking && { blockOwnerDeletion: true }) };
}

async function find(path: string): Promise<KubeObject | undefined> {
  try {
    return await api.get(path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const gone = (...names: readonly string[]) =>
  eventually(async () => {
    const left = await Promise.all(names.map((name) => find(`${MAPS}/${name}`)));
    expect(left).toEqual(names.map(() => undefined));
  });

const ownersOf = async (name: string) => (await api.get(`${MAPS}/${name}`)).metadata?.ownerReferences;

/** What stays must be shown to stay after the garbage collector has been past it: it deletes in the order of events. */
async function collectorPassed(): Promise<void> {
  const owner = await map(`passes-${crypto.randomUUID()}`);
  const name = `passed-${crypto.randomUUID()}`;
  await map(name, [owned(owner)]);
  await api.delete(`${MAPS}/${owner.metadata?.name}`);
  await gone(name);
}

describe("deleting an owner in the background", () => {
  test("deletes its dependents, and their dependents", async () => {
    const owner = await map("b-owner");
    const child = await map("b-child", [owned(owner)]);
    await map("b-grandchild", [owned(child)]);
    await api.delete(`${MAPS}/b-owner`, { propagationPolicy: "Background" });
    expect(await find(`${MAPS}/b-owner`)).toBeUndefined();
    await gone("b-child", "b-grandchild");
  });

  test("keeps a dependent with another owner, and removes the deleted owner from it", async () => {
    const [one, two] = [await map("two-a"), await map("two-b")];
    await map("two-child", [owned(one), owned(two)]);
    await api.delete(`${MAPS}/two-a`);
    await eventually(async () => expect(await ownersOf("two-child")).toEqual([owned(two)]));
    await api.delete(`${MAPS}/two-b`);
    await gone("two-child");
  });

  test("applies at once to an object whose owner never existed", async () => {
    await map("never", [{ apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: crypto.randomUUID() }]);
    await gone("never");
  });

  test("applies to an object whose owner has the same name and another uid", async () => {
    const owner = await map("same-name");
    await map("stranger", [{ ...owned(owner), uid: crypto.randomUUID() }]);
    await gone("stranger");
    expect(await find(`${MAPS}/same-name`)).toBeDefined();
  });

  test("deletes a Deployment's ReplicaSet and pods", async () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const sets = "/apis/apps/v1/namespaces/default/replicasets";
    const pods = "/api/v1/namespaces/default/pods";
    const deployment = await api.create(deployments, { metadata: { name: "d" }, spec });
    const set = await api.create(sets, { metadata: { name: "d-1", ownerReferences: [owned(deployment)] }, spec });
    await api.create(pods, { metadata: { name: "d-1-1", ownerReferences: [owned(set)] }, spec: template.spec });
    await api.delete(`${deployments}/d`);
    await eventually(async () =>
      expect([await find(`${sets}/d-1`), await find(`${pods}/d-1-1`)]).toEqual([undefined, undefined]),
    );
  });
});

describe("deleting an owner in the foreground", () => {
  test("waits for the dependents that block it", async () => {
    const owner = await map("f-owner");
    await map("f-child", [owned(owner, true)], ["example.com/held"]);
    await api.delete(`${MAPS}/f-owner`, { propagationPolicy: "Foreground" });
    await eventually(async () => {
      expect((await api.get(`${MAPS}/f-child`)).metadata?.deletionTimestamp).toBeDefined();
    });
    expect((await api.get(`${MAPS}/f-owner`)).metadata?.finalizers).toEqual(["foregroundDeletion"]);
    await api.patch(`${MAPS}/f-child`, "merge-patch", { metadata: { finalizers: null } });
    await gone("f-child", "f-owner");
  });

  test("does not wait for dependents that do not block it", async () => {
    const owner = await map("n-owner");
    await map("n-child", [owned(owner)], ["example.com/held"]);
    await api.delete(`${MAPS}/n-owner`, { propagationPolicy: "Foreground" });
    await gone("n-owner");
    await api.patch(`${MAPS}/n-child`, "merge-patch", { metadata: { finalizers: null } });
    await gone("n-child");
  });

  test("waits for dependents of dependents", async () => {
    const owner = await map("g-1");
    const child = await map("g-2", [owned(owner, true)]);
    await map("g-3", [owned(child, true)]);
    await api.delete(`${MAPS}/g-1`, { propagationPolicy: "Foreground" });
    await gone("g-1", "g-2", "g-3");
  });

  test("goes on when a dependent stops blocking it", async () => {
    const owner = await map("u-owner");
    await map("u-child", [owned(owner, true)], ["example.com/held"]);
    await api.delete(`${MAPS}/u-owner`, { propagationPolicy: "Foreground" });
    await api.patch(`${MAPS}/u-child`, "merge-patch", { metadata: { ownerReferences: [{ ...owned(owner) }] } });
    await gone("u-owner");
    await api.patch(`${MAPS}/u-child`, "merge-patch", { metadata: { finalizers: null } });
    await gone("u-child");
  });

  test("only removes the owner from a dependent that has another owner", async () => {
    const [owner, other] = [await map("o-owner"), await map("o-other")];
    await map("o-child", [owned(owner, true), owned(other)]);
    await api.delete(`${MAPS}/o-owner`, { propagationPolicy: "Foreground" });
    await gone("o-owner");
    expect(await ownersOf("o-child")).toEqual([owned(other)]);
  });

  test("ends although owners wait for each other in a circle", async () => {
    const one = await map("circle-1");
    const two = await map("circle-2", [owned(one, true)]);
    await api.patch(`${MAPS}/circle-1`, "merge-patch", { metadata: { ownerReferences: [{ ...owned(two, true) }] } });
    await collectorPassed();
    expect(await find(`${MAPS}/circle-1`)).toBeDefined();
    await api.delete(`${MAPS}/circle-1`, { propagationPolicy: "Foreground" });
    await gone("circle-1", "circle-2");
  });
});

describe("deleting an owner with orphans", () => {
  test("removes the owner from its dependents, and keeps them", async () => {
    const owner = await map("r-owner");
    await map("r-child", [owned(owner, true)]);
    await api.delete(`${MAPS}/r-owner`, { propagationPolicy: "Orphan" });
    await gone("r-owner");
    expect(await ownersOf("r-child")).toBeUndefined();
  });

  test("is the default for a Job, whose pods stay", async () => {
    const spec = { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } };
    const job = await api.create("/apis/batch/v1/namespaces/default/jobs", { metadata: { name: "j" }, spec });
    await map("j-child", [owned(job)]);
    await api.delete("/apis/batch/v1/namespaces/default/jobs/j");
    await eventually(async () => expect(await find("/apis/batch/v1/namespaces/default/jobs/j")).toBeUndefined());
    expect(await ownersOf("j-child")).toBeUndefined();
  });
});

describe("an object with an owner in another namespace or scope", () => {
  test("is deleted when the owner is in another namespace, with an event", async () => {
    await api.create("/api/v1/namespaces", { metadata: { name: "elsewhere" } });
    const owner = await api.create("/api/v1/namespaces/elsewhere/configmaps", { metadata: { name: "far" } });
    const child = await map("near", [owned(owner)]);
    await gone("near");
    const { uid } = child.metadata ?? {};
    await eventually(async () => {
      const { items } = await api.list(`/api/v1/namespaces/default/events?fieldSelector=involvedObject.uid%3D${uid}`);
      expect(items.map(({ reason, message, type }) => ({ reason, message, type }))).toContainEqual({
        reason: "OwnerRefInvalidNamespace",
        message: `ownerRef [v1/ConfigMap, namespace: default, name: far, uid: ${owner.metadata?.uid}] does not exist in namespace "default"`,
        type: "Warning",
      });
    });
  });

  test("follows a cluster-scoped owner from any namespace", async () => {
    const role = await api.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name: "wide" } });
    await map("narrow", [owned(role)]);
    await collectorPassed();
    expect(await ownersOf("narrow")).toEqual([owned(role)]);
    await api.delete("/apis/rbac.authorization.k8s.io/v1/clusterroles/wide");
    await gone("narrow");
  });

  test("is left alone when it is cluster-scoped and the owner is in a namespace", async () => {
    const owner = await map("small");
    const metadata = { name: "large", ownerReferences: [owned(owner)] };
    await api.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata });
    await api.delete(`${MAPS}/small`);
    await collectorPassed();
    expect(await find("/apis/rbac.authorization.k8s.io/v1/clusterroles/large")).toBeDefined();
  });

  test("is kept when the kind of its owner is unknown", async () => {
    const strange = { apiVersion: "example.com/v1", kind: "Strange", name: "s", uid: crypto.randomUUID() };
    await map("strange-child", [strange]);
    await collectorPassed();
    expect(await ownersOf("strange-child")).toEqual([strange]);
    await api.delete(`${MAPS}/strange-child`);
    faults.splice(0);
  });
});
