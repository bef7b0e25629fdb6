import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { type BinderParts, BinderWrites } from "./binder-parts.js";
import { unboundVolume } from "./binding.js";
import { PROVISIONED_BY } from "../../api/volumes/claims.js";
import { differsInMode } from "../../api/volumes/volume-match.js";

/** Keeps the status of volumes up to date, and reclaims volumes whose claims were deleted. */
export class VolumeSync {
  readonly #write: BinderWrites;

  constructor(private readonly parts: BinderParts) {
    this.#write = new BinderWrites(parts);
  }

  async sync(volume: PersistentVolume): Promise<void> {
    const claim = await this.#claimOf(volume);
    switch (planVolume(volume, claim).act) {
      case "offer":
        await this.#write.volumePhase(volume, "Available");
        return;
      case "show-bound":
        await this.#write.volumePhase(volume, "Bound");
        return;
      case "unbind":
        return this.#unbind(volume);
      case "reclaim":
        return this.#reclaim(await this.#released(volume));
      case "report-mode":
        if (claim !== undefined) this.#reportMode(volume, claim);
        return;
      case "wait-for-claim":
        if (claim !== undefined) this.parts.enqueueClaim(claim);
    }
  }

  /** From the API where the cache has none: a provisioner's volume can come before the claim that it is for. */
  async #claimOf({ spec, status }: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
    const { namespace = "", name = "", uid = "" } = spec?.claimRef ?? {};
    if (uid === "") return undefined;
    const known = this.parts.knownClaims.get(`${namespace}/${name}`);
    if (known?.metadata?.uid === uid || status?.phase === "Released" || status?.phase === "Failed") return known;
    return this.parts.readClaim(namespace, name);
  }

  /** What reclaiming has failed for stays Failed. */
  async #released(volume: PersistentVolume): Promise<PersistentVolume> {
    return volume.status?.phase === "Failed" ? volume : this.#write.volumePhase(volume, "Released");
  }

  async #reclaim(volume: PersistentVolume): Promise<void> {
    const plan = planReclaim(volume);
    if (plan.act === "fail") return this.#fail(volume, plan.reason, plan.message);
    if (plan.act === "recycle") {
      this.parts.recorder.event(volume, "Normal", "VolumeRecycled", "Volume recycled");
      return this.#unbind(volume);
    }
    if (plan.act !== "delete" || volume.metadata?.deletionTimestamp !== undefined) return;
    try {
      await this.parts.volumes.delete(volume.metadata?.name ?? "");
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #unbind(volume: PersistentVolume): Promise<void> {
    await this.#write.volumePhase(await this.#write.volume(volume, unboundVolume(volume)), "Available");
  }

  async #fail(volume: PersistentVolume, reason: string, message: string): Promise<void> {
    if (volume.status?.phase === "Failed") return;
    const failed = await this.#write.volumePhase(volume, "Failed", message);
    this.parts.recorder.event(failed, "Warning", reason, message);
  }

  #reportMode(volume: PersistentVolume, claim: PersistentVolumeClaim): void {
    const [of, to] = [volume, claim].map(({ metadata }) => metadata?.name ?? "");
    const why = "due to incompatible volumeMode.";
    const { recorder } = this.parts;
    recorder.event(
      volume,
      "Warning",
      "VolumeMismatch",
      `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${to}" ${why}`,
    );
    recorder.event(
      claim,
      "Warning",
      "VolumeMismatch",
      `Cannot bind PersistentVolume "${of}" to requested PersistentVolumeClaim ${why}`,
    );
  }
}

/** The action for a volume, given the claim that it refers to. */
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

/** Plans the action for a volume. `claim` is the claim with the name in its claimRef, whatever its uid. */
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

/** The action that reclaims a released volume. */
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
