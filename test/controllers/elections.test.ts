import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Timers } from "../../src/base/time/timers.js";
import { systemTimers } from "../../src/base/time/timers.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { type Election, type LeadershipEvent, standForElection } from "../../src/cluster/leader-election.js";
import type { Fence } from "../../src/server/generic/transport/in-process.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";
const HOUR = 3_600_000;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ port: false, storage: "memory", controllers: false, scheduler: false });
});
afterAll(() => cluster.close());

/** A machine's clocks: the wall clock may be set, the monotonic one not. Timers fire while its process runs. */
class Machine implements Timers {
  wall = Date.parse("2026-01-01T00:00:00Z");
  #monotonic = 0;
  readonly #timers = new Set<{ readonly at: number; readonly fire: () => void }>();

  now(): number {
    return this.wall;
  }

  readonly stopwatch = () => {
    const start = this.#monotonic;
    return () => this.#monotonic - start;
  };

  start(milliseconds: number, fire: () => void): () => void {
    const timer = { at: this.#monotonic + milliseconds, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Time passes in which the process does not run. */
  stand(milliseconds: number): void {
    this.wall += milliseconds;
    this.#monotonic += milliseconds;
  }

  /** Time passes. */
  run(milliseconds: number): void {
    this.stand(milliseconds);
    for (const timer of this.#timers) {
      if (timer.at > this.#monotonic) continue;
      this.#timers.delete(timer);
      timer.fire();
    }
  }
}

interface Candidate {
  readonly machine: Machine;
  readonly election: Election;
  readonly events: LeadershipEvent[];
  readonly fences: Fence[];
  /** How many works were stopped. */
  stops: number;
}

const candidates: Candidate[] = [];

function stand(transport: Transport = cluster.transport()): Candidate {
  const machine = new Machine();
  const candidate: Candidate = {
    machine,
    events: [],
    fences: [],
    stops: 0,
    election: standForElection({
      program: "kube-scheduler",
      transport,
      clock: machine,
      timers: machine,
      durations: {},
      start(fence) {
        candidate.fences.push(fence);
        return {
          stop() {
            candidate.stops += 1;
            return Promise.resolve();
          },
        };
      },
      onEvent: (event) => candidate.events.push(event),
      reportError: (error) => {
        throw error;
      },
    }),
  };
  candidates.push(candidate);
  return candidate;
}

afterEach(async () => {
  for (const { election } of candidates.splice(0)) await election.stop();
  await call(cluster.transport(), "DELETE", LEASE);
});

const types = ({ events }: Candidate): string[] => events.map(({ type }) => type);

describe("a server that leads its controllers", () => {
  let leader: Candidate;
  beforeEach(async () => {
    leader = stand();
    await leader.election.decided;
  });

  test("holds a Lease of kube-controller-manager's name and durations, and an identity of its host", async () => {
    const lease = await call(cluster.transport(), "GET", LEASE);
    expect(lease.at("spec.holderIdentity")).toMatch(/^.+_[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(lease.at("spec.leaseDurationSeconds")).toBe(15);
    expect(types(leader)).toEqual(["began"]);
  });

  test("leads until 10 seconds after it began the renewal that succeeded last, whether a timer has fired or not", () => {
    const [fence] = leader.fences;
    leader.machine.stand(9_999);
    expect(fence?.isOpen()).toBe(true);
    leader.machine.stand(1);
    expect(fence?.isOpen()).toBe(false);
    expect(fence?.closed.aborted).toBe(true);
  });

  test("does not lead longer because its wall clock is set back", () => {
    leader.machine.wall -= HOUR;
    leader.machine.stand(10_000);
    expect(leader.fences[0]?.isOpen()).toBe(false);
  });

  test("ends its controllers when its term is over, reports the reason, and stands for election again with new controllers", async () => {
    leader.machine.stand(10_000);
    expect(leader.fences[0]?.isOpen()).toBe(false);
    expect(leader.stops).toBe(1);
    expect(leader.events.at(-1)).toMatchObject({ type: "ended", reason: expect.stringContaining("within 10000 ms") });
    await eventually(() => {
      leader.machine.run(10);
      expect(leader.fences).toHaveLength(2);
    });
    expect(leader.fences.map((fence) => fence.isOpen())).toEqual([false, true]);
    expect(types(leader)).toEqual(["began", "ended", "began"]);
  });

  test("releases the Lease when it stops, so that the next one leads at once", async () => {
    const next = stand();
    await next.election.decided;
    expect(next.events).toEqual([
      {
        type: "waiting",
        lease: "kube-system/kube-scheduler",
        holder: (leader.events[0] as { identity: string }).identity,
        until: next.machine.wall + 15_000,
      },
    ]);
    await leader.election.stop();
    expect(leader.stops).toBe(1);
    expect(leader.events.at(-1)).toEqual({ ...leader.events[0], type: "ended" });
    await eventually(() => expect(types(next)).toEqual(["waiting", "began"]));
  });
});

test("a server does not start when the controllers of its first term cannot start", async () => {
  const election = standForElection({
    program: "kube-scheduler",
    transport: cluster.transport(),
    clock: { now: () => 0 },
    timers: systemTimers,
    durations: {},
    start: () => Promise.reject(new Error("no such plugin")),
    onEvent: () => {},
    reportError: () => {},
  });
  await expect(election.decided).rejects.toThrow("no such plugin");
  await election.stop();
});
