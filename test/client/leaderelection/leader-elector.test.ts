import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isNotFound } from "../../../src/client/index.js";
import { eventBroadcaster } from "../../../src/client/events/index.js";
import {
  isLeadershipLost,
  LeaderElector,
  type LeaderElectorOptions,
  readElectionRecord,
} from "../../../src/client/leaderelection/index.js";
import type { TransportRequest } from "../../../src/client/transport/transport.js";
import { type Fate, type Host, World } from "./world.js";

let start: Awaited<ReturnType<typeof World.start>>;
let world: World;
let lease: { readonly namespace: string; readonly name: string };
let leases = 0;

beforeAll(async () => {
  start = await World.start();
});
afterAll(() => start.close());
beforeEach(() => {
  world = start.world();
  leases += 1;
  lease = { namespace: "default", name: `lease-${leases}` };
});

/** A host with an elector that runs, and all that it called. */
interface Running {
  readonly host: Host;
  readonly elector: LeaderElector;
  readonly stop: AbortController;
  /** "started", "stopped", "leader a", "resolved", and texts of errors, in order. */
  readonly log: string[];
  readonly errors: unknown[];
  /** Of the last term. */
  signal: AbortSignal;
}

function run(name: string, options: Partial<LeaderElectorOptions> = {}, host = world.host(name)): Running {
  const { onStartedLeading, ...others } = options;
  const [log, errors]: [string[], unknown[]] = [[], []];
  const elector = host.elector({
    lease,
    onStartedLeading: (signal) => {
      running.signal = signal;
      log.push("started");
      return onStartedLeading?.(signal);
    },
    onStoppedLeading: () => log.push("stopped"),
    onNewLeader: (identity) => log.push(`leader ${identity}`),
    onError: (error) => errors.push(error),
    ...others,
  });
  const stop = new AbortController();
  const running: Running = { host, elector, stop, log, errors, signal: AbortSignal.abort() };
  elector.run(stop.signal).then(
    () => log.push("resolved"),
    (error: Error) => {
      errors.push(error);
      log.push(error.message);
    },
  );
  return running;
}

const objects = () =>
  world.client.resource({ group: "coordination.k8s.io", version: "v1", resource: "leases" }).namespace("default");
const record = async (): Promise<ReturnType<typeof readElectionRecord>> =>
  readElectionRecord(await objects().get(lease.name));
const leading = (...all: Running[]): string[] =>
  all.filter(({ elector }) => elector.isLeader()).map(({ host }) => host.name);
const writes = ({ method }: TransportRequest): boolean => method === "PUT" || method === "POST";
/** That fate for requests that match; the next ones only, where a number is given. */
const fate = (matches: (request: TransportRequest) => boolean, suffered: Fate, times = Infinity) => {
  let left = times;
  return (request: TransportRequest): Fate => (matches(request) && left-- > 0 ? suffered : {});
};
const everything = (): boolean => true;
const REFUSED: Fate = { outcome: "refused" };

describe("the Lease of a leader election", () => {
  test("is created by the first candidate, with the fields that client-go writes", async () => {
    const a = run("a");
    await world.pass(100);
    expect(leading(a)).toEqual(["a"]);
    expect((await objects().get(lease.name))["spec"]).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.010000Z",
      renewTime: "2026-01-01T00:00:00.010000Z",
      leaseTransitions: 0,
    });
  });

  test("is renewed every retry period, and keeps the time and number of the acquisition", async () => {
    run("a");
    await world.pass(4500);
    expect(await record()).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.010000Z",
      renewTime: "2026-01-01T00:00:04.030000Z",
      leaderTransitions: 0,
    });
  });

  test("changes with every renewal of a leader whose clock stands still", async () => {
    const host = world.host("a");
    const a = run("a", { clock: { now: () => 0 } }, host);
    const b = run("b");
    await world.pass(60_000);
    expect(leading(a, b)).toEqual(["a"]);
  });

  test("keeps labels when another program wrote it", async () => {
    const labels = { app: "operator" };
    const metadata = { name: lease.name, labels };
    await objects().create({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata });
    const a = run("a");
    await world.pass(100);
    expect(leading(a)).toEqual(["a"]);
    expect((await objects().get(lease.name)).metadata?.labels).toEqual(labels);
  });

  test("has a duration of at least one whole second", async () => {
    run("a", { leaseDuration: 300, renewDeadline: 200, retryPeriod: 50 });
    await world.pass(100);
    expect((await record())?.leaseDurationSeconds).toBe(1);
  });
});

describe("a candidate of a leader election", () => {
  test("that comes second sees the Lease of the first and waits", async () => {
    const [a, b] = [run("a"), run("b")];
    await world.pass(60_000);
    expect(leading(a, b)).toEqual(["a"]);
    expect([a.log, b.log]).toEqual([["leader a", "started"], ["leader a"]]);
    expect([a.elector.leader, b.elector.leader]).toEqual(["a", "a"]);
    expect([...a.errors, ...b.errors]).toEqual([]);
  });

  test("takes over from a dead leader after the lease duration and a retry, and counts the transition", async () => {
    const [a, b] = [run("a"), run("b")];
    await world.pass(10_000);
    a.host.die();
    await world.pass(12_900);
    expect(leading(b)).toEqual([]);
    await world.pass(6_600);
    expect(leading(b)).toEqual(["b"]);
    expect((await record())?.leaderTransitions).toBe(1);
    expect(b.log).toEqual(["leader a", "leader b", "started"]);
  });

  test("waits for the duration that the Lease names, not for its own", async () => {
    run("a", { leaseDuration: 60_000 }).host.later(5000, () => world.hosts[0]?.die());
    const b = run("b");
    await world.pass(60_000);
    expect(leading(b)).toEqual([]);
    await world.pass(10_000);
    expect(leading(b)).toEqual(["b"]);
  });

  test.each([
    ["an hour ahead", 3_600_000],
    ["an hour behind", -3_600_000],
    ["ten years behind", -315_360_000_000],
  ])("whose clock is %s does not take over from a living leader", async (_, skew) => {
    const a = run("a");
    const b = run("b", {}, world.host("b", { skew }));
    await world.pass(60_000);
    expect(leading(a, b)).toEqual(["a"]);
    a.host.die();
    await world.pass(20_000);
    expect(leading(b)).toEqual(["b"]);
  });

  test("whose clock jumps does not take over from a living leader", async () => {
    const [a, b] = [run("a"), run("b")];
    await world.pass(10_000);
    b.host.setClock(3_600_000);
    await world.pass(10_000);
    b.host.setClock(-3_600_000);
    await world.pass(10_000);
    expect(leading(a, b)).toEqual(["a"]);
  });

  test("that finds the Lease deleted waits until the holder must have noticed", async () => {
    const [a, b] = [run("a"), run("b")];
    await world.pass(10_000);
    a.host.stop();
    await objects().delete(lease.name);
    await world.pass(9_000);
    expect(leading(b)).toEqual([]);
    await world.pass(10_000);
    expect(leading(b)).toEqual(["b"]);
  });

  test("that acquired the Lease by a request without an answer leads after its next attempt", async () => {
    const host = world.host("a");
    host.network = fate(writes, { outcome: "lost" }, 1);
    const a = run("a", {}, host);
    const b = run("b");
    await world.pass(5_000);
    expect(leading(a, b)).toEqual(["a"]);
    expect((await record())?.leaderTransitions).toBe(0);
  });

  test("that was stopped while its acquiring request was answered does not lead by that answer", async () => {
    const host = world.host("a");
    host.network = fate(writes, { after: 50 }, 1);
    const a = run("a", {}, host);
    await world.pass(40);
    host.stop();
    await world.pass(30_000);
    host.network = fate(everything, REFUSED);
    host.continue();
    await world.pass(100);
    expect([leading(a), a.log]).toEqual([[], ["leader a"]]);
  });

  test("whose requests are refused reports the reason, and retries", async () => {
    const a = run("a", { lease: { namespace: "nowhere", name: "a" } });
    await world.pass(10_000);
    expect(a.errors.length).toBeGreaterThan(1);
    expect(a.errors[0]).toSatisfy(isNotFound);
    expect(String(a.errors[0])).toContain('namespaces "nowhere" not found');
    a.stop.abort();
    await world.pass(100);
    expect(a.log).toEqual(["resolved"]);
  });
});

describe("a leader", () => {
  test("stops the work by itself when the deadline has passed since the last renewal was sent", async () => {
    const a = run("a");
    await world.pass(4_500);
    a.host.network = fate(everything, REFUSED);
    // The last renewal was sent at 4,030 ms.
    await world.pass(14_029 - 4_500);
    expect([a.signal.aborted, a.elector.isLeader()]).toEqual([false, true]);
    await world.pass(1);
    expect([a.signal.aborted, a.elector.isLeader()]).toEqual([true, false]);
    const lost = `leader election lost: lease default/${lease.name} was not renewed within 10000 ms`;
    expect(a.log).toEqual(["leader a", "started", "stopped", lost]);
    const error = a.errors.at(-1);
    expect([isLeadershipLost(error), String((error as Error).cause)]).toEqual([
      true,
      expect.stringContaining("connection refused"),
    ]);
  });

  test("that was suspended knows before any of its timers has fired", async () => {
    const a = run("a");
    await world.pass(4_500);
    let found: unknown;
    a.host.later(100, () => {
      found = [a.elector.isLeader(), a.signal.aborted];
    });
    a.host.stop();
    const b = run("b");
    await world.pass(60_000);
    expect(leading(b)).toEqual(["b"]);
    a.host.continue();
    await world.pass(0);
    expect(found).toEqual([false, true]);
    await world.pass(10_000);
    expect(leading(a, b)).toEqual(["b"]);
  });

  test("that was suspended does not lead by a renewal that was answered meanwhile", async () => {
    const a = run("a");
    await world.pass(4_500);
    a.host.network = fate(writes, { after: 600 }, 1);
    await world.pass(2_000);
    a.host.stop();
    await world.pass(11_000);
    a.host.order = (due) => due.toReversed();
    a.host.continue();
    await world.pass(0);
    expect([a.elector.isLeader(), a.signal.aborted]).toEqual([false, true]);
  });

  test("whose machine slept, so that only its wall clock went on, no longer leads", async () => {
    const a = run("a", {}, world.host("a", { rate: 1 }));
    await world.pass(4_500);
    a.host.setClock(10_000);
    expect([a.elector.isLeader(), a.signal.aborted]).toEqual([false, true]);
  });

  test("whose clock is set back leads on, and stops at the same time", async () => {
    const a = run("a");
    await world.pass(4_500);
    a.host.setClock(-3_600_000);
    await world.pass(30_000);
    expect(leading(a)).toEqual(["a"]);
    a.host.network = fate(everything, REFUSED);
    await world.pass(10_000);
    expect(a.signal.aborted).toBe(true);
  });

  test("keeps leading when the answer to a renewal is lost", async () => {
    const a = run("a");
    await world.pass(1_000);
    a.host.network = fate(writes, { outcome: "lost" }, 1);
    await world.pass(30_000);
    expect([leading(a), a.log, a.errors]).toEqual([["a"], ["leader a", "started"], []]);
    expect((await record())?.leaderTransitions).toBe(0);
  });

  test("gives up a request that hangs in time for another one", async () => {
    const a = run("a");
    await world.pass(1_000);
    a.host.network = fate(everything, { outcome: "hangs" }, 1);
    await world.pass(60_000);
    expect([leading(a), a.errors.map(String)]).toEqual([["a"], ["Error: no answer within 5000 ms"]]);
  });

  test("stops at once when the Lease names another holder", async () => {
    const a = run("a");
    await world.pass(1_000);
    await objects().patch(lease.name, { spec: { holderIdentity: "b" } }, { type: "merge" });
    await world.pass(2_000);
    expect(a.log).toEqual([
      "leader a",
      "started",
      "leader b",
      "stopped",
      `leader election lost: lease default/${lease.name} is held by b`,
    ]);
  });

  test("writes the Lease again when it was deleted", async () => {
    const a = run("a");
    await world.pass(1_000);
    await objects().delete(lease.name);
    await world.pass(2_000);
    expect([leading(a), (await record())?.holderIdentity]).toEqual([["a"], "a"]);
  });
});

describe("a leader whose signal aborts", () => {
  test("keeps the Lease until its work has ended, then releases it, and another leads within a retry", async () => {
    let end = () => {};
    const work = () => new Promise<void>((resolve) => (end = resolve));
    const a = run("a", { onStartedLeading: work });
    await world.pass(1_000);
    const b = run("b");
    await world.pass(1_000);
    a.stop.abort();
    await world.pass(60_000);
    expect([leading(a, b), a.signal.aborted, a.log]).toEqual([["a"], true, ["leader a", "started"]]);
    end();
    await world.pass(100);
    expect([leading(a, b), a.log.slice(2)]).toEqual([[], ["stopped", "resolved"]]);
    expect(await record()).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaderTransitions: 0 });
    await world.pass(4_400);
    expect(leading(a, b)).toEqual(["b"]);
    expect((await record())?.leaderTransitions).toBe(1);
  });

  test("stops also when it can no longer renew the Lease", async () => {
    const a = run("a", { onStartedLeading: () => new Promise(() => {}) });
    await world.pass(1_000);
    a.stop.abort();
    a.host.network = fate(everything, REFUSED);
    await world.pass(10_000);
    expect(a.log.at(-1)).toContain("leader election lost");
  });

  test("releases the Lease also when an abandoned renewal arrives later", async () => {
    const a = run("a");
    await world.pass(1_900);
    a.host.network = fate(writes, { before: 128 }, 1);
    await world.pass(200);
    a.stop.abort();
    await world.pass(1_000);
    expect([a.log.at(-1), (await record())?.holderIdentity]).toEqual(["resolved", ""]);
  });

  test("does not change a Lease that another holds", async () => {
    const a = run("a");
    await world.pass(1_000);
    await objects().patch(lease.name, { spec: { holderIdentity: "b" } }, { type: "merge" });
    a.stop.abort();
    await world.pass(1_000);
    expect([a.log.at(-1), (await record())?.holderIdentity]).toEqual(["resolved", "b"]);
  });

  test("releases a Lease that its first, unanswered request may have acquired", async () => {
    const host = world.host("a");
    host.network = fate(writes, { after: 1_000 });
    const a = run("a", {}, host);
    await world.pass(500);
    expect((await record())?.holderIdentity).toBe("a");
    a.stop.abort();
    await world.pass(2_000);
    expect([a.log, (await record())?.holderIdentity]).toEqual([["resolved"], ""]);
  });

  test("keeps the Lease with releaseOnCancel: false", async () => {
    const a = run("a", { releaseOnCancel: false });
    await world.pass(1_000);
    a.stop.abort();
    await world.pass(1_000);
    expect([a.log.at(-1), (await record())?.holderIdentity, leading(a)]).toEqual(["resolved", "a", []]);
  });

  test("may end its work with the signal's reason", async () => {
    const work = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const a = run("a", { onStartedLeading: work });
    await world.pass(1_000);
    a.stop.abort();
    await world.pass(1_000);
    expect([a.log.at(-1), a.errors]).toEqual(["resolved", []]);
  });
});

describe("the work of a leader", () => {
  test("ends the leadership when it throws, and run() rejects with its error", async () => {
    const failing = () => {
      throw new Error("no disk");
    };
    const a = run("a", { onStartedLeading: failing });
    await world.pass(1_000);
    expect(a.log).toEqual(["leader a", "started", "stopped", "no disk"]);
    expect([a.signal.aborted, (await record())?.holderIdentity]).toEqual([true, ""]);
  });

  test("that ends by itself leaves the process the leader", async () => {
    const a = run("a", { onStartedLeading: async () => {} });
    await world.pass(30_000);
    expect(leading(a)).toEqual(["a"]);
  });

  test("continues when another callback throws", async () => {
    const failing = () => {
      throw new Error("broken");
    };
    const a = run("a", { onNewLeader: failing, onStoppedLeading: failing });
    await world.pass(1_000);
    expect(leading(a)).toEqual(["a"]);
    a.stop.abort();
    await world.pass(1_000);
    expect([a.errors.map(String), a.log.at(-1)]).toEqual([["Error: broken", "Error: broken"], "resolved"]);
  });
});

test("with the real clock and timers, a leader whose event loop was blocked knows that its term ended before its timers fire", async () => {
  const times = { leaseDuration: 2000, renewDeadline: 1000, retryPeriod: 100 };
  let started: (signal: AbortSignal) => void = () => {};
  const begun = new Promise<AbortSignal>((resolve) => (started = resolve));
  const elector = new LeaderElector({ client: world.client, lease, onStartedLeading: started, ...times });
  const run = elector.run(new AbortController().signal);
  const signal = await begun;
  expect(elector.isLeader()).toBe(true);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, times.renewDeadline + 1);
  expect([signal.aborted, elector.isLeader(), signal.aborted]).toEqual([false, false, true]);
  await expect(run).rejects.toSatisfy(isLeadershipLost);
});

test("an elector that has ended leaves no timer behind", async () => {
  const host = world.host("a");
  let pending = 0;
  const timers = {
    start(milliseconds: number, callback: () => void) {
      let isPending = true;
      const end = () => {
        pending -= isPending ? 1 : 0;
        isPending = false;
      };
      pending += 1;
      const cancel = host.start(milliseconds, () => {
        end();
        callback();
      });
      return () => {
        end();
        cancel();
      };
    },
  };
  const a = run("a", { timers }, host);
  await world.pass(10_000);
  expect(pending).toBeGreaterThan(0);
  a.stop.abort();
  await world.pass(100);
  expect([a.log.at(-1), pending]).toEqual(["resolved", 0]);
});

test("an elector runs again after it has ended, but not twice at a time", async () => {
  const a = run("a");
  await world.pass(1_000);
  await expect(a.elector.run(new AbortController().signal)).rejects.toThrow("is already running");
  a.stop.abort();
  await world.pass(1_000);
  void a.elector.run(new AbortController().signal);
  await world.pass(1_000);
  expect([leading(a), a.log.filter((line) => line === "started").length]).toEqual([["a"], 2]);
});

test("an elector's event recorder records events of the Lease when a candidate becomes and stops being the leader", async () => {
  const broadcaster = eventBroadcaster({ client: world.client });
  const a = run("a", { events: broadcaster.recorder({ component: "web-operator" }) });
  await world.pass(1_000);
  a.stop.abort();
  await world.pass(1_000);
  await broadcaster.close();
  const events = world.client.resource({ group: "", version: "v1", resource: "events" }).namespace("default");
  const { items } = await events.list({ fieldSelector: `involvedObject.name=${lease.name}` });
  expect(items.map(({ type, reason, message }) => `${type} ${reason} ${message}`).sort()).toEqual([
    "Normal LeaderElection a became leader",
    "Normal LeaderElection a stopped leading",
  ]);
  expect(items[0]?.["involvedObject"]).toMatchObject({ apiVersion: "coordination.k8s.io/v1", kind: "Lease" });
});

test.each([
  [{ leaseDuration: 10_000 }, "leaseDuration must be greater than renewDeadline"],
  [{ renewDeadline: 2_400 }, "renewDeadline must be greater than retryPeriod*JitterFactor"],
  [{ retryPeriod: 0 }, "retryPeriod must be greater than zero"],
  [{ retryPeriod: -20, renewDeadline: -1, leaseDuration: 0 }, "leaseDuration must be greater than zero"],
  [{ retryPeriod: -20, renewDeadline: -1, leaseDuration: 1 }, "renewDeadline must be greater than zero"],
  [{ leaseDuration: Number.NaN }, "leaseDuration must be greater than renewDeadline"],
  [{ identity: "" }, "Lock identity is empty"],
  [{ lease: { namespace: "default", name: "a/b" } }, 'invalid lease name "a/b": a lowercase RFC 1123 subdomain must'],
  [{ lease: { namespace: "", name: "a" } }, 'invalid lease namespace ""'],
])("an elector refuses the options %j: %s", (options, message) => {
  expect(() => world.host("a").elector({ lease, onStartedLeading: () => {}, ...options })).toThrow(message);
});

test("an elector without an identity makes one of the host's name and a uuid", () => {
  const elector = new LeaderElector({ client: world.client, lease, onStartedLeading: () => {} });
  expect(elector.identity).toMatch(/^.+_[0-9a-f]{8}-[0-9a-f-]{27}$/);
});
