import type { PersistentVolume, PersistentVolumeClaim } from "../../../api/types/core/v1.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import { everyLabel, type LabelSelector, noLabel } from "../../../machinery/selectors/label-selector.js";
import type { NodeInfo } from "../../cache/node-info.js";
import { wholeValue } from "../../cache/resources.js";
import { classOf, reaches } from "./volume-objects.js";

/** How many bytes a claim asks for. */
export function requestedBytes({ spec }: PersistentVolumeClaim): number {
  const asked = spec?.resources?.requests?.["storage"];
  return asked === undefined ? 0 : wholeValue(asked);
}

/**
 * The volume that a claim may be bound to on a node: the one that is made for it, else the smallest available one of its class that is large
 * enough and that its selector and access modes match. Those for which `isTaken` is true are left out.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  node: NodeInfo,
  isTaken: (volume: PersistentVolume) => boolean,
): PersistentVolume | undefined {
  const wanted = requestedBytes(claim);
  const selector = selectorOf(claim);
  let smallest: PersistentVolume | undefined;
  let smallestBytes = Number.POSITIVE_INFINITY;
  for (const volume of volumes) {
    const { metadata, spec, status } = volume;
    if (isTaken(volume) || metadata?.deletionTimestamp !== undefined) continue;
    const bytes = wholeValue(spec?.capacity?.["storage"] ?? "0");
    if (bytes < wanted || (spec?.volumeMode ?? "Filesystem") !== (claim.spec?.volumeMode ?? "Filesystem")) continue;
    if (spec?.claimRef !== undefined) {
      if (!isFor(volume, claim)) continue;
      return reaches(volume, node) ? volume : undefined;
    }
    const fits =
      status?.phase === "Available" &&
      (spec?.storageClassName ?? "") === classOf(claim) &&
      selector.matches(metadata?.labels) &&
      (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode)) &&
      reaches(volume, node);
    if (fits && bytes < smallestBytes) [smallest, smallestBytes] = [volume, bytes];
  }
  return smallest;
}

function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid = "" } = spec?.claimRef ?? {};
  return name === metadata?.name && namespace === metadata?.namespace && (uid === "" || uid === metadata?.uid);
}

/** A claim without a selector takes any volume; one with a selector that cannot be read takes none. */
function selectorOf({ spec }: PersistentVolumeClaim): LabelSelector {
  if (spec?.selector === undefined) return everyLabel;
  try {
    return selectorFromObject(spec.selector as Parameters<typeof selectorFromObject>[0]);
  } catch {
    return noLabel;
  }
}
