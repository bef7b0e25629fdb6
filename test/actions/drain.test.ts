import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { cordon, drain, type DrainEvent, DrainRefusedError, planDrain, uncordon } from "../../src/actions/index.js";
import { isNotFound, type KubeObject } from "../../src/client/index.js";
import { type ActionCluster, actionCluster, all, quickTimers } from "./action-cluster.js";

let running: ActionCluster;
/** Each test has a node of its own. */
let node = "";
let count = 0;

beforeAll(async () => {
  running = await actionCluster();
});
afterAll(() => running[Symbol.asyncDispose]());
beforeEach(async () => {
  node = `n${(count += 1)}`;
  await running.create({ apiVersion: "v1", kind: "Node", metadata: { name: node } });
});

const controller = (kind: string, { metadata }: KubeObject) => ({
  apiVersion: "apps/v1",
  kind,
  name: metadata?.name ?? "",
  uid: metadata?.uid ?? "",
  controller: true,
});

const template = {
  metadata: { labels: { app: "set" } },
  spec: { containers: [{ name: "main", image: "nginx" }] },
};

function pod(name: string, more: { metadata?: object; spec?: object } = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `${node}-${name}`, namespace: "default", ...more.metadata },
    spec: { nodeName: node, containers: [{ name: "main", image: "nginx" }], ...more.spec },
  };
}

/** Without a scheduler and a kubelet in the cluster, a set's pods are made here. */
const set = (kind: "ReplicaSet" | "DaemonSet"): Promise<KubeObject> =>
  running.create({
    apiVersion: "apps/v1",
    kind,
    metadata: { name: `${node}-${kind.toLowerCase()}`, namespace: "default" },
    spec: { selector: { matchLabels: { app: "set" } }, template },
  });

const shown = (event: DrainEvent): string => {
  if ("pod" in event) return `${event.type} ${event.pod.metadata?.name}${"reason" in event ? ` ${event.reason}` : ""}`;
  if (event.type === "planned") return `planned ${event.pods.length}`;
  return event.type === "cordoned" ? `cordoned ${event.changed}` : event.type;
};

const names = async (): Promise<readonly string[]> => {
  const { items } = await running.client
    .resource({ group: "", version: "v1", resource: "pods" })
    .list({ fieldSelector: `spec.nodeName=${node}` });
  return items.map(({ metadata }) => metadata?.name ?? "");
};

test("drain evicts the pods of a node and cordons it, but leaves pods of daemon sets and mirror pods", async () => {
  const { client } = running;
  const ownerReferences = [controller("ReplicaSet", await set("ReplicaSet"))];
  await running.create(
    pod("replica", { metadata: { ownerReferences } }),
    pod("daemon", { metadata: { ownerReferences: [controller("DaemonSet", await set("DaemonSet"))] } }),
    pod("mirror", { metadata: { annotations: { "kubernetes.io/config.mirror": "x" } } }),
  );
  const events = await all(drain({ client, node, ignoreDaemonSets: true, gracePeriodSeconds: 0 }));
  expect(events.map(shown)).toEqual([
    "cordoned true",
    `skipped ${node}-daemon daemonSet`,
    `skipped ${node}-mirror mirror`,
    "planned 1",
    `evicting ${node}-replica`,
    `evicted ${node}-replica`,
    "drained",
  ]);
  expect(await names()).toEqual([`${node}-daemon`, `${node}-mirror`]);
  const { spec } = await client.resource({ group: "", version: "v1", resource: "nodes" }).get(node);
  expect(spec).toMatchObject({ unschedulable: true });
});

test("a pod that drain may not evict stops the whole drain, and the error names the option that allows it", async () => {
  const ownerReferences = [controller("DaemonSet", await set("DaemonSet"))];
  await running.create(
    pod("daemon", { metadata: { ownerReferences } }),
    pod("local", { spec: { volumes: [{ name: "scratch", emptyDir: {} }] } }),
    pod("loose"),
  );
  const failure = await all(drain({ client: running.client, node })).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DrainRefusedError);
  const { message, refusals } = failure as DrainRefusedError;
  expect(refusals.map(({ reason }) => reason)).toEqual(["daemonSet", "localStorage", "noController"]);
  expect(message).toBe(
    `node "${node}" cannot be drained: pod default/${node}-daemon is managed by a DaemonSet (ignoreDaemonSets leaves it there); ` +
      `pod default/${node}-local has an emptyDir (deleteEmptyDirData removes it with its data); ` +
      `pod default/${node}-loose has no controller that creates it again (force removes it)`,
  );
  expect(await names()).toHaveLength(3);
});

test("planning a drain changes nothing", async () => {
  await running.create(pod("loose"));
  const plan = await planDrain({ client: running.client, node, force: true });
  expect(plan.map(({ decision, pod: { metadata } }) => [decision, metadata?.name])).toEqual([
    ["remove", `${node}-loose`],
  ]);
  expect(plan[0]).toMatchObject({ unmanaged: true });
  expect(await names()).toHaveLength(1);
});

test("a client-side dry run of drain ends with the plan, a server-side one sends each eviction as a dry run; both remove no pod", async () => {
  const { client } = running;
  await running.create(pod("loose"));
  const planned = await all(drain({ client, node, force: true, dryRun: "client" }));
  expect(planned.map(shown)).toEqual(["cordoned true", "planned 1", "drained"]);
  const tried = await all(drain({ client, node, force: true, dryRun: "server" }));
  expect(tried.map(shown)).toEqual(["cordoned true", "planned 1", `evicting ${node}-loose`, "drained"]);
  expect(await names()).toHaveLength(1);
});

test("drain retries an eviction that a disruption budget refuses every five seconds until the server accepts it", async () => {
  const { client } = running;
  await guardedPod();
  const budgets = client.resource({ group: "policy", version: "v1", resource: "poddisruptionbudgets" });
  const timers = quickTimers();
  const seen: string[] = [];
  for await (const event of drain({ client, node, force: true, gracePeriodSeconds: 0, timers })) {
    seen.push(shown(event));
    if (event.type !== "retrying") continue;
    expect(event).toMatchObject({ reason: "disruptionBudget", delay: 5000, error: { code: 429 } });
    await budgets.namespace("default").delete(node);
  }
  expect(seen.slice(2, 4)).toEqual([`evicting ${node}-guarded`, `retrying ${node}-guarded disruptionBudget`]);
  expect(seen.slice(-3)).toEqual([`evicting ${node}-guarded`, `evicted ${node}-guarded`, "drained"]);
  expect(timers.asked).toContain(5000);
});

test("drain ends at its time limit while a disruption budget refuses an eviction", async () => {
  await guardedPod();
  const timers = quickTimers();
  const draining = all(drain({ client: running.client, node, force: true, timeout: 12_000, timers }));
  await expect(draining).rejects.toThrow("global timeout reached: 12s");
  expect(await names()).toHaveLength(1);
});

test("a drain ends with the reason of its signal when the signal aborts", async () => {
  await guardedPod();
  const stop = new AbortController();
  const reason = new Error("the operator stops");
  const draining = (async () => {
    for await (const { type } of drain({ client: running.client, node, force: true, signal: stop.signal })) {
      if (type === "retrying") stop.abort(reason);
    }
  })();
  await expect(draining).rejects.toBe(reason);
});

test("a caller that stops reading drain's events stops the retries", async () => {
  await guardedPod();
  const timers = quickTimers();
  for await (const { type } of drain({ client: running.client, node, force: true, timers })) {
    if (type === "retrying") break;
  }
  const waits = timers.asked.length;
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(timers.asked).toHaveLength(waits);
});

test("drain without evictions deletes the pods, whatever disruption budgets say", async () => {
  await guardedPod();
  const options = { node, force: true, disableEviction: true, gracePeriodSeconds: 0 };
  const events = await all(drain({ client: running.client, ...options }));
  expect(events.map(shown).slice(2)).toEqual([`deleting ${node}-guarded`, `deleted ${node}-guarded`, "drained"]);
});

test("cordon and uncordon return whether they changed the node, and throw the server's 404 for a missing node", async () => {
  const { client } = running;
  expect(await cordon({ client, node })).toMatchObject({ changed: true, node: { spec: { unschedulable: true } } });
  expect(await cordon({ client, node })).toMatchObject({ changed: false });
  const back = await uncordon({ client, node });
  expect(back.changed).toBe(true);
  expect(back.node["spec"]).not.toHaveProperty("unschedulable");
  await expect(cordon({ client, node: "missing" })).rejects.toSatisfy(isNotFound);
});

/** A running pod that its budget never lets go. */
async function guardedPod(): Promise<void> {
  const guarded = await running.create(
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: node, namespace: "default" },
      spec: { minAvailable: 1, selector: { matchLabels: { on: node } } },
    },
    pod("guarded", { metadata: { labels: { on: node } } }),
  );
  const conditions = [{ type: "Ready", status: "True" }];
  await running.writeStatus(guarded, { phase: "Running", conditions });
}
