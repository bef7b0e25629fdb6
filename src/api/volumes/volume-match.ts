import { compareQuantities, parseQuantity, type Quantity, zeroQuantity } from "../../machinery/quantity/quantity.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import type { PersistentVolume, PersistentVolumeClaim } from "../types/core/v1.js";
import { storageClassOf } from "./storage-class.js";

export interface MatchOptions {
  /** Only volumes that a user has bound to the claim: the scheduler chooses among the others. */
  readonly delayBinding?: boolean;
  /** Whether pods of the node in question can use a volume. Default: every volume. */
  readonly fitsNode?: (volume: PersistentVolume) => boolean;
}

/**
 * The volume for a claim: one that is bound to it, else of the volumes with the fewest access modes the smallest, and of equal
 * ones the first by name. Undefined where none fits.
 */
export function bestVolumeFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  options: MatchOptions = {},
): PersistentVolume | undefined {
  const fitting = volumes.filter((volume) => offersModes(volume, claim) && mayHold(volume, claim));
  const counts = [...new Set(fitting.map(countModes))].toSorted((a, b) => a - b);
  for (const count of counts) {
    const group = fitting.filter((volume) => countModes(volume) === count);
    const best = bestOf(group, claim, options);
    if (best !== undefined) return best;
  }
  return undefined;
}

function bestOf(
  volumes: readonly PersistentVolume[],
  claim: PersistentVolumeClaim,
  { delayBinding = false, fitsNode = () => true }: MatchOptions,
): PersistentVolume | undefined {
  const bound = volumes.find((volume) => isBoundTo(volume, claim));
  if (bound !== undefined) return fitsNode(bound) ? bound : undefined;
  if (delayBinding) return undefined;
  const selector = claim.spec?.selector;
  const selects = selector === undefined ? undefined : selectorFromObject(selector);
  const [smallest] = volumes
    .filter(
      (volume) =>
        volume.status?.phase === "Available" &&
        selects?.matches(volume.metadata?.labels ?? {}) !== false &&
        storageClassOf(volume) === storageClassOf(claim) &&
        fitsNode(volume),
    )
    .toSorted((a, b) => compareQuantities(sizeOf(a), sizeOf(b)) || (nameOf(a) < nameOf(b) ? -1 : 1));
  return smallest;
}

/** Whether a volume names this claim: by name alone, as a user reserves it, or with the claim's uid. */
export function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  if (reference === undefined || reference.name !== metadata?.name) return false;
  if (reference.namespace !== metadata?.namespace) return false;
  return (reference.uid ?? "") === "" || reference.uid === metadata?.uid;
}

/** Why a volume that a claim names cannot hold it, in the binder's words; undefined when it can. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (compareQuantities(sizeOf(volume), requestOf(claim)) < 0) return "requested PV is too small";
  if (storageClassOf(volume) !== storageClassOf(claim)) return "storageClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  if (!offersModes(volume, claim)) return "incompatible accessMode";
  if (attributesOf(volume) !== attributesOf(claim)) return "VolumeAttributesClassName does not match";
  return undefined;
}

/** Whether the two differ in being a file system or a device. */
export function differsInMode(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return modeOf(volume) !== modeOf(claim);
}

function mayHold(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (
    (volume.spec?.claimRef === undefined || isBoundTo(volume, claim)) &&
    volume.metadata?.deletionTimestamp === undefined &&
    compareQuantities(sizeOf(volume), requestOf(claim)) >= 0 &&
    modeOf(volume) === modeOf(claim) &&
    attributesOf(volume) === attributesOf(claim)
  );
}

function offersModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const offered = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode));
}

const countModes = ({ spec }: PersistentVolume): number => new Set(spec?.accessModes).size;
const nameOf = ({ metadata }: PersistentVolume): string => metadata?.name ?? "";
const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string => spec?.volumeMode ?? "Filesystem";
const attributesOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string =>
  spec?.volumeAttributesClassName ?? "";

/** How large a volume is. */
export const sizeOf = ({ spec }: PersistentVolume): Quantity => storageIn(spec?.capacity);
/** How much a claim asks for. */
export const requestOf = ({ spec }: PersistentVolumeClaim): Quantity => storageIn(spec?.resources?.requests);

function storageIn(amounts: Readonly<Record<string, string>> | undefined): Quantity {
  const storage = amounts?.["storage"];
  return storage === undefined ? zeroQuantity : parseQuantity(storage);
}
