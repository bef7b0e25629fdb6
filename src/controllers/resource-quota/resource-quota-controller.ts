import {
  chargedUntil,
  countedResource,
  isInScopes,
  moreUsage,
  objectUsage,
  quotaStatus,
  scopesOf,
} from "../../api/quota/index.js";
import type { Pod, ResourceQuota } from "../../api/types/core/v1.js";
import { objectKey } from "../../client/informers/index.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { CountedObjects } from "./counted-objects.js";
import { RecentCharges } from "./recent-charges.js";
import { unlessChanged } from "../unless-changed.js";

/** How often a quota is counted again because of new objects alone, in milliseconds: servers charge quotas for those. */
const PERIOD = 2000;

/**
 * Counts what the objects of a namespace use of its quotas, whenever one of them is deleted or uses another amount. What servers charged
 * of late it leaves to the quotas, until the objects of those charges must be there.
 */
export function resourceQuotaController(context: ControllerContext): void {
  const { client, manager, clock } = context;
  const quotas = client.of("v1", "ResourceQuota");
  const informer = manager.informers.of("v1", "ResourceQuota");
  const known = informer.lister;
  const charges = new RecentCharges();
  /** When each quota is to be counted again at the earliest, in milliseconds. */
  const due = new Map<string, number>();
  /** Quotas that may have room now. */
  const urgent = new Set<string>();
  const note = (before: ResourceQuota | undefined, after: ResourceQuota, isInitial = false): void => {
    charges.note(objectKey(after), before, after, clock.now(), isInitial);
    controller.enqueue(objectKey(after));
  };
  informer.addHandler({
    added: (quota, isInitial) => note(undefined, quota, isInitial),
    updated: (before, after) => note(before, after),
    deleted(quota) {
      const key = objectKey(quota);
      charges.forget(key);
      due.delete(key);
      urgent.delete(key);
    },
  });
  const objects = new CountedObjects(context, ({ namespace, resource, before, after }) => {
    const now = clock.now();
    for (const quota of known.namespace(namespace).list()) {
      if (!resourcesOf(quota).has(resource)) continue;
      const key = objectKey(quota);
      if (before !== undefined || after === undefined) urgent.add(key);
      const isIn = (one: ApiObject | undefined) =>
        one !== undefined && isInScopes(resource, one, scopesOf(quota.spec ?? {}));
      if (after !== undefined && isIn(after)) {
        const old = before !== undefined && isIn(before) ? objectUsage(resource, before, now) : undefined;
        charges.settle(key, moreUsage(objectUsage(resource, after, now), old), now);
      }
      controller.enqueue(key);
    }
  });
  const controller = manager
    .controllerFor("v1", "ResourceQuota")
    .named("resourcequota-controller")
    .workers(5)
    .reconcile(async ({ namespace, object: quota }) => {
      if (quota === undefined) return;
      for (const resource of resourcesOf(quota)) await objects.follow(resource);
      const key = objectKey(quota);
      // The handler that notes this version calls again.
      if (!charges.hasNoted(key, quota)) return;
      const now = clock.now();
      const isUrgent = urgent.delete(key) || !isCounted(quota);
      const left = (due.get(key) ?? now) - now;
      if (!isUrgent && left > 0 && left <= PERIOD) return { requeueAfterMilliseconds: left };
      const pods = (objects.in(namespace, "pods") ?? []) as readonly Pod[];
      const ends = pods.map((pod) => (chargedUntil(pod) ?? 0) + 1).filter((end) => end > now);
      due.set(key, Math.min(now + PERIOD, ...ends));
      const objectsOf = (resource: string) => objects.in(namespace, resource);
      const status = quotaStatus(quota, objectsOf, now, charges.of(key, now));
      if (status !== undefined) {
        const written = await unlessChanged(quotas.updateStatus({ ...quota, status }));
        if (written === undefined) urgent.add(key);
      }
      const wait = Math.min(...ends.map((end) => end - now), charges.nextEnd(key, now) ?? Number.POSITIVE_INFINITY);
      return Number.isFinite(wait) ? { requeueAfterMilliseconds: wait } : undefined;
    });
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

function resourcesOf({ spec }: ResourceQuota): ReadonlySet<string> {
  return new Set(Object.keys(spec?.hard ?? {}).flatMap((name) => countedResource(name) ?? []));
}
