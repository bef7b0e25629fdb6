import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import { claimsOfPod, isPodOver } from "../../api/volumes/claims.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { podsOfClaims } from "../pod-indexes.js";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** Protects claims, and lets one that is being deleted go when no pod uses it any more. */
export function claimProtection({ client, manager }: ControllerContext): void {
  const podsUsing = podsOfClaims(manager.informers);
  manager
    .controllerFor("v1", "PersistentVolumeClaim", { when: (claim) => protection(CLAIM_FINALIZER, claim) !== "none" })
    .named("persistentvolumeclaim-protection-controller")
    .watches("v1", "Pod", claimsOfPod)
    .reconcile(async ({ namespace, name, object: claim }) => {
      const due = claim === undefined ? "none" : protection(CLAIM_FINALIZER, claim);
      if (claim === undefined || due === "none") return;
      const claims = client.of("v1", "PersistentVolumeClaim").namespace(namespace);
      if (due === "add") return writeFinalizers(claims, claim, withFinalizer(claim, CLAIM_FINALIZER));
      if (podsUsing(`${namespace}/${name}`).length > 0) return;
      // A pod that was created just before may not be in the cache yet.
      for await (const pod of client.of("v1", "Pod").namespace(namespace).listAll()) {
        if (!isPodOver(pod) && claimsOfPod(pod).some((one) => one.name === name)) return;
      }
      await writeFinalizers(claims, claim, withoutFinalizer(claim, CLAIM_FINALIZER));
    });
}

/** Protects volumes, and lets one that is being deleted go when no claim is bound to it. */
export function volumeProtection({ client, manager }: ControllerContext): void {
  const dueOf = (volume: PersistentVolume): Protection => {
    const due = protection(VOLUME_FINALIZER, volume);
    return due === "remove" && volume.status?.phase === "Bound" ? "none" : due;
  };
  manager
    .controllerFor("v1", "PersistentVolume", { when: (volume) => dueOf(volume) !== "none" })
    .named("persistentvolume-protection-controller")
    .reconcile(async ({ object: volume }) => {
      if (volume === undefined || dueOf(volume) === "none") return;
      const changed = dueOf(volume) === "add" ? withFinalizer : withoutFinalizer;
      await writeFinalizers(client.of("v1", "PersistentVolume"), volume, changed(volume, VOLUME_FINALIZER));
    });
}

export type Protection = "add" | "remove" | "none";

/** What is due with an object's finalizer: it is added to what lives, and may be removed from what is being deleted. */
export function protection(finalizer: string, { metadata }: ApiObject): Protection {
  const isHeld = metadata?.finalizers?.includes(finalizer) === true;
  if (metadata?.deletionTimestamp === undefined) return isHeld ? "none" : "add";
  return isHeld ? "remove" : "none";
}

const withFinalizer = ({ metadata }: ApiObject, finalizer: string) => [...(metadata?.finalizers ?? []), finalizer];

const withoutFinalizer = ({ metadata }: ApiObject, finalizer: string) =>
  (metadata?.finalizers ?? []).filter((one) => one !== finalizer);

async function writeFinalizers<T extends PersistentVolume | PersistentVolumeClaim>(
  client: ResourceClient<T>,
  object: T,
  finalizers: string[],
): Promise<void> {
  try {
    await client.update({ ...object, metadata: { ...object.metadata, finalizers } });
  } catch (error) {
    // Deleted, or changed since the cache saw it: the change reconciles the object again.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
