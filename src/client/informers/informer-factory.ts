import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { KubernetesClient } from "../dynamic/kubernetes-client.js";
import type { Selection } from "../reflector/list-watch.js";
import { type InformerOptions, SharedInformer } from "./shared-informer.js";

export interface InformerFactoryOptions
  extends Omit<InformerOptions<KubeObject>, "indexers" | "transform" | "selection"> {
  /** Follows this namespace alone. Default: all. */
  readonly namespace?: string;
}

/**
 * The informers of a process: asking twice for the same collection gives the same informer, so that all its parts share one
 * cache and one watch (client-go's SharedInformerFactory).
 */
export class InformerFactory {
  readonly #informers = new Map<string, SharedInformer<ApiObject>>();
  readonly #running = new Set<Promise<void>>();
  readonly #started = new Set<SharedInformer<ApiObject>>();

  constructor(
    private readonly client: Pick<KubernetesClient, "resource">,
    private readonly options: InformerFactoryOptions = {},
  ) {}

  /** The informer of a resource, or of what a selection leaves of it. {@link start} starts it. */
  resource<T extends ApiObject = KubeObject>(
    resource: GroupVersionResource,
    selection: Selection & { readonly namespace?: string } = {},
  ): SharedInformer<T> {
    const { namespace = this.options.namespace, ...selectors } = selection;
    const key = JSON.stringify([resource.group, resource.version, resource.resource, namespace, selectors]);
    let informer = this.#informers.get(key);
    if (informer === undefined) {
      const all = this.client.resource<T>(resource);
      const source = namespace === undefined ? all : all.namespace(namespace);
      const { namespace: _, ...options } = this.options;
      informer = new SharedInformer<T>(source, {
        ...(options as InformerOptions<T>),
        selection: selectors,
      }) as unknown as SharedInformer<ApiObject>;
      this.#informers.set(key, informer);
    }
    return informer as unknown as SharedInformer<T>;
  }

  /** Starts the informers that were asked for and do not run yet. They stop when the signal aborts. */
  start(signal: AbortSignal): void {
    for (const informer of this.#informers.values()) {
      if (this.#started.has(informer)) continue;
      this.#started.add(informer);
      const running = informer.run(signal).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** Resolves when every informer that was started has its first list. */
  async synced(): Promise<void> {
    await Promise.all([...this.#started].map((informer) => informer.synced));
  }

  /** Resolves when nothing of the informers runs any more. */
  async stopped(): Promise<void> {
    await Promise.all(this.#running);
  }
}
