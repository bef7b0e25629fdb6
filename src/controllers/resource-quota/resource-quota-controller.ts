import { chargedUntil, countedResource, quotaStatus } from "../../api/quota/index.js";
import type { Pod, ResourceQuota } from "../../api/types/core/v1.js";
import { objectKey } from "../../client/informers/index.js";
import type { ControllerContext } from "../context.js";
import { CountedObjects } from "./counted-objects.js";
import { unlessChanged } from "../unless-changed.js";

/** Counts what the objects of a namespace use of its quotas, whenever one of them changes. */
export function resourceQuotaController(context: ControllerContext): void {
  const { client, manager, clock } = context;
  const quotas = client.of("v1", "ResourceQuota");
  const known = manager.informers.of("v1", "ResourceQuota").lister;
  const objects = new CountedObjects(context, (namespace, resource) => {
    for (const quota of known.namespace(namespace).list()) {
      if (resourcesOf(quota).has(resource)) controller.enqueue(objectKey(quota));
    }
  });
  const controller = manager
    .controllerFor("v1", "ResourceQuota")
    .named("resourcequota-controller")
    .workers(5)
    .reconcile(async ({ namespace, object: quota }) => {
      if (quota === undefined) return;
      for (const resource of resourcesOf(quota)) await objects.follow(resource);
      const now = clock.now();
      const status = quotaStatus(quota, (resource) => objects.in(namespace, resource), now);
      if (status !== undefined) await unlessChanged(quotas.updateStatus({ ...quota, status }));
      const pods = (objects.in(namespace, "pods") ?? []) as readonly Pod[];
      const ends = pods.map((pod) => chargedUntil(pod) ?? 0).filter((end) => end >= now);
      return ends.length === 0 ? undefined : { requeueAfterMilliseconds: Math.min(...ends) - now + 1 };
    });
}

function resourcesOf({ spec }: ResourceQuota): ReadonlySet<string> {
  return new Set(Object.keys(spec?.hard ?? {}).flatMap((name) => countedResource(name) ?? []));
}
