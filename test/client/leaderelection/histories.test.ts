import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomBelow } from "../../../src/base/numbers/random-below.js";
import { isLeadershipLost, type LeaderElector } from "../../../src/client/leaderelection/index.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { type Fate, type Host, World } from "./world.js";

const HISTORIES = Number(process.env["KUBETS_ELECTION_HISTORIES"] ?? 200);
const FIRST_SEED = Number(process.env["KUBETS_ELECTION_SEED"] ?? 1);
const FAULTS_LAST = 60_000;
/** The longest that a faulty network holds a request back. */
const LONGEST_DELAY = 12_000;
/** A lease, by the slowest clock, after the last late write; then the longest pause between attempts and one that hangs. */
const UNTIL_A_LEADER = LONGEST_DELAY + 15_000 / 0.9 + 2 * (4_400 / 0.9) + 5_000;

let start: Awaited<ReturnType<typeof World.start>>;
beforeAll(async () => {
  start = await World.start();
});
afterAll(() => start.close());

/** A process that competes again whenever it has lost, and sometimes is told to stop. */
class Candidate {
  readonly elector: LeaderElector;
  terms = 0;
  #signal: AbortSignal | undefined;
  #stop = new AbortController();

  constructor(
    readonly host: Host,
    lease: string,
    private readonly below: (limit: number) => number,
  ) {
    this.elector = host.elector({
      lease: { namespace: "default", name: lease },
      onStartedLeading: (signal) => {
        this.terms += 1;
        this.#signal = signal;
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => void host.start(this.below(3000), resolve), { once: true }),
        );
      },
    });
    void this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#stop = new AbortController();
      try {
        await this.elector.run(this.#stop.signal);
      } catch (error) {
        if (!isLeadershipLost(error)) throw error;
      }
      await new Promise<void>((resolve) => this.host.start(this.below(2000), resolve));
    }
  }

  stopGracefully(): void {
    if (!this.host.isStopped) this.#stop.abort();
  }

  /** Asks the process, which can answer only while it runs. */
  get leads(): boolean {
    if (this.host.isStopped) return false;
    const leads = this.elector.isLeader();
    if (!leads && this.#signal?.aborted === false) throw new Error(`the work of ${this.host.name} goes on`);
    return leads;
  }
}

interface Played {
  readonly terms: number;
  readonly transitions: number;
}

async function play(seed: number): Promise<Played> {
  const random = seededRandom(`history ${seed}`);
  const below = (limit: number): number => randomBelow(random, limit);
  const world = start.world();
  const lease = `history-${seed}`;
  const candidates: Candidate[] = [];
  const candidate = (): void => {
    const rate = 0.9 + below(201) / 1000;
    const host = world.host(`c${candidates.length}`, { rate, skew: below(7_200_000) - 3_600_000 });
    host.network = () => (world.now < FAULTS_LAST ? faulty(below) : {});
    host.order = (due) => (below(2) === 0 ? due : due.toReversed());
    candidates.push(new Candidate(host, lease, below));
  };
  for (let count = 3 + below(3); count > 0; count -= 1) candidate();
  const seen = new Set<string>();
  world.check = () => {
    const leaders = candidates.filter(({ leads }) => leads).map(({ host }) => host.name);
    if (leaders.length > 1) throw new Error(`at ${world.now} ms ${leaders.join(" and ")} lead`);
    for (const name of leaders) seen.add(name);
  };
  while (world.now < FAULTS_LAST) {
    await world.pass(200 + below(5000));
    const alive = candidates.filter(({ host }) => !host.isStopped);
    const one = alive[below(alive.length)];
    const leader = alive.find(({ leads }) => leads);
    // Most of what goes wrong goes wrong with the leader.
    const chosen = below(3) === 0 ? one : (leader ?? one);
    const wrong = below(6);
    if (chosen === undefined) continue;
    const { host } = chosen;
    if (wrong <= 1) {
      host.stop();
      world.at(Math.min(FAULTS_LAST, world.now + below(30_000)), () => host.continue());
    } else if (wrong === 2) host.setClock(below(7_200_000) - 3_600_000);
    else if (wrong === 3) chosen.stopGracefully();
    else if (wrong === 4) {
      host.die();
      candidate();
    }
  }
  await world.pass(UNTIL_A_LEADER);
  const leaders = candidates.filter(({ leads }) => leads);
  if (leaders.length !== 1) throw new Error(`${leaders.length} lead after the faults`);
  const leases = world.client.resource({ group: "coordination.k8s.io", version: "v1", resource: "leases" });
  const { spec } = await leases.namespace("default").get(lease);
  const { holderIdentity, leaseTransitions } = spec as { holderIdentity: string; leaseTransitions: number };
  if (holderIdentity !== leaders[0]?.host.name) throw new Error(`the Lease names ${holderIdentity}`);
  for (const { host } of candidates) host.die();
  return { terms: candidates.reduce((sum, { terms }) => sum + terms, 0), transitions: leaseTransitions };
}

/** Of four requests one suffers. */
function faulty(below: (limit: number) => number): Fate {
  const slow = { before: below(300), after: below(300) };
  switch (below(16)) {
    case 0:
      return { ...slow, outcome: "refused" };
    case 1:
      return { ...slow, outcome: "lost" };
    case 2:
      return { before: below(LONGEST_DELAY), after: below(300), outcome: below(2) === 0 ? "answered" : "lost" };
    case 3:
      return { before: below(300), after: below(LONGEST_DELAY), outcome: below(2) === 0 ? "answered" : "hangs" };
    default:
      return slow;
  }
}

describe("leader election while processes pause, clocks jump, candidates crash and requests fail or come late", () => {
  test(
    `no two of 3 to 5 candidates lead in any of ${HISTORIES} histories, and one leads when the faults are over`,
    async () => {
      let [terms, transitions] = [0, 0];
      for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
        try {
          const played = await play(seed);
          terms += played.terms;
          transitions += played.transitions;
        } catch (error) {
          throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
        }
      }
      if (HISTORIES < 20) return;
      // The histories are worth something: in each, the leader changes more than once.
      expect(terms).toBeGreaterThan(3 * HISTORIES);
      expect(transitions).toBeGreaterThan(HISTORIES);
    },
    Math.max(120_000, HISTORIES * 2_000),
  );
});
