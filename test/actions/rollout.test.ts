import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  rolloutHistory,
  rolloutPause,
  RolloutRefusedError,
  rolloutRestart,
  rolloutResume,
  rolloutStatus,
  rolloutUndo,
  TimedOutError,
} from "../../src/actions/index.js";
import { isNotFound, type KubeObject } from "../../src/client/index.js";
import { FixedClock } from "../helpers/fixed-clock.js";
import { type ActionCluster, actionCluster, all, quickTimers } from "./action-cluster.js";

let running: ActionCluster;
/** Each test has a deployment of its own. */
let name = "";
let count = 0;

beforeAll(async () => {
  running = await actionCluster();
});
afterAll(() => running[Symbol.asyncDispose]());
beforeEach(() => {
  name = `web-${(count += 1)}`;
});

const podTemplate = (image: string) => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: "main", image }] },
});

const deployment = (image = "nginx:2"): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default", annotations: { "deployment.kubernetes.io/revision": "2" } },
  spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: podTemplate(image) },
});

/** What the deployment controller keeps of a revision. */
const replicaSet = ({ metadata }: KubeObject, revision: number): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name: `${name}-${revision}`,
    namespace: "default",
    labels: { app: name },
    annotations: { "deployment.kubernetes.io/revision": `${revision}`, "kubernetes.io/change-cause": `r${revision}` },
    ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name, uid: metadata?.uid ?? "", controller: true }],
  },
  spec: { replicas: 0, selector: { matchLabels: { app: name } }, template: podTemplate(`nginx:${revision}`) },
});

const reference = () => ({ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name });
const live = (): Promise<KubeObject> =>
  running.client.resource({ group: "apps", version: "v1", resource: "deployments" }).namespace("default").get(name);
const imageOf = (object: KubeObject): string =>
  (object["spec"] as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers[0]?.image ??
  "";

test("rollout status yields each step of a rollout and ends when the rollout is complete", async () => {
  const { client } = running;
  const made = await running.create(deployment());
  const observedGeneration = made.metadata?.generation ?? 1;
  const next = [
    { observedGeneration, replicas: 2, updatedReplicas: 1 },
    { observedGeneration, replicas: 3, updatedReplicas: 2 },
    { observedGeneration, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1 },
    { observedGeneration, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
  ];
  const steps: unknown[] = [];
  for await (const { object, ...status } of rolloutStatus({ client, object: reference() })) {
    steps.push(status);
    const then = next.shift();
    if (then !== undefined) await running.writeStatus(object, then);
  }
  expect(steps).toEqual([
    { step: "unobserved" },
    { step: "updating", updated: 1, wanted: 2 },
    { step: "terminating", old: 1 },
    { step: "unavailable", available: 1, wanted: 2 },
    { step: "complete", updated: 2 },
  ]);
});

test("rollout status without watch yields one step", async () => {
  await running.create(deployment());
  const steps = await all(rolloutStatus({ client: running.client, object: reference(), watch: false }));
  expect(steps.map(({ step }) => step)).toEqual(["unobserved"]);
});

test("rollout status throws when the deadline passed, the revision changed or the object was deleted", async () => {
  const { client } = running;
  const made = await running.create(deployment());
  const object = reference();
  await expect(all(rolloutStatus({ client, object, revision: 7 }))).rejects.toThrow(
    "desired revision (7) is different from the running revision (2)",
  );
  const deleting = (async () => {
    for await (const { object: now } of rolloutStatus({ client, object })) {
      await (await client.resourceFor(now)).delete(name);
    }
  })();
  await expect(deleting).rejects.toThrow("object has been deleted");

  await running.create(deployment());
  const conditions = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }];
  await running.writeStatus(made, { observedGeneration: 1, conditions });
  await expect(all(rolloutStatus({ client, object }))).rejects.toThrow("exceeded its progress deadline");
});

test("rollout status throws a TimedOutError at its time limit, its signal's reason, and the 404 of a missing object", async () => {
  const { client } = running;
  await expect(all(rolloutStatus({ client, object: reference() }))).rejects.toSatisfy(isNotFound);
  await running.create(deployment());
  const limited = all(rolloutStatus({ client, object: reference(), timeout: 5000, timers: quickTimers() }));
  await expect(limited).rejects.toBeInstanceOf(TimedOutError);
  const stop = new AbortController();
  const reason = new Error("the operator stops");
  const stopped = (async () => {
    for await (const _ of rolloutStatus({ client, object: reference(), signal: stop.signal })) stop.abort(reason);
  })();
  await expect(stopped).rejects.toBe(reason);
});

test("rollout history lists each revision once, the oldest first, with its change-cause and template", async () => {
  const { client } = running;
  const made = await running.create(deployment());
  await running.create(replicaSet(made, 2), replicaSet(made, 1));
  const revisions = await rolloutHistory({ client, object: reference() });
  expect(revisions.map(({ number, changeCause }) => [number, changeCause])).toEqual([
    [1n, "r1"],
    [2n, "r2"],
  ]);
  expect(revisions[0]?.shownTemplate()).toMatchObject({ spec: { containers: [{ image: "nginx:1" }] } });
});

test("rollout history leaves out and reports a ReplicaSet whose revision is not a number", async () => {
  const { client } = running;
  const made = await running.create(deployment());
  const odd = replicaSet(made, 1);
  await running.create({
    ...odd,
    metadata: { ...odd.metadata, annotations: { "deployment.kubernetes.io/revision": "one" } },
  });
  const left: string[] = [];
  const onUnreadable = (set: string, reason: string): void => void left.push(`${set}: ${reason}`);
  expect(await rolloutHistory({ client, object: reference(), onUnreadable })).toEqual([]);
  expect(left).toEqual([expect.stringMatching(/^web-\d+-1: unable to get revision .* parsing "one": invalid syntax$/)]);
});

test("rollout undo returns to the previous revision, or to the one that the caller names", async () => {
  const { client } = running;
  const made = await running.create(deployment());
  await running.create(replicaSet(made, 1), replicaSet(made, 2));
  const object = reference();
  const planned = await rolloutUndo({ client, object, dryRun: "client" });
  expect(planned).toMatchObject({ type: "planned" });
  expect(planned.template()).toMatchObject({ spec: { containers: [{ image: "nginx:1" }] } });
  expect((await rolloutUndo({ client, object, dryRun: "server" })).type).toBe("rolledBack");
  expect(imageOf(await live())).toBe("nginx:2");

  expect((await rolloutUndo({ client, object })).type).toBe("rolledBack");
  expect(imageOf(await live())).toBe("nginx:1");
  expect((await rolloutUndo({ client, object, toRevision: 1 })).type).toBe("unchanged");
  await rolloutUndo({ client, object, toRevision: 2n });
  expect(imageOf(await live())).toBe("nginx:2");
  await expect(rolloutUndo({ client, object, toRevision: 9 })).rejects.toThrow(
    "unable to find specified revision 9 in history",
  );
});

test("a paused deployment can neither be restarted nor undone until it is resumed", async () => {
  const { client } = running;
  const made = await running.create(deployment());
  await running.create(replicaSet(made, 1), replicaSet(made, 2));
  const object = reference();
  expect(await rolloutPause({ client, object })).toMatchObject({ changed: true, object: { spec: { paused: true } } });
  await expect(rolloutPause({ client, object })).rejects.toThrow(`deployments.apps "${name}" is already paused`);
  await expect(rolloutRestart({ client, object })).rejects.toBeInstanceOf(RolloutRefusedError);
  await expect(rolloutUndo({ client, object })).rejects.toThrow("cannot rollback a paused deployment");
  expect((await rolloutResume({ client, object })).object["spec"]).not.toHaveProperty("paused");
  await expect(rolloutResume({ client, object })).rejects.toThrow("is not paused");
});

test("rollout restart writes the time into the pod template; a second restart within the same second changes nothing", async () => {
  const { client } = running;
  await running.create(deployment());
  const clock = new FixedClock(Date.UTC(2026, 0, 31, 12));
  const annotations = { "kubectl.kubernetes.io/restartedAt": "2026-01-31T12:00:00Z" };
  const object = reference();
  expect(await rolloutRestart({ client, object, clock })).toMatchObject({
    changed: true,
    object: { spec: { template: { metadata: { annotations } } } },
  });
  expect((await rolloutRestart({ client, object, clock })).changed).toBe(false);
  clock.advance(1000);
  expect((await rolloutRestart({ client, object, clock })).changed).toBe(true);
});

test("rollout commands refuse a kind without rollouts, and name it", async () => {
  const { client } = running;
  const object = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name };
  await running.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } });
  await expect(rolloutRestart({ client, object })).rejects.toThrow("restarting is not supported");
  await expect(all(rolloutStatus({ client, object }))).rejects.toThrow("no status viewer has been implemented");
  await expect(rolloutHistory({ client, object })).rejects.toThrow('error retrieving history for "ConfigMap"');
});
