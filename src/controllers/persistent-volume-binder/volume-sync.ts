import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { type BinderParts, BinderWrites } from "./binder-parts.js";
import { unboundVolume } from "./binding.js";
import { planReclaim, planVolume } from "./volume-plan.js";

/** Shows the state of volumes, and reclaims those that their claims have left. */
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
