import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import { PROVISIONED_BY } from "../../api/volumes/annotations.js";
import { differsInMode } from "../../api/volumes/volume-match.js";

/** What becomes of a volume, given the claim that it names. */
export type VolumePlan =
  /** No claim has it, or a user reserved it for one that is not bound to it yet. */
  | { readonly act: "offer" }
  | { readonly act: "show-bound" }
  /** Its claim exists, and is yet to name it. */
  | { readonly act: "wait-for-claim" }
  /** Its claim can never be bound to it. */
  | { readonly act: "report-mode" }
  /** Its claim is bound to another volume. */
  | { readonly act: "unbind" }
  /** Its claim is gone, or has no use for it. */
  | { readonly act: "reclaim" };

/** `claim` is the one of the name that the volume's claimRef has, whatever its uid. */
export function planVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumePlan {
  const reference = volume.spec?.claimRef;
  const uid = reference?.uid ?? "";
  if (reference === undefined || uid === "") return { act: "offer" };
  if (claim === undefined || claim.metadata?.uid !== uid) return { act: "reclaim" };
  const { volumeName = "" } = claim.spec ?? {};
  if (volumeName === "") return { act: differsInMode(volume, claim) ? "report-mode" : "wait-for-claim" };
  if (volumeName === volume.metadata?.name) return { act: "show-bound" };
  const provisioned = volume.metadata?.annotations?.[PROVISIONED_BY] !== undefined;
  const deletes = volume.spec?.persistentVolumeReclaimPolicy === "Delete";
  return { act: provisioned && deletes ? "reclaim" : "unbind" };
}

/** How a released volume is reclaimed. */
export type Reclaim =
  | { readonly act: "keep" }
  /** The provisioner that made it deletes it. */
  | { readonly act: "leave-to-provisioner" }
  | { readonly act: "recycle" }
  | { readonly act: "delete" }
  | { readonly act: "fail"; readonly reason: string; readonly message: string };

export function planReclaim(volume: PersistentVolume): Reclaim {
  const { persistentVolumeReclaimPolicy: policy = "Retain", hostPath, nfs } = volume.spec ?? {};
  const name = volume.metadata?.name ?? "";
  if (policy === "Retain") return { act: "keep" };
  if (policy === "Recycle") {
    if (hostPath !== undefined || nfs !== undefined) return { act: "recycle" };
    return { act: "fail", reason: "VolumeFailedRecycle", message: "No recycler plugin found for the volume!" };
  }
  if (policy !== "Delete") {
    const message = "Volume has unrecognized PersistentVolumeReclaimPolicy";
    return { act: "fail", reason: "VolumeUnknownReclaimPolicy", message };
  }
  const provisioner = volume.metadata?.annotations?.[PROVISIONED_BY] ?? "";
  if (provisioner !== "" && !provisioner.startsWith("kubernetes.io/")) return { act: "leave-to-provisioner" };
  if (hostPath === undefined) {
    const message = `error getting deleter volume plugin for volume "${name}": no deletable volume plugin matched`;
    return { act: "fail", reason: "VolumeFailedDelete", message };
  }
  if (/^\/tmp\/.+/.test(hostPath.path)) return { act: "delete" };
  const message = `host_path deleter only supports /tmp/.+ but received provided ${hostPath.path}`;
  return { act: "fail", reason: "VolumeFailedDelete", message };
}
