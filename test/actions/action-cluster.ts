import type { Timers } from "../../src/base/time/timers.js";
import { kubernetesClient, type KubernetesClient, type KubeObject, loadConfig } from "../../src/client/index.js";
import { type Cluster, type ClusterOptions, startCluster } from "../../src/cluster/index.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

/** A cluster without a socket and a client of it, as an operator's author has one. */
export interface ActionCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: KubernetesClient;
  /** Creates objects, in order; answers with what the server made of the last. */
  create(...objects: readonly KubeObject[]): Promise<KubeObject>;
  /** Writes an object's status, as its controller or its kubelet would. */
  writeStatus(object: KubeObject, status: object): Promise<KubeObject>;
}

export async function actionCluster(options: ClusterOptions = {}): Promise<ActionCluster> {
  const cluster = await startCluster({ port: false, ...quietCluster, ...options });
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  const client = kubernetesClient(config, { transport: cluster.transport() });
  return {
    cluster,
    client,
    async create(...objects) {
      let last: KubeObject = {};
      for (const object of objects) last = await (await client.resourceFor(object)).create(object);
      return last;
    },
    async writeStatus(object, status) {
      const { name = "" } = object.metadata ?? {};
      return (await client.resourceFor(object)).patch(name, { status }, { type: "merge", subresource: "status" });
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await cluster.close();
    },
  };
}

/** Real timers, of which each second lasts ten milliseconds; `asked` holds what was waited for, in milliseconds. */
export function quickTimers(): Timers & { readonly asked: readonly number[] } {
  const asked: number[] = [];
  return {
    asked,
    start(milliseconds, callback) {
      asked.push(milliseconds);
      const timer = setTimeout(callback, milliseconds / 100);
      return () => clearTimeout(timer);
    },
  };
}

/** All events, read to the end. */
export async function all<E>(events: AsyncIterable<E>): Promise<readonly E[]> {
  const seen: E[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}
