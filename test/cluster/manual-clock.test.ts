import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Filter } from "../../src/server/request/api-request.js";
import { deferred } from "../../src/base/async/deferred.js";
import { pause } from "../../src/base/time/pause.js";
import { eventBroadcaster, kubernetesClient, LeaderElector, Manager } from "../../src/client/index.js";
import {
  type ClusterOptions,
  type ManualClock,
  manualClock,
  NotAtRestError,
  seededRandom,
  startCluster,
} from "../../src/cluster/index.js";
import { everyObject } from "../helpers/every-object.js";

const START = "2026-03-01T12:00:00Z";

/** A cluster without a socket, whose randomness and time repeat, and a client of it on the same clock. */
async function drivenCluster(options: ClusterOptions = {}) {
  const time = manualClock(START);
  const cluster = await startCluster({ port: false, ...options, clock: time, random: seededRandom("a seed") });
  onTestFinished(() => cluster.close());
  const surroundings = { clock: time, timers: time, random: seededRandom("a client") };
  const client = kubernetesClient(cluster, surroundings);
  onTestFinished(() => client.close());
  return { cluster, client, time, surroundings };
}

test("on a manual clock, the cluster's time stands still until a test advances it, and each write has the time at which it was due", async () => {
  const { cluster, client, time } = await drivenCluster();
  const configMaps = client.of("v1", "ConfigMap").namespace("default");
  const signal = new AbortController();
  const writing = everyMinute(time, signal.signal, async (minute) => {
    await configMaps.create({ metadata: { name: `minute-${minute}` } });
  });
  await cluster.clock.atRest();
  expect(cluster.clock.now()).toBe(Date.parse(START));
  await cluster.clock.advance("2m30s");
  expect(new Date(cluster.clock.now()).toISOString()).toBe("2026-03-01T12:02:30.000Z");
  const { items } = await configMaps.list({});
  const written = items.filter(({ metadata }) => metadata?.name?.startsWith("minute-"));
  expect(written.map(({ metadata }) => [metadata?.name, metadata?.creationTimestamp])).toEqual([
    ["minute-1", "2026-03-01T12:01:00Z"],
    ["minute-2", "2026-03-01T12:02:00Z"],
  ]);
  signal.abort();
  await writing;
});

test("on a manual clock, a leader renews its Lease through a day", async () => {
  const { cluster, client, surroundings } = await drivenCluster();
  const stopping = new AbortController();
  const elector = new LeaderElector({
    ...surroundings,
    client,
    identity: "one",
    retryPeriod: 300_000,
    renewDeadline: 600_000,
    leaseDuration: 900_000,
    lease: { namespace: "default", name: "work" },
    onStartedLeading: () => {},
  });
  const running = elector.run(stopping.signal);
  await cluster.clock.advance("24h");
  const lease = await client.of("coordination.k8s.io/v1", "Lease").namespace("default").get("work");
  expect(lease.spec).toMatchObject({
    holderIdentity: "one",
    acquireTime: "2026-03-01T12:00:00.000000Z",
    renewTime: "2026-03-02T12:00:00.000000Z",
    leaseTransitions: 0,
  });
  stopping.abort();
  await running;
});

/**
 * What a life of twelve minutes leaves: owners and dependents, events, namespaces that go, a Lease, a Manager that reconciles, a node
 * with a pod, a custom kind, and a policy, whose modules load late.
 */
async function life(): Promise<string> {
  const errors: unknown[] = [];
  const { cluster, client, time, surroundings } = await drivenCluster({
    nodes: [{ name: "node" }],
    onError: (error) => errors.push(error),
  });
  const configMaps = client.of("v1", "ConfigMap").namespace("default");
  const owner = await configMaps.create({ metadata: { name: "owner" } });
  const events = eventBroadcaster({ ...surroundings, client });
  const recorder = events.recorder({ component: "test" });
  const stopping = new AbortController();
  const manager = new Manager(client, surroundings);
  manager
    .controllerFor("v1", "ConfigMap", { namespace: "default" })
    .workers(4)
    .reconcile(async ({ object, name }) => {
      if (object === undefined || !name.startsWith("run-")) return;
      const age = time.now() - Date.parse(object.metadata?.creationTimestamp ?? "");
      if (object.data === undefined) {
        await configMaps.update({ ...object, data: { seen: new Date(time.now()).toISOString() } });
        recorder.event(object, "Normal", "Seen", `saw ${name}`);
      }
      if (age < 300_000) return { requeueAfterMilliseconds: 300_000 - age };
      await configMaps.delete(name);
    });
  const elector = new LeaderElector({
    ...surroundings,
    client,
    identity: "one",
    lease: { namespace: "default", name: "work" },
    onStartedLeading: () => {},
  });
  const namespaces = client.of("v1", "Namespace");
  for (const object of [WIDGETS, POLICY, BINDING]) await (await client.resourceFor(object)).create(object);
  await client
    .of("v1", "Pod")
    .namespace("default")
    .create({
      metadata: { name: "pod" },
      spec: { containers: [{ name: "sh", image: "busybox", args: ["sleep", "600"] }] },
    });
  const running = [
    manager.run(stopping.signal),
    elector.run(stopping.signal),
    everyMinute(time, stopping.signal, async (minute) => {
      const { name, uid } = owner.metadata ?? {};
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid }];
      const runs = [1, 2, 3, 4].map((run) =>
        configMaps.create({ metadata: { name: `run-${minute}-${run}`, ...(run > 1 && { ownerReferences }) } }),
      );
      await Promise.all([...runs, configMaps.create({ metadata: { generateName: "any-" } })]);
      await client
        .resource(WIDGET_RESOURCE)
        .namespace("default")
        .create({
          apiVersion: "example.com/v1",
          kind: "Widget",
          metadata: { name: `widget-${minute}`, ...(minute % 2 === 0 && { ownerReferences }) },
        });
      if (minute % 5 === 0) await namespaces.create({ metadata: { name: `new-${minute}` } });
      if (minute % 10 === 0) await namespaces.delete(`new-${minute - 5}`);
    }),
  ];
  await cluster.clock.advance("11m");
  await configMaps.delete("owner");
  await cluster.clock.advance("1m");
  const objects = await everyObject(client);
  stopping.abort();
  await Promise.all(running);
  await events.close();
  expect(errors).toEqual([]);
  return objects.map((object) => JSON.stringify(object)).join("\n");
}

test("on a manual clock, two runs of a cluster with the same seed leave the same objects, byte for byte", async () => {
  const first = await life();
  const second = await life();
  expect(first.split("\n").length).toBeGreaterThan(150);
  expect(first).toContain('"reason":"Seen"');
  expect(first).toContain('"name":"new-10"');
  expect(first).not.toContain('"name":"new-5"');
  expect(second).toBe(first);
});

test("on a manual clock, the cluster's time stands still while it writes to a disk", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kubets-clock-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const { cluster, client, time } = await drivenCluster({ storage: "disk", dataDir });
  const configMaps = client.of("v1", "ConfigMap").namespace("default");
  const stopping = new AbortController();
  const writing = everyMinute(time, stopping.signal, async (minute) => {
    await configMaps.create({ metadata: { name: `minute-${minute}` } });
    await configMaps.update({
      metadata: { name: `minute-${minute}` },
      data: { at: new Date(time.now()).toISOString() },
    });
  });
  await cluster.clock.advance("10m");
  const { data, metadata } = await configMaps.get("minute-10");
  expect([metadata?.creationTimestamp, data?.["at"]]).toEqual(["2026-03-01T12:10:00Z", "2026-03-01T12:10:00.000Z"]);
  stopping.abort();
  await writing;
});

test("on a manual clock, the cluster's time waits for real work of code outside of it", async () => {
  const { cluster, client, time, surroundings } = await drivenCluster({
    filters: [
      {
        name: "slow",
        filter: (next) => async (request) => {
          if (request.exchange.method === "PATCH") await sleep(30);
          await next(request);
        },
      },
    ],
  });
  const configMaps = client.of("v1", "ConfigMap").namespace("default");
  await configMaps.create({ metadata: { name: "slow" } });
  const stopping = new AbortController();
  const seen: string[] = [];
  const manager = new Manager(client, surroundings);
  manager.controllerFor("v1", "ConfigMap", { namespace: "default" }).reconcile(async ({ name }) => {
    if (name !== "slow") return;
    await sleep(20);
    seen.push(new Date(time.now()).toISOString());
    if (seen.length === 1) await configMaps.patch("slow", { data: { patched: "yes" } }, { type: "merge" });
  });
  const running = manager.run(stopping.signal);
  await cluster.clock.advance("1h");
  expect(seen).toEqual(["2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00.000Z"]);
  stopping.abort();
  await running;
});

test("on a manual clock, a cluster closes although a request still waits for its time limit", async () => {
  const stuck = deferred<void>();
  const filter: Filter = (next) => (request) => {
    if (request.exchange.method !== "PATCH") return next(request);
    stuck.resolve();
    return new Promise(() => {});
  };
  const { cluster, client } = await drivenCluster({ filters: [{ name: "stuck", after: "deadline", filter }] });
  const patching = client.of("v1", "ConfigMap").namespace("default").patch("stuck", {}, { type: "merge" });
  const failing = expect(patching).rejects.toMatchObject({ code: 504 });
  await stuck.promise;
  await cluster.close();
  await failing;
  // A write has so much time.
  expect(cluster.clock.now()).toBe(Date.parse(START) + 34_000);
});

test("on a manual clock, a cluster that never comes to rest throws an error that names its open work", async () => {
  const { cluster, client, surroundings } = await drivenCluster();
  const configMaps = client.of("v1", "ConfigMap").namespace("default");
  const stopping = new AbortController();
  const manager = new Manager(client, surroundings);
  manager
    .controllerFor("v1", "ConfigMap", { namespace: "default" })
    .named("restless")
    .reconcile(async ({ object }) => {
      if (object?.metadata?.name !== "spin") return;
      const turns = Number(object.data?.["turns"] ?? 0) + 1;
      await configMaps.update({ ...object, data: { turns: String(turns) } });
    });
  const running = manager.run(stopping.signal);
  await cluster.clock.atRest();
  await configMaps.create({ metadata: { name: "spin" } });
  const advancing = cluster.clock.advance("1h", { mostTurns: 2000 });
  await expect(advancing).rejects.toThrow(NotAtRestError);
  await expect(advancing).rejects.toThrow(
    "the cluster does not come to rest at 2026-03-01T12:00:00.000Z: 2000 turns of the event loop were taken; " +
      "under way: controller restless reconciles default/spin, the request PUT /api/v1/namespaces/default/configmaps/spin",
  );
  stopping.abort();
  await running;
});

test("on a manual clock, an invalid duration and a second concurrent advance are refused", async () => {
  const { cluster } = await drivenCluster();
  await expect(cluster.clock.advance("tomorrow")).rejects.toThrow(
    'the duration is "tomorrow"; give milliseconds or a text',
  );
  await expect(cluster.clock.advance(-1)).rejects.toThrow(RangeError);
  const first = cluster.clock.advance("1h");
  await expect(cluster.clock.advance("1h")).rejects.toThrow("the clock is already being advanced");
  await first;
  expect(cluster.clock.now()).toBe(Date.parse(START) + 3_600_000);
});

const WIDGET_RESOURCE = { group: "example.com", version: "v1", resource: "widgets" };
const WIDGETS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const POLICY = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "names" },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    },
    validations: [{ expression: "size(object.metadata.name) < 50" }],
  },
};
const BINDING = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name: "names" },
  spec: { policyName: "names", validationActions: ["Deny"] },
};

/** Calls `work` every minute of the clock, until the signal aborts. */
async function everyMinute(
  time: ManualClock,
  signal: AbortSignal,
  work: (minute: number) => Promise<unknown>,
): Promise<void> {
  for (let minute = 1; ; minute++) {
    await pause(time, 60_000, signal);
    if (signal.aborted) return;
    await work(minute);
  }
}
