import type { VolumeAttributesClass } from "../../api/types/storage/v1.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";

/** The VolumeAttributesClasses that a claim requests, has, or is being changed to. */
export function attributesClassesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const { targetVolumeAttributesClassName } = status?.modifyVolumeStatus ?? {};
  return distinct([
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    targetVolumeAttributesClassName,
  ]);
}

export const attributesClassesOfVolume = ({ spec }: PersistentVolume): string[] =>
  distinct([spec?.volumeAttributesClassName]);

const distinct = (names: readonly (string | undefined)[]): string[] => [
  ...new Set(names.filter((name) => name !== undefined && name !== "") as string[]),
];

const FINALIZER = "kubernetes.io/vac-protection";
/** The index of claims and of volumes by the VolumeAttributesClasses that they use. */
const INDEX = "attributes-class";
const KIND = ["storage.k8s.io/v1", "VolumeAttributesClass"] as const;

/** Adds a finalizer to VolumeAttributesClasses, and removes it from one that is being deleted once no claim and no volume uses it. */
export function attributesClassProtection({ client, manager }: ControllerContext): void {
  const claims = manager.informers.of("v1", "PersistentVolumeClaim");
  const volumes = manager.informers.of("v1", "PersistentVolume");
  claims.addIndexers({ [INDEX]: attributesClassesOfClaim });
  volumes.addIndexers({ [INDEX]: attributesClassesOfVolume });
  const classes = manager.informers.of(...KIND);
  /** The classes that are being deleted: only for them does it matter who uses them. */
  const leaving = (names: readonly string[]) =>
    names
      .filter((name) => classes.cache.get(name)?.metadata?.deletionTimestamp !== undefined)
      .map((name) => ({ namespace: "", name }));
  const isUsed = (name: string): boolean =>
    claims.cache.indexKeys(INDEX, name).length > 0 || volumes.cache.indexKeys(INDEX, name).length > 0;

  manager
    .controllerFor(...KIND)
    .named("volumeattributesclass-protection-controller")
    .watches("v1", "PersistentVolumeClaim", () => leaving([...classes.cache.keys()]))
    .watches("v1", "PersistentVolume", () => leaving([...classes.cache.keys()]))
    .reconcile(async ({ name, object }) => {
      if (object === undefined) return;
      const { finalizers = [], deletionTimestamp } = object.metadata ?? {};
      const isHeld = finalizers.includes(FINALIZER);
      if (deletionTimestamp === undefined) {
        if (!isHeld) await write(object, [...finalizers, FINALIZER]);
      } else if (isHeld && !isUsed(name)) {
        await write(
          object,
          finalizers.filter((one) => one !== FINALIZER),
        );
      }
    });

  async function write(object: VolumeAttributesClass, finalizers: string[]): Promise<void> {
    try {
      await client.of(...KIND).update({ ...object, metadata: { ...object.metadata, finalizers } });
    } catch (error) {
      // Deleted, or changed since the cache saw it: the change reconciles the object again.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
