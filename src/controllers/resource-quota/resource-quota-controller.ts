import { smallest } from "../../base/collections/append.js";
import { chargedUntil, countedResources, isExtendedRequest, quotaStatus } from "../../api/quota/index.js";
import { resizeSumsOf } from "../../api/pods/pod-total.js";
import type { Pod, ResourceQuota } from "../../api/types/core/v1.js";
import type { DeviceClass } from "../../api/types/resource/v1.js";
import { objectKey, type SharedInformer } from "../../client/informers/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { unlessChanged } from "../writes.js";
import { CountedObjects } from "./counted-objects.js";
import { recount } from "./recount.js";
import type { Stored } from "../../client/dynamic/stored.js";

/**
 * The classes of devices, which decide what extended resources claims take. The controller follows them from the first quota on that
 * counts such a resource.
 */
class DeviceClasses {
  #informer: SharedInformer<Stored<DeviceClass>> | undefined;

  constructor(
    private readonly context: Pick<ControllerContext, "manager" | "served" | "signal">,
    /** Called for each class that is added, changed or removed. */
    private readonly changed: () => void,
  ) {}

  /** The classes that the informer knows; none before {@link follow}, and none where the server does not serve them. */
  get known(): readonly DeviceClass[] {
    return this.#informer?.lister.list() ?? [];
  }

  /** Resolves when all classes are known. */
  async follow(): Promise<void> {
    const informer = this.#informer ?? (await this.#start());
    await informer?.synced;
  }

  async #start(): Promise<SharedInformer<Stored<DeviceClass>> | undefined> {
    const { manager, served, signal } = this.context;
    const { resources } = await served.all();
    const isServed = resources.some(
      ({ group, version, resource }) => group === "resource.k8s.io" && version === "v1" && resource === "deviceclasses",
    );
    // Another worker may have started it meanwhile.
    if (!isServed || this.#informer !== undefined) return this.#informer;
    const informer = manager.informers.of("resource.k8s.io/v1", "DeviceClass");
    this.#informer = informer;
    informer.addHandler({ added: this.changed, updated: this.changed, deleted: this.changed });
    manager.informers.start(signal);
    return informer;
  }
}

/** How often a quota is counted again because of new objects alone, in milliseconds: servers charge quotas for those. */
const PERIOD = 2000;

/** When a quota with open charges is counted again, in milliseconds. */
const SOON = 500;

/**
 * Counts the usage of a namespace's quotas whenever an object is deleted or its usage changes. The informers tell whether there is
 * something to write; the written amounts come from the store's latest state, see {@link recount}.
 */
export function resourceQuotaController(context: ControllerContext): void {
  const { client, manager, clock, cluster } = context;
  const resizes = resizeSumsOf(context.release);
  const quotas = client.of("v1", "ResourceQuota");
  const informer = manager.informers.of("v1", "ResourceQuota");
  const known = informer.lister;
  /** When each quota is to be counted again at the earliest, in milliseconds. */
  const due = new Map<string, number>();
  /** Quotas that may have room now. */
  const urgent = new Set<string>();
  informer.addHandler({
    deleted(quota) {
      const key = objectKey(quota);
      due.delete(key);
      urgent.delete(key);
    },
  });
  const objects = new CountedObjects(context, ({ namespace, resource, isNew }) => {
    for (const quota of known.namespace(namespace).list()) {
      if (!resourcesOf(quota, classes.known).has(resource)) continue;
      const key = objectKey(quota);
      if (isNew !== true) urgent.add(key);
      controller.enqueue(key);
    }
  });
  const classes = new DeviceClasses(context, () => {
    for (const quota of known.list().filter(countsExtended)) {
      urgent.add(objectKey(quota));
      controller.enqueue(objectKey(quota));
    }
  });
  const count = (namespace: string, name: string, now: number, present: readonly DeviceClass[]) =>
    recount(
      {
        quota: () => unlessGone(quotas.namespace(namespace).get(name)),
        open: async ({ metadata }) => (await cluster.openCharges?.of(metadata?.uid ?? "")) ?? new Map(),
        async objects(quota) {
          const found = new Map<string, readonly ApiObject[]>();
          for (const resource of resourcesOf(quota, present)) {
            const items = await objects.current(namespace, resource);
            if (items !== undefined) found.set(resource, items);
          }
          return found;
        },
      },
      now,
      present,
      resizes,
    );
  const controller = manager
    .controllerFor("v1", "ResourceQuota")
    .named("resourcequota-controller")
    .workers(5)
    .reconcile(async ({ namespace, name, object: quota }) => {
      if (quota === undefined) return;
      const key = objectKey(quota);
      if (countsExtended(quota)) await classes.follow();
      const present = classes.known;
      for (const resource of resourcesOf(quota, present)) await objects.follow(resource);
      const now = clock.now();
      const isUrgent = urgent.delete(key) || !isCounted(quota);
      const left = (due.get(key) ?? now) - now;
      if (!isUrgent && left > 0 && left <= PERIOD) return { requeueAfterMilliseconds: left };
      const pods = (objects.in(namespace, "pods") ?? []) as readonly Pod[];
      const ends = pods.map((pod) => (chargedUntil(pod) ?? 0) + 1).filter((end) => end > now);
      due.set(key, smallest([now + PERIOD, ...ends]));
      let wait = smallest(ends.map((end) => end - now));
      const counted = (resource: string) => objects.in(namespace, resource);
      if (quotaStatus(quota, counted, now, undefined, present, resizes) !== undefined) {
        const found = await count(namespace, name, now, present);
        if (found === undefined) return;
        const { quota: current, status, isOpen } = found;
        const written =
          status === undefined ? current : await unlessChanged(quotas.updateStatus({ ...current, status }));
        if (written === undefined || isOpen) {
          urgent.add(key);
          wait = Math.min(wait, SOON);
        }
      }
      return Number.isFinite(wait) ? { requeueAfterMilliseconds: wait } : undefined;
    });
}

async function unlessGone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether the status has an amount for each limit of the spec. */
function isCounted({ spec, status }: ResourceQuota): boolean {
  const [hard, known] = [spec?.hard ?? {}, status?.hard ?? {}];
  const names = Object.keys(hard);
  return (
    names.length === Object.keys(known).length &&
    names.every((name) => known[name] === hard[name] && status?.used?.[name] !== undefined)
  );
}

const namesOf = ({ spec }: ResourceQuota): readonly string[] => Object.keys(spec?.hard ?? {});

const countsExtended = (quota: ResourceQuota): boolean => namesOf(quota).some(isExtendedRequest);

const resourcesOf = (quota: ResourceQuota, classes: readonly DeviceClass[]): ReadonlySet<string> =>
  new Set(namesOf(quota).flatMap((name) => countedResources(name, classes)));
