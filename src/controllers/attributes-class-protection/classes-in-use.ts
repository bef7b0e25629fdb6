import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";

/** The VolumeAttributesClasses that a claim asks for, has, or is on the way to. */
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
