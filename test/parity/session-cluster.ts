import { quiet } from "../../src/base/async/turns.js";
import { type Cluster, type ClusterOptions, manualClock, startCluster } from "../../src/cluster/index.js";
import type { Filter } from "../../src/cluster/server.js";
import { FixedClock } from "../helpers/fixed-clock.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { seededRandom } from "../helpers/seeded-random.js";
import { servePassingTime } from "./passing-time.js";
import type { Session } from "./session.js";

/** The cluster of a session, and how its time goes on. */
export interface SessionCluster {
  readonly cluster: Cluster;
  /** Variables of the shell, beside those of the companions. */
  readonly ports: Readonly<Record<string, number>>;
  /** Lets 90 seconds pass, and all that falls due in them. */
  passTime(): Promise<void>;
  close(): Promise<void>;
}

const STEP = 90_000;

/**
 * Sessions write the numbers of budgets themselves: whether the disruption controller comes first is left to chance. The pod garbage
 * collector would delete pods of nodes that are missing in a session that takes 40 seconds.
 */
const LEFT_TO_CHANCE = ["disruption-controller", "pod-garbage-collector-controller"];
const CONTROLLERS = (quietCluster.controllers || []).filter((name) => !LEFT_TO_CHANCE.includes(name));

/** Whether workloads run in the session's cluster: it is named "life...". */
export const hasLife = ({ name }: Session): boolean => name.startsWith("life");

/**
 * Starts the cluster of a session, of the version of the kubectl that plays it, whose time and randomness are the same in every run. Time stands still while a line runs, and
 * begins at `start`, unless it has a life: see {@link startLivingCluster}.
 */
export async function startSessionCluster(
  session: Session,
  start: number,
  onRequest: NonNullable<ClusterOptions["onRequest"]>,
  kubernetesVersion: string,
): Promise<SessionCluster> {
  const random = seededRandom(session.name);
  if (hasLife(session)) return startLivingCluster({ random, onRequest, kubernetesVersion });
  const clock = new FixedClock(start);
  const cluster = await startCluster({
    clock,
    random,
    ...quietCluster,
    controllers: CONTROLLERS,
    // Which claim is marked first is left to chance.
    featureGates: { PersistentVolumeClaimUnusedSinceTime: false },
    onRequest,
    kubernetesVersion,
  });
  return {
    cluster,
    ports: {},
    passTime: async () => clock.advance(STEP),
    close: () => cluster.close(),
  };
}

/**
 * A Monday so long ago that kubectl, whose ages follow the machine's clock, shows all ages in years: a shorter unit could end between
 * two tools' calls.
 */
const LONG_AGO = "2010-03-01T08:00:00Z";

/**
 * A cluster with two nodes, all controllers and the scheduler: between two lines a rollout comes to its end. Nodes have every image
 * but those tagged "missing". A request waits until what the one before it began is done, so that a line may write several objects.
 */
async function startLivingCluster(
  options: Pick<ClusterOptions, "random" | "onRequest" | "kubernetesVersion">,
): Promise<SessionCluster> {
  const hasImage = (image: string): boolean => !image.endsWith(":missing");
  const cluster = await startCluster({
    ...options,
    // Lives whose containers wait for a signal, or fail to start, go on as their lines expect.
    standIn: false,
    clock: manualClock(LONG_AGO),
    nodes: ["node-1", "node-2"].map((name) => ({ name, hasImage })),
    filters: [{ name: "one after the other", filter: oneAfterTheOther, before: "availability" }],
  });
  await cluster.clock.atRest();
  const passing = await servePassingTime(cluster.clock);
  return {
    cluster,
    ports: { PASSING_PORT: passing.port },
    passTime: () => cluster.clock.advance(STEP),
    async close() {
      await passing.close();
      await cluster.close();
    },
  };
}

const MOST_TURNS = 1_000_000;

/** Requests over a socket wait; those of controllers and nodes, which are in this process and have no fingerprint, do not. */
const oneAfterTheOther: Filter = (next) => async (request) => {
  if (request.exchange.clientCertificate?.fingerprint !== undefined) await quiet(MOST_TURNS);
  return next(request);
};
