import { RESOURCE_CLAIMS } from "../../api/quota/index.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import type { SharedInformer } from "../../client/informers/index.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { isOver } from "../owned-pods/pod-state.js";

type CountedInformer = Pick<SharedInformer<ApiObject>, "addHandler" | "lister" | "synced">;

/** A change of an object that may change a quota's usage. The server has charged quotas for new objects already. */
export interface CountedChange {
  readonly namespace: string;
  readonly resource: string;
  /** The object was created just now: a server has charged quotas for it. */
  readonly isNew?: boolean;
}

/** The resources whose objects may use more or less after a change. */
const CHANGING: ReadonlySet<string> = new Set(["pods", "services", "persistentvolumeclaims", RESOURCE_CLAIMS]);

/** The objects that quotas count. A resource is watched from the first quota on that names it. */
export class CountedObjects {
  readonly #informers = new Map<string, CountedInformer>();
  readonly #clients = new Map<string, ResourceClient<ApiObject>>();

  constructor(
    private readonly context: Pick<ControllerContext, "client" | "manager" | "served" | "signal">,
    private readonly changed: (change: CountedChange) => void,
  ) {}

  /** Follows a resource, "pods" or "deployments.apps"; resolves when its objects are known. One that is not served is not followed. */
  async follow(resource: string): Promise<void> {
    const informer = this.#informers.get(resource) ?? (await this.#start(resource));
    await informer?.synced;
  }

  /** The objects of a namespace; undefined for a resource that is not followed. */
  in(namespace: string, resource: string): readonly ApiObject[] | undefined {
    return this.#informers.get(resource)?.lister.namespace(namespace).list();
  }

  /** {@link in} as the store has them now. */
  async current(namespace: string, resource: string): Promise<readonly ApiObject[] | undefined> {
    const { signal } = this.context;
    return (await this.#clients.get(resource)?.namespace(namespace).list({ signal }))?.items;
  }

  async #start(name: string): Promise<CountedInformer | undefined> {
    const { client, manager, served, signal } = this.context;
    const { resources } = await served.all();
    const found = resources.find(
      ({ group, resource, namespaced, preferred }) =>
        namespaced && preferred && name === (group === "" ? resource : `${resource}.${group}`),
    );
    const known = this.#informers.get(name);
    if (found === undefined || known !== undefined) return known;
    const { group, version, resource } = found;
    const informer =
      name === "pods"
        ? manager.informers.of<string, string>("v1", "Pod")
        : manager.informers.resource<ApiObject>({ group, version, resource });
    this.#informers.set(name, informer);
    this.#clients.set(name, client.resource<ApiObject>({ group, version, resource }));
    const changed = (one: ApiObject, states: Pick<CountedChange, "isNew"> = {}): void =>
      this.changed({ namespace: one.metadata?.namespace ?? "", resource: name, ...states });
    informer.addHandler({
      added: (one, isInitial) => changed(one, isInitial ? {} : { isNew: true }),
      updated: (before, after) => {
        if (!CHANGING.has(name)) return;
        if (name !== "pods" || changesUsage(before as Pod, after as Pod)) changed(after);
      },
      deleted: (one) => changed(one),
    });
    manager.informers.start(signal);
    return informer;
  }
}

function changesUsage(before: Pod, after: Pod): boolean {
  return (
    isOver(before) !== isOver(after) ||
    before.metadata?.generation !== after.metadata?.generation ||
    before.metadata?.deletionTimestamp !== after.metadata?.deletionTimestamp
  );
}
