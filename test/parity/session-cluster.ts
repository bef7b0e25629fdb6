import { type Cluster, type ClusterOptions, manualClock, startCluster } from "../../src/cluster/index.js";
import { FixedClock } from "../helpers/fixed-clock.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { seededRandom } from "../helpers/seeded-random.js";
import type { Session } from "./session.js";

/** The cluster of a session, and how its time goes on. */
export interface SessionCluster {
  readonly cluster: Cluster;
  /** Lets 90 seconds pass, and all that falls due in them. */
  passTime(): Promise<void>;
}

const STEP = 90_000;

/** Sessions write the numbers of budgets themselves: whether the disruption controller comes first is left to chance. */
const WRITING_NO_STATUS = (quietCluster.controllers || []).filter((name) => name !== "disruption-controller");

/**
 * Starts the cluster of a session, whose time and randomness are the same in every run. The cluster of a session named "life..." has
 * nodes, all controllers and the scheduler: between two of its lines a rollout comes to its end, and during a line time stands still.
 */
export async function startSessionCluster(
  { name }: Session,
  start: number,
  onRequest: NonNullable<ClusterOptions["onRequest"]>,
): Promise<SessionCluster> {
  const random = seededRandom(name);
  if (!name.startsWith("life")) {
    const clock = new FixedClock(start);
    const cluster = await startCluster({ clock, random, ...quietCluster, controllers: WRITING_NO_STATUS, onRequest });
    return { cluster, passTime: async () => clock.advance(STEP) };
  }
  const cluster = await startCluster({ clock: manualClock(start), random, nodes: 2, onRequest });
  await cluster.clock.atRest();
  return { cluster, passTime: () => cluster.clock.advance(STEP) };
}
