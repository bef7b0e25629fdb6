import type { Pod } from "../../api/types/core/v1.js";
import type { SharedInformer } from "../../client/informers/index.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { isOver } from "../owned-pods/pod-state.js";

/** The objects that quotas count. A resource is followed from the first quota on that names it. */
export class CountedObjects {
  readonly #informers = new Map<string, SharedInformer<ApiObject>>();

  constructor(
    private readonly context: Pick<ControllerContext, "manager" | "served" | "signal">,
    /** Called for each change; `created` is the object that one added. */
    private readonly changed: (namespace: string, resource: string, created?: ApiObject) => void,
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

  async #start(name: string): Promise<SharedInformer<ApiObject> | undefined> {
    const { manager, served, signal } = this.context;
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
        ? (manager.informers.of("v1", "Pod") as unknown as SharedInformer<ApiObject>)
        : manager.informers.resource<ApiObject>({ group, version, resource });
    this.#informers.set(name, informer);
    const changed = ({ metadata }: ApiObject): void => this.changed(metadata?.namespace ?? "", name);
    informer.addHandler({
      added: (created, isInitial) => {
        this.changed(created.metadata?.namespace ?? "", name, isInitial ? undefined : created);
      },
      updated: (before, after) => {
        if (name !== "pods" || changesUsage(before as Pod, after as Pod)) changed(after);
      },
      deleted: changed,
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
