import type { FieldsOf } from "../../machinery/meta/received.js";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
} from "../../api/types/core/v1.js";
import { claimsOfPod, isPodOver } from "../../api/volumes/claims.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import type { ObjectMeta, ApiObject } from "../../machinery/meta/object.js";
import { formatTime } from "../../machinery/meta/time.js";
import type { ControllerContext } from "../context.js";
import { podsOfClaims } from "../pod-indexes.js";
import { unlessChanged } from "../writes.js";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/**
 * Adds a finalizer to claims, removes it from one that is being deleted once no pod uses it, and, with the gate
 * PersistentVolumeClaimUnusedSinceTime, records on bound claims whether a pod uses them.
 */
export function claimProtection({ client, manager, clock, gates }: ControllerContext): void {
  const podsUsing = podsOfClaims(manager.informers);
  const notesUse = gates.enabled("PersistentVolumeClaimUnusedSinceTime");
  manager
    .controllerFor("v1", "PersistentVolumeClaim", {
      when: (claim) => protection(CLAIM_FINALIZER, claim) !== "none" || (notesUse && isBound(claim)),
    })
    .named("persistentvolumeclaim-protection-controller")
    .watches("v1", "Pod", claimsOfPod)
    .reconcile(async ({ namespace, name, object: claim }) => {
      if (claim === undefined) return;
      const claims = client.of("v1", "PersistentVolumeClaim").namespace(namespace);
      const due = protection(CLAIM_FINALIZER, claim);
      if (due === "add") return writeFinalizers(claims, claim, withFinalizer(claim, CLAIM_FINALIZER));
      const isUsed = podsUsing(`${namespace}/${name}`).length > 0;
      if (due === "none") {
        const conditions = notesUse ? useConditions(claim, isUsed, clock.now()) : undefined;
        if (conditions === undefined) return;
        await unlessChanged(claims.updateStatus({ ...claim, status: { ...claim.status, conditions } }));
        return;
      }
      if (isUsed) return;
      // A pod that was created just before may not be in the cache yet.
      for await (const pod of client.of("v1", "Pod").namespace(namespace).listAll()) {
        if (!isPodOver(pod) && claimsOfPod(pod).some((one) => one.name === name)) return;
      }
      await writeFinalizers(claims, claim, withoutFinalizer(claim, CLAIM_FINALIZER));
    });
}

const isBound = ({ status }: PersistentVolumeClaim): boolean => status?.phase === "Bound";

/**
 * Returns the conditions of a claim with the one that tells since when no pod uses it. Undefined when nothing changes, and for
 * claims that are being deleted or are not bound yet, whose conditions the binder writes. `now` in milliseconds.
 */
export function useConditions(
  claim: PersistentVolumeClaim,
  isUsed: boolean,
  now: number,
): PersistentVolumeClaimCondition[] | undefined {
  if (!isBound(claim) || claim.metadata?.deletionTimestamp !== undefined) return undefined;
  const conditions = claim.status?.conditions ?? [];
  const place = conditions.findIndex(({ type }) => type === "Unused");
  const status = isUsed ? "False" : "True";
  if (conditions[place]?.status === status) return undefined;
  const condition: PersistentVolumeClaimCondition = {
    type: "Unused",
    status,
    lastTransitionTime: formatTime(now),
    reason: isUsed ? "PodUsingPVC" : "NoPodsUsingPVC",
    message: isUsed ? "A pod is currently referencing this PVC" : "No pods are currently referencing this PVC",
  };
  return place < 0 ? [...conditions, condition] : conditions.with(place, condition);
}

/** Adds a finalizer to volumes, and removes it from one that is being deleted once no claim is bound to it. */
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

/** Decides whether to add a finalizer to an object, or to remove it from one that is being deleted. */
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
  await unlessChanged(
    client.update({
      ...object,
      metadata: { ...object.metadata, finalizers } satisfies FieldsOf<ObjectMeta>,
    }),
  );
}
