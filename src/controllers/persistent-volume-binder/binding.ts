import type { FieldsOf } from "../../machinery/meta/received.js";
import type {
  PersistentVolumeSpec,
  PersistentVolumeClaimStatus,
  PersistentVolumeClaimSpec,
  ObjectReference,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimPhase,
} from "../../api/types/core/v1.js";
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, STORAGE_PROVISIONER } from "../../api/volumes/claims.js";
import { isBoundTo } from "../../api/volumes/volume-match.js";
import type { ObjectMeta, ApiObject } from "../../machinery/meta/object.js";

/** Makes the claimRef of a volume that refers to the claim. */
export function referenceToClaim({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata ?? {};
  return { kind: "PersistentVolumeClaim", namespace, name, uid, apiVersion: "v1", resourceVersion };
}

/** Returns the volume bound to the claim; the same object when it is so already. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const chosen = !isBoundTo(volume, claim);
  const complete = !chosen && volume.spec?.claimRef?.uid === claim.metadata?.uid;
  if (complete) return volume;
  const bound = {
    ...volume,
    spec: { ...volume.spec, claimRef: referenceToClaim(claim) } satisfies FieldsOf<PersistentVolumeSpec>,
  } satisfies FieldsOf<PersistentVolume>;
  return chosen ? annotated(bound, { [BOUND_BY_CONTROLLER]: "yes" }) : bound;
}

/** Returns the claim bound to the volume; the same object when it is so already. */
export function boundClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const volumeName = volume.metadata?.name ?? "";
  const chosen = claim.spec?.volumeName !== volumeName;
  const bound = chosen
    ? ({
        ...claim,
        spec: { ...claim.spec, volumeName } satisfies FieldsOf<PersistentVolumeClaimSpec>,
      } satisfies FieldsOf<PersistentVolumeClaim>)
    : claim;
  return annotated(bound, { ...(chosen && { [BOUND_BY_CONTROLLER]: "yes" }), [BIND_COMPLETED]: "yes" });
}

/** Returns the volume without its claim. A volume that a user reserved stays reserved by name. */
export function unboundVolume(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  const { [BOUND_BY_CONTROLLER]: byController, ...annotations } = volume.metadata?.annotations ?? {};
  if (byController === undefined) {
    const { uid: _, ...reserved } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: reserved } };
  }
  const { annotations: _, ...metadata } = volume.metadata ?? {};
  const left = Object.keys(annotations).length > 0 ? ({ annotations } satisfies FieldsOf<ObjectMeta>) : {};
  return { ...volume, metadata: { ...metadata, ...left }, spec };
}

/** Returns the claim with the annotation for its external provisioner; the same object when it has it already. */
export function awaitingProvisioner(claim: PersistentVolumeClaim, provisioner: string): PersistentVolumeClaim {
  return annotated(claim, Object.fromEntries(STORAGE_PROVISIONER.map((key) => [key, provisioner])));
}

/**
 * Returns the claim in a phase, with the access modes of its volume and, when it becomes bound, with its size and attributes;
 * later changes of those are the expander's. The same object when nothing changes. Throws for a volume without a size.
 */
export function claimInPhase(
  claim: PersistentVolumeClaim,
  phase: PersistentVolumeClaimPhase,
  volume?: PersistentVolume,
): PersistentVolumeClaim {
  const { accessModes, capacity, ...rest } = claim.status ?? {};
  const kept = rest.phase === phase;
  if (volume === undefined) {
    const same = kept && accessModes === undefined && capacity === undefined;
    return same ? claim : { ...claim, status: { ...rest, phase } };
  }
  const { accessModes: modes = [], volumeAttributesClassName: attributes } = volume.spec ?? {};
  if (kept) {
    return sameList(accessModes ?? [], modes) ? claim : { ...claim, status: { ...claim.status, accessModes: modes } };
  }
  const size = volume.spec?.capacity?.["storage"];
  if (size === undefined) {
    throw new Error(`PersistentVolume "${volume.metadata?.name ?? ""}" is without a storage capacity`);
  }
  const current =
    attributes === undefined
      ? {}
      : ({ currentVolumeAttributesClassName: attributes } satisfies FieldsOf<PersistentVolumeClaimStatus>);
  return { ...claim, status: { ...rest, phase, accessModes: modes, capacity: { storage: size }, ...current } };
}

/** An object with more annotations; the same object when it has them. */
function annotated<T extends ApiObject>(object: T, annotations: Readonly<Record<string, string>>): T {
  const had = object.metadata?.annotations ?? {};
  if (Object.entries(annotations).every(([key, value]) => had[key] === value)) return object;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...had, ...annotations } } satisfies FieldsOf<ObjectMeta>,
  } satisfies FieldsOf<ApiObject>;
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);
