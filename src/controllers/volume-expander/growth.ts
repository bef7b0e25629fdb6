import type { PersistentVolume, PersistentVolumeClaim, ResourceList } from "../../api/types/core/v1.js";
import { PROVISIONED_BY } from "../../api/volumes/annotations.js";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  zeroQuantity,
} from "../../machinery/text/quantity/quantity.js";
import { PROVISIONER } from "../volume-provisioner/default-class.js";

/** Whether a bound claim asks for more than it has. */
export function wantsToGrow(claim: PersistentVolumeClaim): boolean {
  const held = claim.status?.capacity?.["storage"];
  if (claim.status?.phase !== "Bound" || held === undefined) return false;
  return compareQuantities(requestOf(claim), parseQuantity(held)) > 0;
}

/** Whether the cluster made a volume itself, and can make it larger. */
export const isOwnVolume = ({ metadata }: PersistentVolume): boolean =>
  metadata?.annotations?.[PROVISIONED_BY] === PROVISIONER;

/** The volume in the size that its claim asks for; the same object when it is large enough. */
export function grownVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  if (compareQuantities(sizeOf(volume), requestOf(claim)) >= 0) return volume;
  const storage = claim.spec?.resources?.requests?.["storage"] ?? "";
  return { ...volume, spec: { ...volume.spec, capacity: { ...volume.spec?.capacity, storage } } };
}

/** The claim in the size of its volume, with nothing left to resize. */
export function grownClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { conditions = [], allocatedResourceStatuses: _, ...status } = claim.status ?? {};
  const left = conditions.filter(({ type }) => type !== "Resizing" && type !== "FileSystemResizePending");
  const storage = volume.spec?.capacity?.["storage"] ?? "";
  return {
    ...claim,
    status: {
      ...status,
      ...(left.length > 0 && { conditions: left }),
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
