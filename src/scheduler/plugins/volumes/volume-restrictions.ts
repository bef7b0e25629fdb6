import type { PersistentVolumeClaim, Pod, Volume } from "../../../api/types/core/v1.js";
import type { PodInfo } from "../../cache/pod-info.js";
import { Action } from "../../framework/cluster-event.js";
import type { SchedulerHandle, SchedulerPlugin } from "../../framework/plugin.js";
import { SKIP, unresolvable, unschedulable } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { claimNotFound, followVolumes, OWN_CLAIM, VolumeObjects } from "./volume-objects.js";

const NAME = PLUGIN.volumeRestrictions;
const IN_USE = unschedulable(NAME, "node(s) had no available disk");
const ONE_POD = unschedulable(
  NAME,
  "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
);

/** The claims of the pod that only one pod may use, and how many other pods do. */
class ExclusiveClaims {
  constructor(
    readonly claims: ReadonlySet<string>,
    public users: number,
  ) {}

  change(changed: PodInfo, delta: 1 | -1): void {
    for (const claim of changed.claims) if (this.claims.has(claim)) this.users += delta;
  }

  clone(): ExclusiveClaims {
    return new ExclusiveClaims(this.claims, this.users);
  }
}

/**
 * Rejects nodes on which another pod uses a disk that only one pod may write, and all nodes for a ReadWriteOncePod claim that
 * another pod uses.
 */
export function volumeRestrictions({ kinds }: Pick<SchedulerHandle, "kinds">): SchedulerPlugin {
  const objects = new VolumeObjects(kinds);
  return {
    name: NAME,
    events: [
      { resource: "AssignedPod", action: Action.delete, hint: (pod, before) => mayFree(pod, before as Pod) },
      { resource: "Node", action: Action.add },
      OWN_CLAIM,
    ],
    prepare: (info) => followVolumes(info, kinds),
    preFilter(state, info, nodes) {
      const hasDisks = info.pod.spec?.volumes?.some((volume) => diskOf(volume) !== undefined) === true;
      const exclusive = new Set<string>();
      for (const key of info.claims) {
        const claim: PersistentVolumeClaim | undefined = objects.claim(key);
        if (claim === undefined) return unresolvable(NAME, claimNotFound(key));
        if (claim.spec?.accessModes?.includes("ReadWriteOncePod")) exclusive.add(key);
      }
      if (exclusive.size === 0 && !hasDisks) return SKIP;
      let users = 0;
      if (exclusive.size > 0) for (const node of nodes) for (const key of exclusive) users += node.claims.get(key) ?? 0;
      state.write(NAME, new ExclusiveClaims(exclusive, users));
      return undefined;
    },
    addPod: (state, _info, added) => state.read<ExclusiveClaims>(NAME)?.change(added, 1),
    removePod: (state, _info, removed) => state.read<ExclusiveClaims>(NAME)?.change(removed, -1),
    filter(state, { pod }, node) {
      for (const volume of pod.spec?.volumes ?? []) {
        if (diskOf(volume) === undefined) continue;
        for (const other of node.pods.values()) {
          if (other.pod.spec?.volumes?.some((taken) => conflicts(volume, taken))) return IN_USE;
        }
      }
      return (state.read<ExclusiveClaims>(NAME)?.users ?? 0) === 0 ? undefined : ONE_POD;
    },
  };
}

/** A disk that the volume names itself, without a claim. */
function diskOf(volume: Volume): { readonly id: string; readonly readOnly: boolean } | undefined {
  const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = volume;
  if (gce !== undefined) return { id: `gce ${gce.pdName}`, readOnly: gce.readOnly === true };
  // A block store is attached once, also to be read.
  if (aws !== undefined) return { id: `aws ${aws.volumeID}`, readOnly: false };
  if (iscsi !== undefined) return { id: `iscsi ${iscsi.iqn} ${iscsi.lun}`, readOnly: iscsi.readOnly === true };
  if (rbd !== undefined) return { id: `rbd ${rbd.pool} ${rbd.image}`, readOnly: rbd.readOnly === true };
  return undefined;
}

function conflicts(volume: Volume, taken: Volume): boolean {
  const [disk, other] = [diskOf(volume), diskOf(taken)];
  if (disk === undefined || disk.id !== other?.id || (disk.readOnly && other.readOnly)) return false;
  if (volume.rbd === undefined || taken.rbd === undefined) return true;
  return volume.rbd.monitors.some((monitor) => taken.rbd?.monitors.includes(monitor));
}

function mayFree(pod: Pod, gone: Pod): boolean {
  const [volumes, freed] = [pod.spec?.volumes ?? [], gone.spec?.volumes ?? []];
  return volumes.some((volume) =>
    freed.some(
      (taken) =>
        conflicts(volume, taken) ||
        (volume.persistentVolumeClaim !== undefined &&
          pod.metadata?.namespace === gone.metadata?.namespace &&
          volume.persistentVolumeClaim.claimName === taken.persistentVolumeClaim?.claimName),
    ),
  );
}
