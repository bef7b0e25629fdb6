import { dictionary } from "../../../base/collections/dictionary.js";
import { own } from "../../../base/collections/own.js";
import { storageClassOf } from "../../../api/volumes/claims.js";
import type { SchedulerHandle, SchedulerPlugin } from "../../framework/plugin.js";
import type { PodInfo } from "../../cache/pod-info.js";
import { Action } from "../../framework/cluster-event.js";
import { SKIP, type Status, unresolvable } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { claimNotFound, followVolumes, OWN_CLAIM, VolumeObjects } from "./volume-objects.js";

const NAME = PLUGIN.volumeZone;
const REJECTED = unresolvable(NAME, "node(s) had no available volume zone");
const TOPOLOGY_LABELS = [
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
] as const;
/** Older names of the labels, and their newer ones. */
const NEWER: Readonly<Record<string, string>> = dictionary({
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
});

/** Where a volume is: the label, and the values that nodes may have. */
interface VolumeTopology {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** Rejects nodes outside of the zone or region that a label of a bound volume names. */
export function volumeZone({ kinds }: Pick<SchedulerHandle, "kinds">): SchedulerPlugin {
  const objects = new VolumeObjects(kinds);
  return {
    name: NAME,
    events: [
      OWN_CLAIM,
      { resource: "StorageClass", action: Action.add },
      { resource: "PersistentVolume", action: Action.add | Action.update },
      { resource: "Node", action: Action.add | Action.nodeLabel },
    ],
    prepare: (info) => followVolumes(info, kinds),
    preFilter(state, info) {
      const topologies = topologiesOf(info, objects);
      if ("code" in topologies) return topologies;
      if (topologies.length === 0) return SKIP;
      state.write(NAME, topologies);
      return undefined;
    },
    filter(state, _info, { labels }) {
      // A node that is in no zone is taken to be in a cluster without zones.
      if (!TOPOLOGY_LABELS.some((label) => labels[label] !== undefined)) return undefined;
      for (const { key, values } of state.read<readonly VolumeTopology[]>(NAME) ?? []) {
        const value = own(labels, key) ?? own(labels, NEWER[key] ?? "");
        if (value === undefined || !values.has(value)) return REJECTED;
      }
      return undefined;
    },
  };
}

function topologiesOf({ claims }: PodInfo, objects: VolumeObjects): readonly VolumeTopology[] | Status {
  const topologies: VolumeTopology[] = [];
  for (const key of claims) {
    const claim = objects.claim(key);
    if (claim === undefined) return unresolvable(NAME, claimNotFound(key));
    const volumeName = claim.spec?.volumeName ?? "";
    if (volumeName === "") {
      const className = storageClassOf(claim);
      if (className === "") return unresolvable(NAME, "PersistentVolumeClaim had no pv name and storageClass name");
      const storageClass = objects.storageClass(className);
      if (storageClass === undefined) {
        return unresolvable(NAME, `unable to find storage class: storageclass.storage.k8s.io "${className}" not found`);
      }
      if (storageClass.volumeBindingMode === "WaitForFirstConsumer") continue;
      return unresolvable(NAME, "PersistentVolume had no name");
    }
    const volume = objects.volume(volumeName);
    if (volume === undefined) return unresolvable(NAME, `persistentvolume "${volumeName}" not found`);
    for (const label of TOPOLOGY_LABELS) {
      const value = volume.metadata?.labels?.[label];
      if (value !== undefined) topologies.push({ key: label, values: new Set(value.split("__")) });
    }
  }
  return topologies;
}
