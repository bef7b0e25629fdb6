import type { FieldsOf } from "../../machinery/meta/received.js";
import type {
  PersistentVolumeClaimStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  ResourceList,
} from "../../api/types/core/v1.js";
import type { ControllerContext } from "../context.js";
import { PROVISIONER } from "../volume-provisioner/volume-provisioner.js";
import { PROVISIONED_BY } from "../../api/volumes/claims.js";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  zeroQuantity,
} from "../../machinery/text/quantity/quantity.js";

/** Whether a bound claim requests more than its capacity. */
export function wantsToGrow(claim: PersistentVolumeClaim): boolean {
  const held = claim.status?.capacity?.["storage"];
  if (claim.status?.phase !== "Bound" || held === undefined) return false;
  return compareQuantities(requestOf(claim), parseQuantity(held)) > 0;
}

/** Whether the cluster made a volume itself, and can make it larger. */
export const isOwnVolume = ({ metadata }: PersistentVolume): boolean =>
  metadata?.annotations?.[PROVISIONED_BY] === PROVISIONER;

/** Returns the volume in the size that its claim requests; the same object when it is large enough. */
export function grownVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  if (compareQuantities(sizeOf(volume), requestOf(claim)) >= 0) return volume;
  const storage = claim.spec?.resources?.requests?.["storage"] ?? "";
  return { ...volume, spec: { ...volume.spec, capacity: { ...volume.spec?.capacity, storage } } };
}

/** Returns the claim in the size of its volume, with nothing left to resize. */
export function grownClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { conditions = [], allocatedResourceStatuses: _, ...status } = claim.status ?? {};
  const left = conditions.filter(({ type }) => type !== "Resizing" && type !== "FileSystemResizePending");
  const storage = volume.spec?.capacity?.["storage"] ?? "";
  return {
    ...claim,
    status: {
      ...status,
      ...(left.length > 0 && ({ conditions: left } satisfies FieldsOf<PersistentVolumeClaimStatus>)),
      capacity: { ...status.capacity, storage },
      allocatedResources: { ...status.allocatedResources, storage },
    },
  };
}

const sizeOf = ({ spec }: PersistentVolume): Quantity => storageIn(spec?.capacity);
const requestOf = ({ spec }: PersistentVolumeClaim): Quantity => storageIn(spec?.resources?.requests);

function storageIn(amounts: Readonly<ResourceList> | undefined): Quantity {
  const storage = amounts?.["storage"];
  return storage === undefined ? zeroQuantity : parseQuantity(storage);
}

/** How long to wait for a volume whose change is not in the cache yet. */
const SOON_MS = 100;

/** Expands volumes when their claims request more. It expands the cluster's own volumes; external provisioners expand theirs. */
export function volumeExpander(context: ControllerContext): void {
  const { client, manager } = context;
  const volumes = manager.informers.of("v1", "PersistentVolume");
  const claims = client.of("v1", "PersistentVolumeClaim");
  const recorder = context.recorder({ component: "volume_expand" });
  const resizer = context.recorder({ component: `external-resizer ${PROVISIONER}` });

  /** As an external resizer does where the node has nothing to do. */
  const grow = async (claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> => {
    const { namespace = "" } = claim.metadata ?? {};
    const { name = "" } = volume.metadata ?? {};
    resizer.event(claim, "Normal", "Resizing", `External resizer is resizing volume ${name}`);
    const larger = grownVolume(volume, claim);
    const grown = larger === volume ? volume : await client.of("v1", "PersistentVolume").update(larger);
    await claims.namespace(namespace).updateStatus(grownClaim(claim, grown));
    resizer.event(claim, "Normal", "VolumeResizeSuccessful", "Resize volume succeeded");
  };

  manager
    .controllerFor("v1", "PersistentVolumeClaim", { when: wantsToGrow })
    .named("persistentvolume-expander-controller")
    .reads("v1", "PersistentVolume")
    .reconcile(async ({ object: claim }) => {
      if (claim === undefined || !wantsToGrow(claim)) return;
      const volume = volumes.cache.get(claim.spec?.volumeName ?? "");
      // The claim is bound: the cache of volumes is behind that of claims, or the claim becomes Lost.
      const isItsVolume = volume !== undefined && volume.spec?.claimRef?.uid === claim.metadata?.uid;
      if (!isItsVolume) return { requeueAfterMilliseconds: SOON_MS };
      if (isOwnVolume(volume) && context.cluster?.hasVolumes === true) return grow(claim, volume);
      recorder.event(claim, "Normal", "ExternalExpanding", "waiting for an external controller to expand this PVC");
    });
}
