import type { Event as CoreEvent } from "../../../src/api/types/core/v1.js";
import { type KubernetesClient, kubernetesClient } from "../../../src/client/dynamic/kubernetes-client.js";
import { InformerFactory } from "../../../src/client/informers/index.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { startControllerManager } from "../../helpers/kube-controller-manager.js";
import type { ApiObject, KubeObject } from "../../../src/machinery/meta/object.js";
import type { Session } from "./scenario.js";
import type { Seen } from "./seen.js";

/** The controllers that are compared, by the names that they had in 1.20. */
const JUDGED = ["deployment", "replicaset", "statefulset", "daemonset"];

export interface JudgedCluster {
  readonly cluster: Cluster;
  /** Makes the namespace. */
  session(namespace: string): Promise<Session>;
  /** Ends kube-controller-manager, where there is one; the cluster goes on without. */
  stopControllers(): Promise<void>;
  close(): Promise<void>;
}

/** A cluster of four nodes, one of them tainted, whose workloads are run by our controllers or by kube-controller-manager 1.20. */
export async function judgedCluster(controllers: "ours" | "theirs"): Promise<JudgedCluster> {
  const theirs = controllers === "theirs";
  const cluster = await startCluster({
    ...(theirs ? { controllers: ["*", ...JUDGED.map((name) => `-${name}`)] } : { port: false }),
    nodes: [
      ...[1, 2, 3].map((number) => ({ name: `node-${number}` })),
      { name: "batch", taints: [{ key: "dedicated", value: "batch", effect: "NoSchedule" }] },
    ],
  });
  const real = theirs ? startControllerManager({ kubeconfig: cluster.kubeconfig(), controllers: JUDGED }) : undefined;
  const client = kubernetesClient({ transport: () => cluster.transport() });
  const stop = new AbortController();
  const informers = new InformerFactory(client);
  const follow = following(informers);
  const events = informers.of("v1", "Event").lister;
  informers.start(stop.signal);
  await informers.synced();
  let stopping: Promise<void> | undefined;
  const stopControllers = async () => (stopping ??= real?.stop());
  return {
    cluster,
    stopControllers,
    async session(namespace) {
      await client.of("v1", "Namespace").create({ metadata: { name: namespace } });
      return sessionIn(client, namespace, {
        seen: () => follow(namespace),
        events: () => events.namespace(namespace).list(),
      });
    },
    async close() {
      stop.abort();
      await informers.stopped();
      await client.close();
      await stopControllers();
      await cluster.close();
    },
  };
}

/** The caches of what a scenario looks at. */
function following(informers: InformerFactory): (namespace: string) => Seen {
  const deployments = informers.of("apps/v1", "Deployment").lister;
  const replicaSets = informers.of("apps/v1", "ReplicaSet").lister;
  const statefulSets = informers.of("apps/v1", "StatefulSet").lister;
  const daemonSets = informers.of("apps/v1", "DaemonSet").lister;
  const revisions = informers.of("apps/v1", "ControllerRevision").lister;
  const pods = informers.of("v1", "Pod").lister;
  const claims = informers.of("v1", "PersistentVolumeClaim").lister;
  return (namespace) => ({
    deployments: deployments.namespace(namespace).list(),
    replicaSets: replicaSets.namespace(namespace).list(),
    statefulSets: statefulSets.namespace(namespace).list(),
    daemonSets: daemonSets.namespace(namespace).list(),
    revisions: revisions.namespace(namespace).list(),
    pods: pods.namespace(namespace).list(),
    claims: claims.namespace(namespace).list(),
  });
}

const FOLLOWED = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Pod"];
const VERSIONS: Readonly<Record<string, string>> = { Pod: "v1", Node: "v1", ResourceQuota: "v1" };

/** What the caches have of one namespace. */
interface Caches {
  readonly seen: () => Seen;
  readonly events: () => readonly CoreEvent[];
}

function sessionIn(client: KubernetesClient, namespace: string, caches: Caches): Session {
  const objects = (kind: string) => {
    const all = client.of(VERSIONS[kind] ?? "apps/v1", kind);
    return kind === "Node" ? all : all.namespace(namespace);
  };
  /** The versions that the session has written, by uid; undefined for what it has deleted. */
  const written = new Map<string, number | undefined>();
  const note = (kind: string, { metadata }: ApiObject): void => {
    if (FOLLOWED.includes(kind)) written.set(metadata?.uid ?? "", Number(metadata?.resourceVersion));
  };
  return {
    async create(...given) {
      for (const object of given) {
        const kind = object.kind ?? "";
        note(kind, await objects(kind).create(object as KubeObject));
      }
    },
    async patch(kind, name, patch) {
      note(kind, await objects(kind).patch(name, patch, { type: "merge" }));
    },
    async delete(kind, name, options) {
      const { metadata } = await objects(kind).get(name);
      await objects(kind).delete(name, options);
      written.set(metadata?.uid ?? "", undefined);
    },
    get seen() {
      return caches.seen();
    },
    get events() {
      return caches.events();
    },
    isCurrent() {
      const known = new Map(
        Object.values(caches.seen())
          .flatMap((list: readonly ApiObject[]) => list)
          .map(({ metadata }) => [metadata?.uid ?? "", Number(metadata?.resourceVersion)]),
      );
      const isCurrent = [...written].every(([uid, version]) => {
        const has = known.get(uid);
        return version === undefined ? has === undefined : has !== undefined && has >= version;
      });
      // What comes next may delete them.
      if (isCurrent) written.clear();
      return isCurrent;
    },
  };
}
