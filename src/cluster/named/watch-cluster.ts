import { errorMessage } from "../../base/text/error-message.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { objectKey } from "../../client/informers/indexer.js";
import type { ListWatch, ReflectorFault, ReflectorStore } from "../../client/reflector/list-watch.js";
import { Reflector } from "../../client/reflector/reflector.js";
import type { Surroundings } from "../../client/surroundings.js";
import { isConnectionRefused, isTransportError } from "../../client/transport/transport-error.js";
import { isForbidden, isNotFound, isUnauthorized } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { namedClusterError } from "./cluster-home.js";
import type { Observed } from "./readiness.js";

type Observing = keyof Observed;

/** Workloads before their pods: a list of pods that is read later has those that the workloads count. */
const KINDS: Readonly<Record<Observing, readonly [apiVersion: string, kind: string]>> = {
  deployments: ["apps/v1", "Deployment"],
  replicaSets: ["apps/v1", "ReplicaSet"],
  statefulSets: ["apps/v1", "StatefulSet"],
  daemonSets: ["apps/v1", "DaemonSet"],
  jobs: ["batch/v1", "Job"],
  nodes: ["v1", "Node"],
  pods: ["v1", "Pod"],
};

/** So many failures in a row to reach the server, and it counts as gone. */
const ATTEMPTS = 3;

/** Watches the objects that tell whether a cluster is ready, with one watch per kind. */
export class ClusterWatch {
  readonly #stores = new Map<Observing, KindStore>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>;
  #changed = new AbortController();
  #fault: Error | undefined;

  constructor(
    private readonly subject: string,
    private readonly client: Pick<KubernetesClient, "of">,
    surroundings: Partial<Surroundings>,
  ) {
    const changed = (): void => this.#changed.abort();
    this.#running = Promise.all(
      resources(client).map(([observing, source]) => {
        const store = new KindStore(changed);
        this.#stores.set(observing, store);
        const onFault = (fault: ReflectorFault): void => this.#failed(fault, store);
        return new Reflector(source, store, { ...surroundings, onFault }).run(this.#stopping.signal);
      }),
    );
  }

  /** Aborts with the next change. */
  next(): AbortSignal {
    this.#changed = new AbortController();
    return this.#changed.signal;
  }

  /** What is there now; undefined while some of it has not been read. Throws where the server refuses to show it, or is gone. */
  observed(): Observed | undefined {
    if (this.#fault !== undefined) throw this.#fault;
    const stores = [...this.#stores];
    if (stores.some(([, { objects }]) => objects === undefined)) return undefined;
    return observedOf(stores.map(([observing, { objects }]) => [observing, [...(objects?.values() ?? [])]]));
  }

  /** Reads everything anew, pods last. Throws as {@link observed} does. */
  async list(signal: AbortSignal): Promise<Observed> {
    const read: (readonly [Observing, readonly ApiObject[]])[] = [];
    for (const [observing, source] of resources(this.client)) {
      try {
        read.push([observing, (await source.listWhole({ signal })).items]);
      } catch (error) {
        if (!isNotFound(error)) throw this.#lost(error);
        read.push([observing, []]);
      }
    }
    return observedOf(read);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #failed({ error, attempt }: ReflectorFault, store: KindStore): void {
    const isRefusal = isForbidden(error) || isUnauthorized(error);
    // The server does not serve the kind.
    if (isNotFound(error)) store.replace([]);
    else if (isRefusal || isConnectionRefused(error) || (isTransportError(error) && attempt >= ATTEMPTS)) {
      this.#fault ??= this.#lost(error);
      this.#changed.abort();
    }
  }

  #lost(error: unknown): Error {
    const what = isTransportError(error) ? "does not answer any more" : "cannot be waited for";
    return namedClusterError(`${this.subject} ${what}: ${errorMessage(error)}`);
  }
}

/** The objects of one kind; undefined before the first list. */
class KindStore implements ReflectorStore<ApiObject> {
  objects: Map<string, ApiObject> | undefined;

  constructor(private readonly changed: () => void) {}

  replace(objects: readonly ApiObject[]): void {
    this.objects = new Map(objects.map((object) => [objectKey(object), object]));
    this.changed();
  }

  add(object: ApiObject): void {
    this.objects?.set(objectKey(object), object);
    this.changed();
  }

  update(object: ApiObject): void {
    this.add(object);
  }

  delete(object: ApiObject): void {
    this.objects?.delete(objectKey(object));
    this.changed();
  }
}

type Resource = ListWatch<ApiObject> & {
  listWhole(options: { readonly signal: AbortSignal }): Promise<{ readonly items: readonly ApiObject[] }>;
};

const resources = (client: Pick<KubernetesClient, "of">): readonly (readonly [Observing, Resource])[] =>
  (Object.keys(KINDS) as Observing[]).map((observing) => {
    const [apiVersion, kind] = KINDS[observing];
    return [observing, client.of<ApiObject>(apiVersion, kind)];
  });

const observedOf = (entries: readonly (readonly [Observing, readonly ApiObject[]])[]): Observed =>
  Object.fromEntries(entries) as Observed;
