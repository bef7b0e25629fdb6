import {
  chargedUntil,
  countedResource,
  isInScopes,
  objectUsage,
  quotaStatus,
  scopesOf,
} from "../../api/quota/index.js";
import type { Pod, ResourceQuota } from "../../api/types/core/v1.js";
import { objectKey } from "../../client/informers/index.js";
import type { ControllerContext } from "../context.js";
import { CountedObjects } from "./counted-objects.js";
import { RecentCharges } from "./recent-charges.js";
import { unlessChanged } from "../unless-changed.js";

/**
 * Counts what the objects of a namespace use of its quotas, whenever one of them changes. What servers charged of late it leaves to the
 * quotas, until the objects of those charges must be there.
 */
export function resourceQuotaController(context: ControllerContext): void {
  const { client, manager, clock } = context;
  const quotas = client.of("v1", "ResourceQuota");
  const informer = manager.informers.of("v1", "ResourceQuota");
  const known = informer.lister;
  const charges = new RecentCharges();
  const note = (before: ResourceQuota | undefined, after: ResourceQuota): void => {
    charges.note(objectKey(after), before, after, clock.now());
    controller.enqueue(objectKey(after));
  };
  informer.addHandler({
    added: (quota) => note(undefined, quota),
    updated: note,
    deleted: (quota) => charges.forget(objectKey(quota)),
  });
  const objects = new CountedObjects(context, (namespace, resource, created) => {
    for (const quota of known.namespace(namespace).list()) {
      if (!resourcesOf(quota).has(resource)) continue;
      const key = objectKey(quota);
      if (created !== undefined && isInScopes(resource, created, scopesOf(quota.spec ?? {}))) {
        charges.settle(key, objectUsage(resource, created, clock.now()), clock.now());
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
      const objectsOf = (resource: string) => objects.in(namespace, resource);
      const status = quotaStatus(quota, objectsOf, now, charges.of(key, now));
      if (status !== undefined) await unlessChanged(quotas.updateStatus({ ...quota, status }));
      const pods = (objects.in(namespace, "pods") ?? []) as readonly Pod[];
      const ends = pods.map((pod) => chargedUntil(pod) ?? 0).filter((end) => end >= now);
      const waits = [...ends.map((end) => end - now + 1), charges.nextEnd(key, now) ?? Number.POSITIVE_INFINITY];
      const wait = Math.min(...waits);
      return Number.isFinite(wait) ? { requeueAfterMilliseconds: wait } : undefined;
    });
}

function resourcesOf({ spec }: ResourceQuota): ReadonlySet<string> {
  return new Set(Object.keys(spec?.hard ?? {}).flatMap((name) => countedResource(name) ?? []));
}
