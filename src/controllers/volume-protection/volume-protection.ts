import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import { claimsOfPod, isPodOver } from "../../api/volumes/claims-of-pod.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { podsOfClaims } from "../pods-of-claims.js";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** Lets a claim that is being deleted go when no pod uses it any more. */
export function claimProtection({ client, manager }: ControllerContext): void {
  const podsUsing = podsOfClaims(manager.informers);
  manager
    .controllerFor("v1", "PersistentVolumeClaim", { when: (claim) => isHeldBy(CLAIM_FINALIZER, claim) })
    .named("persistentvolumeclaim-protection-controller")
    .watches("v1", "Pod", claimsOfPod)
    .reconcile(async ({ namespace, name, object: claim }) => {
      if (claim === undefined || !isHeldBy(CLAIM_FINALIZER, claim)) return;
      if (podsUsing(`${namespace}/${name}`).length > 0) return;
      // A pod that was created just before may not be in the cache yet.
      for await (const pod of client.of("v1", "Pod").namespace(namespace).listAll()) {
        if (!isPodOver(pod) && claimsOfPod(pod).some((one) => one.name === name)) return;
      }
      await removeFinalizer(client.of("v1", "PersistentVolumeClaim").namespace(namespace), claim, CLAIM_FINALIZER);
    });
}

/** Lets a volume that is being deleted go when no claim is bound to it. */
export function volumeProtection({ client, manager }: ControllerContext): void {
  const mayGo = (volume: PersistentVolume): boolean =>
    isHeldBy(VOLUME_FINALIZER, volume) && volume.status?.phase !== "Bound";
  manager
    .controllerFor("v1", "PersistentVolume", { when: mayGo })
    .named("persistentvolume-protection-controller")
    .reconcile(async ({ object: volume }) => {
      if (volume === undefined || !mayGo(volume)) return;
      await removeFinalizer(client.of("v1", "PersistentVolume"), volume, VOLUME_FINALIZER);
    });
}

function isHeldBy(finalizer: string, { metadata }: ApiObject): boolean {
  return metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;
}

async function removeFinalizer<T extends PersistentVolume | PersistentVolumeClaim>(
  client: ResourceClient<T>,
  object: T,
  finalizer: string,
): Promise<void> {
  try {
    const finalizers = (object.metadata?.finalizers ?? []).filter((one) => one !== finalizer);
    await client.update({ ...object, metadata: { ...object.metadata, finalizers } });
  } catch (error) {
    // Deleted, or changed since the cache saw it: the change reconciles the object again.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
