import { expect, onTestFinished, test } from "vitest";
import { pause } from "../../src/base/pause.js";
import { eventBroadcaster, kubernetesClient, LeaderElector, Manager } from "../../src/client/index.js";
import { type ManualClock, manualClock, NotAtRestError, seededRandom, startCluster } from "../../src/cluster/index.js";
import { everyObject } from "../helpers/every-object.js";

const START = "2026-03-01T12:00:00Z";

/** A cluster without a socket, whose randomness and time repeat, and a client of it on the same clock. */
async function drivenCluster(errors: unknown[] = []) {
  const time = manualClock(START);
  const random = seededRandom("a seed");
  const cluster = await startCluster({ port: false, clock: time, random, onError: (error) => errors.push(error) });
  onTestFinished(() => cluster.close());
  const surroundings = { clock: time, timers: time, random: seededRandom("a client") };
  const client = kubernetesClient(cluster, surroundings);
  onTestFinished(() => client.close());
  return { cluster, client, time, surroundings };
}

test("time stands still until it is advanced, and each write has the time at which it fell due", async () => {
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

test("a leader renews its Lease through a day", async () => {
  const { cluster, client, surroundings } = await drivenCluster();
  const stopping = new AbortController();
  const elector = new LeaderElector({
    ...surroundings,
    client,
    identity: "one",
    retryPeriod: 60_000,
    renewDeadline: 120_000,
    leaseDuration: 180_000,
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

/** What a life of two hours leaves: owners and dependents, events, namespaces that go, a Lease and a Manager that reconciles. */
async function life(): Promise<string> {
  const errors: unknown[] = [];
  const { cluster, client, time, surroundings } = await drivenCluster(errors);
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
  const running = [
    manager.run(stopping.signal),
    elector.run(stopping.signal),
    everyMinute(time, stopping.signal, async (minute) => {
      const { name = "", uid = "" } = owner.metadata ?? {};
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid }];
      const runs = [1, 2, 3, 4].map((run) =>
        configMaps.create({ metadata: { name: `run-${minute}-${run}`, ...(run > 1 && { ownerReferences }) } }),
      );
      await Promise.all([...runs, configMaps.create({ metadata: { generateName: "any-" } })]);
      if (minute % 10 === 0) await namespaces.create({ metadata: { name: `ten-${minute}` } });
      if (minute % 20 === 0) await namespaces.delete(`ten-${minute - 10}`);
    }),
  ];
  await cluster.clock.advance("1h59m");
  await configMaps.delete("owner");
  await cluster.clock.advance("1m");
  const objects = await everyObject(client);
  stopping.abort();
  await Promise.all(running);
  await events.close();
  expect(errors).toEqual([]);
  return objects.map((object) => JSON.stringify(object)).join("\n");
}

test("two runs with the same seed leave the same objects, byte for byte", async () => {
  const first = await life();
  const second = await life();
  expect(first.split("\n").length).toBeGreaterThan(300);
  expect(first).toContain('"reason":"Seen"');
  expect(first).toContain('"name":"ten-120"');
  expect(first).not.toContain('"name":"ten-110"');
  expect(second).toBe(first);
});

test("a cluster that never comes to rest is reported with what keeps it busy", async () => {
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
      "under way: controller restless reconciles default/spin",
  );
  stopping.abort();
  await running;
});

test("a duration that is none is rejected, and so is a second call before the first has ended", async () => {
  const { cluster } = await drivenCluster();
  await expect(cluster.clock.advance("tomorrow")).rejects.toThrow(
    'the duration is "tomorrow"; give milliseconds or a text',
  );
  await expect(cluster.clock.advance(-1)).rejects.toThrow(RangeError);
  const first = cluster.clock.advance("1h");
  await expect(cluster.clock.advance("1h")).rejects.toThrow("the clock is being advanced");
  await first;
  expect(cluster.clock.now()).toBe(Date.parse(START) + 3_600_000);
});

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
