import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { Cluster } from "../../../src/cluster/index.js";
import type { Clock } from "../../../src/base/time/clock.js";
import { Dice } from "../../hostile/dice.js";
import { FaultProxy } from "./fault-proxy.js";
import { Follower, IllegalState, PARTS, proxyClient } from "./followers.js";
import { directClient, HistoryWriter } from "./history-writer.js";
import { PATIENCE } from "../../helpers/patience.js";

/** What can happen to a server in the middle of a round. */
export type Disaster =
  /** It is closed, and a server on the same data takes its place. */
  | "restart"
  /** The same, and the data is that of an earlier time or none. */
  | "lost history"
  /** Its clock goes on by ten minutes: what happened before leaves its watch cache. */
  | "clock forward"
  | "clock back"
  | "none";

export interface Stage {
  /** Opens a server on the data. */
  start(clock: Clock): Promise<Cluster>;
  /** Keeps the data as it is. No server is open. Only for "lost history". */
  remember?(): Promise<void>;
  /** Puts the data of the last {@link remember} back. No server is open. */
  goBack?(): Promise<void>;
  dispose(): Promise<void>;
}

export interface Play {
  readonly seed: string;
  readonly events: number;
  /** One a round, from the beginning again when there are more rounds. */
  readonly disasters: readonly Disaster[];
  readonly eventsPerRound: number;
}

/**
 * Writes a random history in rounds, under faults. After each round faults and history pause, and every informer's cache, and
 * what each handler knows from its calls, must become what the server lists.
 */
export async function playHistory(stage: Stage, play: Play): Promise<void> {
  const dice = new Dice(play.seed);
  const proxy = new FaultProxy(new Dice(`${play.seed} faults`));
  const server = await proxy.listen();
  const writer = new HistoryWriter(new Dice(`${play.seed} history`));
  let offset = 0;
  const clock: Clock = { now: () => Date.now() + offset };
  const stop = new AbortController();
  const clients = await Promise.all(PARTS.map((part) => proxyClient(server, part)));
  const followers = PARTS.map((part, n) => new Follower(part, clients[n]!, `${play.seed} ${part.name}`));
  let cluster: Cluster | undefined;
  const open = async (): Promise<Cluster> => {
    cluster = await stage.start(clock);
    await writer.use(cluster);
    proxy.target = cluster;
    return cluster;
  };
  const close = async (): Promise<void> => {
    const closing = cluster;
    cluster = undefined;
    await closing?.close();
    // What the proxy still gets meanwhile goes to the closing server, as without a proxy.
    proxy.target = undefined;
  };
  try {
    await open();
    await close();
    await stage.remember?.();
    // The informers begin while no server is there. A server that has lost its history at the very start would be told from the one
    // before by nothing: it soon has the same versions again.
    const running = followers.map((follower, n) => {
      follower.addHandler((["plain", "throwing", "slow"] as const)[n % 3]!);
      return follower.run(stop.signal);
    });
    await open();
    const rounds = Math.ceil(play.events / play.eventsPerRound);
    for (let round = 0; round < rounds; round++) {
      const disaster = play.disasters[round % play.disasters.length] ?? "none";
      const half = Math.round(Math.min(play.eventsPerRound, play.events - round * play.eventsPerRound) / 2);
      proxy.faulty = true;
      await writer.write(half);
      if (disaster === "lost history") {
        await rest(followers, proxy, cluster!, `${play.seed}, round ${round}, before history is lost`);
        await close();
        await stage.goBack?.();
        for (const follower of followers) follower.historyIsLost = true;
        proxy.faulty = true;
        await open();
      } else if (disaster === "restart") {
        await close();
        await setTimeout(dice.below(60));
        await open();
      } else if (disaster !== "none") offset += (disaster === "clock forward" ? 1 : -1) * 600_000;
      if (round % 2 === 1) dice.pick(followers).addHandler(dice.pick(["plain", "throwing", "slow"]));
      if (round % 4 === 3) dice.pick(followers).removeHandler();
      await writer.write(half);
      await rest(followers, proxy, cluster!, `${play.seed}, round ${round}, ${disaster}`);
      for (const follower of followers) follower.historyIsLost = false;
    }
    stop.abort();
    await Promise.all(running);
    // The play was worth it: every informer had faults to recover from, and of most kinds that the proxy knows.
    for (const { faults, part } of followers) expect(faults.length, part.name).toBeGreaterThan(rounds / 10);
    expect(Object.keys(proxy.counts).length).toBeGreaterThan(3);
  } finally {
    stop.abort();
    for (const client of clients) await client.close();
    await close();
    await proxy.close();
    await stage.dispose();
  }
}

/** Faults stop, and the informers have their time to show what the server has. */
async function rest(followers: readonly Follower[], proxy: FaultProxy, cluster: Cluster, when: string): Promise<void> {
  proxy.faulty = false;
  await using direct = await directClient(cluster);
  const end = performance.now() + PATIENCE;
  for (const follower of followers) {
    for (;;) {
      try {
        await follower.compare(direct);
        break;
      } catch (error) {
        if (performance.now() < end && !(error instanceof IllegalState)) {
          await setTimeout(50);
          continue;
        }
        const states = followers.map((other) => other.status(proxy)).join("\n");
        throw new Error(`${when}: ${follower.part.name}: ${(error as Error).message}\n${states}`, { cause: error });
      }
    }
  }
}
