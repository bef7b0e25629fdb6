import { formatGroupResource } from "../../machinery/errors/status-error.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { AnyKindIn, AnyObjectOf } from "../dynamic/api-kinds.js";
import type { Stored } from "../dynamic/stored.js";
import type { KubernetesClient } from "../dynamic/kubernetes-client.js";
import type { ResourceClient } from "../dynamic/resource-client.js";
import type { ReflectorFault, Selection } from "../reflector/list-watch.js";
import { type InformerOptions, SharedInformer } from "./shared-informer.js";

export interface InformerFactoryOptions
  extends Omit<InformerOptions<KubeObject>, "indexers" | "selection" | "onFault" | "whenOccupied"> {
  /** Follows this namespace alone. Default: all. */
  readonly namespace?: string;
  /** Called when a list or watch fails; `what` names the resource: "Deployment", "deployments.apps". The informer goes on. */
  readonly onFault?: (fault: ReflectorFault, what: string) => void;
  /** As {@link InformerOptions.whenOccupied}, for each resource: an informer reads nothing until its resource has objects. */
  readonly whenOccupied?: (resource: GroupVersionResource, listener: () => void) => () => void;
}

/** Selects the objects of a kind that an informer watches. */
export interface InformerSelection extends Selection {
  /** Default: the factory's namespace, else all. */
  readonly namespace?: string;
}

/** What a factory asks of each of its informers. */
type RunningInformer = Pick<SharedInformer<ApiObject>, "hasSynced" | "run" | "synced">;

/**
 * The informers of a process. It returns the same informer for the same collection, so that all parts of the process share one cache and one
 * watch (client-go's SharedInformerFactory).
 */
export class InformerFactory {
  readonly #informers = new Map<string, RunningInformer>();
  readonly #running = new Set<Promise<void>>();
  readonly #started = new Set<RunningInformer>();

  constructor(
    private readonly client: Pick<KubernetesClient, "resource" | "of">,
    private readonly options: InformerFactoryOptions = {},
  ) {}

  /** Returns the informer of a kind, or of the objects that a selection names: `informers.of("v1", "Pod")`. {@link start} starts it. */
  of<V extends string, K extends AnyKindIn<V>>(
    apiVersion: V,
    kind: K,
    selection: InformerSelection = {},
  ): SharedInformer<Stored<AnyObjectOf<V, K>>> {
    const source = (): ResourceClient => this.client.of<KubeObject>(apiVersion, kind);
    return this.#informer(`${apiVersion}/${kind}`, kind, source, selection);
  }

  /** Returns the informer of a resource, as {@link of} does for a kind. */
  resource<T extends ApiObject = KubeObject>(
    resource: GroupVersionResource,
    selection: InformerSelection = {},
  ): SharedInformer<T> {
    const key = `${resource.group}/${resource.version}/${resource.resource}`;
    return this.#informer(key, formatGroupResource(resource), () => this.client.resource(resource), selection);
  }

  /** Starts the informers of the factory that are not running yet. They stop when the signal aborts. */
  start(signal: AbortSignal): void {
    for (const informer of this.#informers.values()) {
      if (this.#started.has(informer)) continue;
      this.#started.add(informer);
      // A signal each: Node warns of more than ten listeners of one.
      const running = informer.run(AbortSignal.any([signal])).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** Resolves when every started informer has its first list. */
  async synced(): Promise<void> {
    await Promise.all([...this.#started].map((informer) => informer.synced));
  }

  /** Whether every started informer has its first list. */
  hasSynced(): boolean {
    return [...this.#started].every((informer) => informer.hasSynced());
  }

  /** Resolves when all informers have stopped. */
  async stopped(): Promise<void> {
    await Promise.all(this.#running);
  }

  #informer<T extends ApiObject>(
    key: string,
    what: string,
    clientOf: () => ResourceClient,
    { namespace = this.options.namespace, ...selection }: InformerSelection,
  ): SharedInformer<T> {
    const id = JSON.stringify([key, namespace, selection.labelSelector, selection.fieldSelector]);
    let informer = this.#informers.get(id);
    if (informer === undefined) {
      const { namespace: _, onFault, whenOccupied, ...options } = this.options;
      const client = clientOf();
      const source = namespace === undefined ? client : client.namespace(namespace);
      informer = new SharedInformer<KubeObject>(source, {
        ...options,
        selection,
        ...(onFault && { onFault: (fault: ReflectorFault) => onFault(fault, what) }),
        ...(whenOccupied && {
          whenOccupied: async (listener: () => void) => whenOccupied((await client.resolve()).resource, listener),
        }),
      });
      this.#informers.set(id, informer);
    }
    // The key of the map tells the kind.
    return informer as unknown as SharedInformer<T>;
  }
}
