import { smallest } from "../../base/collections/append.js";
import { chargedUntil, countedResources, isExtendedRequest, quotaStatus } from "../../api/quota/index.js";
import type { Pod, ResourceQuota } from "../../api/types/core/v1.js";
import type { DeviceClass } from "../../api/types/resource/v1.js";
import { objectKey } from "../../client/informers/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { unlessChanged } from "../unless-changed.js";
import { CountedObjects } from "./counted-objects.js";
import { DeviceClasses } from "./device-classes.js";
import { recount } from "./recount.js";

/** How often a quota is counted again because of new objects alone, in milliseconds: servers charge quotas for those. */
const PERIOD = 2000;

/** When a quota with open charges is counted again, in milliseconds. */
const SOON = 500;

/**
 * Counts what the objects of a namespace use of its quotas, whenever one of them is deleted or uses another amount. The informers say
 * whether there is something to write; what is written is counted by the store's latest state, see {@link recount}.
 */
export function resourceQuotaController(context: ControllerContext): void {
  const { client, manager, clock, cluster } = context;
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
      if (quotaStatus(quota, (resource) => objects.in(namespace, resource), now, undefined, present) !== undefined) {
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
