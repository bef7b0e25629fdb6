import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types/core/v1.js";
import type { StorageClass } from "../../api/types/storage/v1.js";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  defaultStorageClass,
  delaysBinding,
  namesStorageClass,
  selectedNode,
  storageClassOf,
} from "../../api/volumes/claims.js";
import { bestVolumeFor, isBoundTo, mismatch } from "../../api/volumes/volume-match.js";
import { objectKey } from "../../client/informers/index.js";
import { type BinderParts, BinderWrites } from "./binder-parts.js";
import { awaitingProvisioner, claimInPhase } from "./binding.js";

/** Binds claims to volumes. */
export class ClaimSync {
  readonly #write: BinderWrites;

  constructor(private readonly parts: BinderParts) {
    this.#write = new BinderWrites(parts);
  }

  async sync(claim: PersistentVolumeClaim): Promise<void> {
    if (claim.metadata?.annotations?.[BIND_COMPLETED] !== undefined) await this.#syncBound(claim);
    else if ((claim.spec?.volumeName ?? "") !== "") await this.#bindToNamed(claim);
    else await this.#findVolume(claim);
  }

  /** A claim that was bound once: its volume is the one it names, or it is lost. */
  async #syncBound(claim: PersistentVolumeClaim): Promise<void> {
    const { volumeName = "" } = claim.spec ?? {};
    if (volumeName === "") {
      return this.#lose(
        claim,
        "ClaimLost",
        "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
      );
    }
    const volume = await this.#volume(volumeName);
    if (volume === undefined) {
      return this.#lose(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
    }
    const holder = volume.spec?.claimRef;
    if (holder === undefined || (holder.uid ?? "") === claim.metadata?.uid) return this.#write.bind(volume, claim);
    await this.#lose(claim, "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
  }

  /** A claim whose user has chosen the volume. */
  async #bindToNamed(claim: PersistentVolumeClaim): Promise<void> {
    const { volumeName = "" } = claim.spec ?? {};
    const volume = this.parts.knownVolumes.get(volumeName);
    if (volume === undefined) return this.#stayPending(claim);
    if (volume.spec?.claimRef === undefined) {
      const reason = mismatch(volume, claim);
      if (reason === undefined) return this.#write.bind(volume, claim);
      this.#warn(claim, "VolumeMismatch", `Cannot bind to requested volume "${volumeName}": ${reason}`);
      return this.#stayPending(claim);
    }
    if (isBoundTo(volume, claim)) return this.#write.bind(volume, claim);
    this.#warn(claim, "FailedBinding", `volume "${volumeName}" already bound to a different claim.`);
    if (claim.metadata?.annotations?.[BOUND_BY_CONTROLLER] === undefined) await this.#stayPending(claim);
  }

  async #findVolume(claim: PersistentVolumeClaim): Promise<void> {
    const classes = this.parts.storageClasses();
    const className = storageClassOf(claim);
    const storageClass = classes.find(({ metadata }) => metadata?.name === className);
    const delayBinding = delaysBinding(storageClass);
    const volume = bestVolumeFor(claim, this.parts.knownVolumes.list(), { delayBinding });
    if (volume !== undefined) return this.#write.bind(volume, claim);
    const given = namesStorageClass(claim) ? undefined : defaultStorageClass(classes);
    if (given !== undefined) {
      const storageClassName = given.metadata?.name ?? "";
      await this.#write.claim(claim, { ...claim, spec: { ...claim.spec, storageClassName } });
      return;
    }
    if (delayBinding && selectedNode(claim) === undefined) {
      const { reason, message } = waitsFor(this.parts.podsUsing(objectKey(claim)));
      this.parts.recorder.event(claim, "Normal", reason, message);
    } else if (className !== "") {
      return this.#provision(claim, className, storageClass);
    } else {
      const message = "no persistent volumes available for this claim and no storage class is set";
      this.parts.recorder.event(claim, "Normal", "FailedBinding", message);
    }
    await this.#stayPending(claim);
  }

  /** Provisioners are programs beside the binder: an annotation calls them. */
  async #provision(
    claim: PersistentVolumeClaim,
    className: string,
    storageClass: StorageClass | undefined,
  ): Promise<void> {
    if (storageClass === undefined) {
      return this.#warn(claim, "ProvisioningFailed", `storageclass.storage.k8s.io "${className}" not found`);
    }
    const { provisioner } = storageClass;
    if (provisioner.startsWith("kubernetes.io/")) {
      return this.#warn(claim, "ProvisioningFailed", `no volume plugin matched name: ${provisioner}`);
    }
    const waiting = await this.#write.claim(claim, awaitingProvisioner(claim, provisioner));
    const message =
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
      "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
    this.parts.recorder.event(waiting, "Normal", "ExternalProvisioning", message);
  }

  /** From the API where the cache has none: a claim that was bound elsewhere can come before its volume. */
  async #volume(name: string): Promise<PersistentVolume | undefined> {
    const known = this.parts.knownVolumes.get(name);
    return known ?? this.parts.readVolume(name);
  }

  async #stayPending(claim: PersistentVolumeClaim): Promise<void> {
    await this.#write.claimStatus(claim, claimInPhase(claim, "Pending"));
  }

  async #lose(claim: PersistentVolumeClaim, reason: string, message: string): Promise<void> {
    if (claim.status?.phase === "Lost") return;
    const lost = await this.#write.claimStatus(claim, claimInPhase(claim, "Lost"));
    this.parts.recorder.event(lost, "Warning", reason, message);
  }

  #warn(claim: PersistentVolumeClaim, reason: string, message: string): void {
    this.parts.recorder.event(claim, "Warning", reason, message);
  }
}

export interface Waiting {
  readonly reason: "WaitForFirstConsumer" | "WaitForPodScheduled";
  readonly message: string;
}

/** The reason why a claim with volumeBindingMode WaitForFirstConsumer is not bound yet, given the pods that use it. */
export function waitsFor(pods: readonly Pod[]): Waiting {
  const names = pods
    .filter(({ spec }) => (spec?.nodeName ?? "") === "")
    .map(({ metadata }) => metadata?.name ?? "")
    .toSorted();
  if (names.length === 0) {
    return { reason: "WaitForFirstConsumer", message: "waiting for first consumer to be created before binding" };
  }
  const message = `waiting for pod${names.length > 1 ? "s" : ""} ${names.join(",")} to be scheduled`;
  return { reason: "WaitForPodScheduled", message };
}
