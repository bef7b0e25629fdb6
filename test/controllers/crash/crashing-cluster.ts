import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { kubernetesClient } from "../../../src/client/dynamic/kubernetes-client.js";
import { manualClock, startCluster } from "../../../src/cluster/index.js";
import type { StartController } from "../../../src/controllers/context.js";
import { deploymentController } from "../../../src/controllers/deployment/deployment-controller.js";
import { jobController } from "../../../src/controllers/job/job-controller.js";
import { replicaSetController } from "../../../src/controllers/replica-set/replica-controller.js";
import { statefulSetController } from "../../../src/controllers/stateful-set/stateful-set-controller.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { type ControllersOfServer, controllersOf } from "../../helpers/controllers-of.js";
import { masked } from "../../helpers/masked-objects.js";
import { type Death, type MortalTransport, mortalTransport } from "../../helpers/mortal-transport.js";
import { BEFORE, CHANGES, JOB } from "./workloads.js";

/** Those that die. All others live in the cluster. */
const MORTAL: readonly StartController[] = [
  deploymentController,
  replicaSetController,
  statefulSetController,
  jobController,
];
const KINDS = [
  ["apps/v1", "Deployment"],
  ["apps/v1", "ReplicaSet"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "ControllerRevision"],
  ["batch/v1", "Job"],
  ["v1", "Pod"],
] as const;
/** Longer than all of it takes. */
const MOST_SECONDS = 120;

/** How one life of the controllers ends. */
export interface Fate extends Death {
  /** How long nothing runs after it. */
  readonly secondsAway: number;
}

export interface Outcome {
  /** What is left in the end. */
  readonly lines: readonly string[];
  /** Whether the rollout, the update and the job are done. */
  readonly isDone: boolean;
  /** Those fates that came true before the work was done. */
  readonly deaths: readonly Fate[];
}

export interface CrashingCluster extends AsyncDisposable {
  /**
   * A rollout, a StatefulSet's update and a job, in a namespace of their own that is removed in the end. One life of the
   * controllers ends by each fate, and another begins; that after the last fate goes on to the end.
   */
  play(fates: readonly Fate[]): Promise<Outcome>;
}

interface Life {
  readonly transport: MortalTransport;
  readonly controllers: ControllersOfServer;
}

/** A cluster with two nodes on a driven clock, without sockets. */
export async function crashingCluster(): Promise<CrashingCluster> {
  const time = manualClock();
  const cluster = await startCluster({
    port: false,
    clock: time,
    random: seededRandom("a cluster whose controllers die"),
    nodes: 2,
    controllers: ["*", "-deployment", "-replicaset", "-statefulset", "-job"],
  });
  const random = seededRandom("controllers that die");
  const surroundings = { clock: time, timers: time, random };
  const client = kubernetesClient({ transport: () => cluster.transport() }, surroundings);
  let plays = 0;

  const begin = (death?: Death): Life => {
    const transport = mortalTransport(cluster.transport(), death);
    return { transport, controllers: controllersOf(transport, MORTAL, surroundings) };
  };
  const end = async (controllers: ControllersOfServer): Promise<void> => {
    let closed = false;
    const closing = controllers.close().then(() => (closed = true));
    await cluster.clock.atRest();
    while (!closed) await cluster.clock.advance("1s");
    await closing;
  };
  /** Lets seconds pass until the condition holds. */
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (let left = MOST_SECONDS; left > 0 && !(await holds()); left--) await cluster.clock.advance("1s");
  };

  return {
    async play(fates) {
      const namespace = `play-${plays++}`;
      const objects = (apiVersion: string, kind: string) =>
        client.of<KubeObject>(apiVersion, kind).namespace(namespace);
      const all = async (): Promise<KubeObject[]> => {
        const lists = KINDS.map(async ([apiVersion, kind]) =>
          (await objects(apiVersion, kind).list({})).items.map((object) => ({ ...object, kind })),
        );
        return (await Promise.all(lists)).flat();
      };
      const isOver = async (): Promise<boolean> => (await all()).every(isDone);
      const change = async (): Promise<void> => {
        for (const { kind, name, patch } of CHANGES) {
          await objects("apps/v1", kind).patch(name, patch, { type: "merge" });
        }
        await objects("batch/v1", "Job").create(JOB);
      };

      await client.of("v1", "Namespace").create({ metadata: { name: namespace } });
      const before = begin();
      for (const object of BEFORE) await objects(object.apiVersion ?? "", object.kind ?? "").create(object);
      await until(isOver);
      await end(before.controllers);

      const deaths: Fate[] = [];
      let life = begin(fates[0]);
      await change();
      for (;;) {
        await until(async () => life.transport.isDead || (await isOver()));
        const fate = fates[deaths.length];
        if (!life.transport.isDead || fate === undefined) break;
        deaths.push(fate);
        await end(life.controllers);
        await cluster.clock.advance(fate.secondsAway * 1000);
        life = begin(fates[deaths.length]);
      }
      await cluster.clock.advance("30s");
      const left = await all();
      const lines = masked(left).map((line) => line.replaceAll(namespace, "play"));
      await end(life.controllers);
      await client.of("v1", "Namespace").delete(namespace);
      await cluster.clock.advance("10s");
      return { lines, isDone: left.every(isDone), deaths };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await cluster.close();
    },
  };
}

/** Whether controllers have nothing more to do for the object. */
function isDone({ kind, metadata, spec, status }: KubeObject & { spec?: never; status?: never }): boolean {
  const { replicas } = (spec ?? {}) as { replicas?: number };
  const now = (status ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === "Deployment" || kind === "StatefulSet") {
    const isCurrent = now["observedGeneration"] === metadata?.generation;
    const counts = [now["replicas"], now["updatedReplicas"], now["availableReplicas"]];
    return isCurrent && counts.every((count) => count === replicas);
  }
  if (kind === "Job") return now["completionTime"] !== undefined;
  return true;
}
