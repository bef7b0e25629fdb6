import { storageClassOf } from "../../../api/volumes/claims.js";
import type { Pod } from "../../../api/types/core/v1.js";
import type { NodeInfo } from "../../cache/node-info.js";
import { Action } from "../../framework/cluster-event.js";
import type { SchedulerHandle, SchedulerPlugin } from "../../framework/plugin.js";
import { SKIP, unschedulable } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { followVolumes, OWN_CLAIM, VolumeObjects } from "./volume-objects.js";

const NAME = PLUGIN.nodeVolumeLimits;
const REJECTED = unschedulable(NAME, "node(s) exceed max volume count");

/** Rejects nodes where a driver can attach no more volumes, by the limit in their CSINode. */
export function nodeVolumeLimits({ kinds }: Pick<SchedulerHandle, "kinds">): SchedulerPlugin {
  const objects = new VolumeObjects(kinds);
  /** Adds the CSI volume of a claim: its driver by what is unique to it. */
  const addVolume = (to: Map<string, string>, key: string): void => {
    const claim = objects.claim(key);
    const csi = objects.volume(claim?.spec?.volumeName ?? "")?.spec?.csi;
    if (csi !== undefined) to.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
    else if (claim !== undefined && (claim.spec?.volumeName ?? "") === "") {
      const driver = objects.storageClass(storageClassOf(claim))?.provisioner;
      if (driver !== undefined) to.set(`${driver}-${key}`, driver);
    }
  };
  const attached = (node: NodeInfo): ReadonlyMap<string, string> => {
    const volumes = new Map<string, string>();
    for (const key of node.claims.keys()) addVolume(volumes, key);
    for (const { spec } of kinds.cache("storage.k8s.io/v1", "VolumeAttachment").values()) {
      const csi =
        spec.nodeName === node.name ? objects.volume(spec.source.persistentVolumeName ?? "")?.spec?.csi : undefined;
      if (csi !== undefined) volumes.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
    }
    return volumes;
  };
  return {
    name: NAME,
    events: [
      { resource: "CSINode", action: Action.add | Action.update },
      { resource: "AssignedPod", action: Action.delete, hint: (_pod, before) => hasClaims(before as Pod) },
      OWN_CLAIM,
      { resource: "VolumeAttachment", action: Action.delete },
    ],
    prepare: (info) => followVolumes(info, kinds),
    preFilter: (_state, { claims }) => (claims.length === 0 ? SKIP : undefined),
    filter(_state, { claims }, node) {
      const limits = new Map<string, number>();
      for (const { name, allocatable } of kinds.cache("storage.k8s.io/v1", "CSINode").get(node.name)?.spec.drivers ??
        []) {
        if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
      }
      if (limits.size === 0) return undefined;
      const wanted = new Map<string, string>();
      for (const key of claims) addVolume(wanted, key);
      const counts = new Map<string, number>();
      const there = attached(node);
      for (const driver of there.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
      for (const [id, driver] of wanted) {
        if (there.has(id)) continue;
        const count = (counts.get(driver) ?? 0) + 1;
        counts.set(driver, count);
        if (count > (limits.get(driver) ?? Number.POSITIVE_INFINITY)) return REJECTED;
      }
      return undefined;
    },
  };
}

const hasClaims = ({ spec }: Pod): boolean =>
  spec?.volumes?.some(
    ({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim !== undefined || ephemeral !== undefined,
  ) === true;
