import type { FieldsOf } from "../../machinery/meta/received.js";
import type { PersistentVolumeStatus, PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types/core/v1.js";
import type { StorageClass } from "../../api/types/storage/v1.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { boundClaim, boundVolume, claimInPhase } from "./binding.js";
import { objectKey, type ReadonlyIndexer } from "../../client/informers/index.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";

/** The parts that the two halves of the binder share, that for claims and that for volumes. */
export interface BinderParts {
  readonly claims: ResourceClient<PersistentVolumeClaim>;
  readonly volumes: ResourceClient<PersistentVolume>;
  readonly knownClaims: LatestObjects<PersistentVolumeClaim>;
  readonly knownVolumes: LatestObjects<PersistentVolume>;
  readonly storageClasses: () => readonly StorageClass[];
  /** The pods that use a claim and are not over, by the claim's key. */
  readonly podsUsing: (claim: string) => readonly Pod[];
  /** From the API; undefined when there is none. */
  readonly readClaim: (namespace: string, name: string) => Promise<PersistentVolumeClaim | undefined>;
  readonly readVolume: (name: string) => Promise<PersistentVolume | undefined>;
  readonly enqueueClaim: (claim: PersistentVolumeClaim) => void;
  readonly recorder: EventRecorder;
}

/** The writes of the binder. Each sends nothing where the object is unchanged, and resolves with the object after it. */
export class BinderWrites {
  constructor(private readonly parts: BinderParts) {}

  async claim(before: PersistentVolumeClaim, after: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    if (after === before) return before;
    const { claims, knownClaims } = this.parts;
    return knownClaims.wrote(await claims.namespace(namespaceOf(after)).update(after));
  }

  async claimStatus(before: PersistentVolumeClaim, after: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    if (after === before) return before;
    const { claims, knownClaims } = this.parts;
    return knownClaims.wrote(await claims.namespace(namespaceOf(after)).updateStatus(after));
  }

  async volume(before: PersistentVolume, after: PersistentVolume): Promise<PersistentVolume> {
    if (after === before) return before;
    return this.parts.knownVolumes.wrote(await this.parts.volumes.update(after));
  }

  async volumePhase(
    volume: PersistentVolume,
    phase: "Available" | "Bound" | "Released" | "Failed",
    message?: string,
  ): Promise<PersistentVolume> {
    if (volume.status?.phase === phase) return volume;
    const status = {
      phase,
      ...(message !== undefined && ({ message } satisfies FieldsOf<PersistentVolumeStatus>)),
    } satisfies FieldsOf<PersistentVolumeStatus>;
    return this.parts.knownVolumes.wrote(await this.parts.volumes.updateStatus({ ...volume, status }));
  }

  /** Binds the two to each other, the volume first: after a crash the volume says which claim to go on with. */
  async bind(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const reserved = await this.volume(volume, boundVolume(volume, claim));
    const bound = await this.volumePhase(reserved, "Bound");
    const named = await this.claim(claim, boundClaim(claim, bound));
    await this.claimStatus(named, claimInPhase(named, "Bound", bound));
  }
}

const namespaceOf = ({ metadata }: ApiObject): string => metadata?.namespace ?? "";

/** A cache together with the controller's own writes that it does not show yet. Without them the binder could bind a volume to two claims. */
export class LatestObjects<T extends ApiObject> {
  readonly #written = new Map<string, T>();

  constructor(private readonly cache: Pick<ReadonlyIndexer<T>, "get" | "values">) {}

  /** By key: "namespace/name", or "name" of an object without a namespace. */
  get(key: string): T | undefined {
    const cached = this.cache.get(key);
    return cached === undefined ? undefined : this.newest(cached);
  }

  list(): readonly T[] {
    return [...this.cache.values()].map((object) => this.newest(object));
  }

  /** The object as it was written last, when the cache shows an older version of it. */
  newest(cached: T): T {
    if (this.#written.size === 0) return cached;
    const key = objectKey(cached);
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    const [known = "", shown = ""] = [written, cached].map(({ metadata }) => metadata?.resourceVersion ?? "");
    if (written.metadata?.uid === cached.metadata?.uid && (compareResourceVersions(known, shown) ?? 0) > 0)
      return written;
    this.#written.delete(key);
    return cached;
  }

  /** Remembers the answer to a write. */
  wrote(object: T): T {
    this.#written.set(objectKey(object), object);
    return object;
  }

  forget(key: string): void {
    this.#written.delete(key);
  }
}
