import { wholeValue } from "../../machinery/text/quantity/quantity.js";
import { readSelector } from "../../machinery/selectors/api-label-selector.js";
import { everyLabel, noLabel } from "../../machinery/selectors/label-selector.js";
import type { PersistentVolume, PersistentVolumeClaim } from "../types/core/v1.js";
import { storageClassOf } from "./claims.js";

export interface MatchOptions {
  /** Only volumes that a user has bound to the claim: the scheduler chooses among the others. */
  readonly delayBinding?: boolean;
  /** Whether pods of the node in question can use a volume. Default: every volume. */
  readonly fitsNode?: (volume: PersistentVolume) => boolean;
  /** Volumes that are left out. Default: none. */
  readonly isTaken?: (volume: PersistentVolume) => boolean;
}

/** The binder's choice: among the volumes that fit, those with the fewest access modes, and of these {@link matchingVolume}. */
export function bestVolumeFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  options: MatchOptions = {},
): PersistentVolume | undefined {
  const offering = volumes.filter((volume) => offersModes(volume, claim));
  const counts = [...new Set(offering.map(countModes))].toSorted((a, b) => a - b);
  for (const count of counts) {
    const group = offering.filter((volume) => countModes(volume) === count);
    const best = matchingVolume(claim, group, options);
    if (best !== undefined) return best;
  }
  return undefined;
}

/**
 * Finds the volume for a claim: one that is bound to it, else the smallest of those that fit, and of equal ones the first by name.
 * Undefined where none fits, or where the volume that is bound to it cannot be used.
 */
export function matchingVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { delayBinding = false, fitsNode = () => true, isTaken = () => false }: MatchOptions,
): PersistentVolume | undefined {
  const wanted = requestedBytes(claim);
  const selector = claim.spec?.selector === undefined ? everyLabel : (readSelector(claim.spec.selector) ?? noLabel);
  let smallest: PersistentVolume | undefined;
  let smallestBytes = Number.POSITIVE_INFINITY;
  for (const volume of volumes) {
    const bytes = bytesOf(volume);
    if (bytes < wanted || isTaken(volume) || !mayHold(volume, claim)) continue;
    if (isBoundTo(volume, claim)) return fitsNode(volume) ? volume : undefined;
    if (delayBinding || bytes > smallestBytes) continue;
    if (bytes === smallestBytes && smallest !== undefined && nameOf(smallest) <= nameOf(volume)) continue;
    const fits =
      volume.status?.phase === "Available" &&
      storageClassOf(volume) === storageClassOf(claim) &&
      selector.matches(volume.metadata?.labels ?? {}) &&
      offersModes(volume, claim) &&
      fitsNode(volume);
    if (fits) [smallest, smallestBytes] = [volume, bytes];
  }
  return smallest;
}

/** Whether a volume names this claim: by name alone, as a user reserves it, or with the claim's uid. */
export function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  if (reference === undefined || reference.name !== metadata?.name) return false;
  if (reference.namespace !== metadata?.namespace) return false;
  return (reference.uid ?? "") === "" || reference.uid === metadata?.uid;
}

/** Returns why a volume cannot satisfy the claim that names it, in the binder's words; undefined when it can. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (bytesOf(volume) < requestedBytes(claim)) return "requested PV is too small";
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

const bytesOf = ({ spec }: PersistentVolume): number => wholeValue(spec?.capacity?.["storage"] ?? "0");
/** How many bytes a claim asks for. */
export const requestedBytes = ({ spec }: PersistentVolumeClaim): number =>
  wholeValue(spec?.resources?.requests?.["storage"] ?? "0");
