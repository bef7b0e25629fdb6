import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../api/types/core/v1.js";
import type { StorageClass } from "../../../api/types/storage/v1.js";
import { BIND_COMPLETED } from "../../../api/volumes/claims.js";
import type { Labels } from "../../../machinery/selectors/label-selector.js";
import type { PodInfo } from "../../cache/pod-info.js";
import { Action, type EventHint } from "../../framework/cluster-event.js";
import type { FollowedKinds } from "../../followed-kinds.js";
import { matchesTerm } from "../../../api/scheduling/node-selector.js";

/** What the plugins of volumes follow, from the first pod with a claim on. */
const VOLUME_KINDS = [
  ["v1", "PersistentVolumeClaim"],
  ["v1", "PersistentVolume"],
  ["storage.k8s.io/v1", "StorageClass"],
  ["storage.k8s.io/v1", "CSINode"],
  ["storage.k8s.io/v1", "CSIDriver"],
  ["storage.k8s.io/v1", "CSIStorageCapacity"],
  ["storage.k8s.io/v1", "VolumeAttachment"],
] as const;

/** Starts to watch the objects that volume plugins need for a pod; undefined for a pod without claims. */
export function followVolumes({ claims }: PodInfo, kinds: FollowedKinds): Promise<void> | undefined {
  return claims.length === 0 ? undefined : kinds.follow(VOLUME_KINDS);
}

/** Reads claims, volumes and classes as the API shows them. */
export class VolumeObjects {
  constructor(private readonly kinds: FollowedKinds) {}

  /** `key` is "<namespace>/<name>". */
  claim(key: string): PersistentVolumeClaim | undefined {
    return this.kinds.cache("v1", "PersistentVolumeClaim").get(key);
  }

  volume(name: string): PersistentVolume | undefined {
    return this.kinds.cache("v1", "PersistentVolume").get(name);
  }

  volumes(): Iterable<PersistentVolume> {
    return this.kinds.cache("v1", "PersistentVolume").values();
  }

  storageClass(name: string): StorageClass | undefined {
    return this.kinds.cache("storage.k8s.io/v1", "StorageClass").get(name);
  }
}

export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? "") !== "" && metadata?.annotations?.[BIND_COMPLETED] !== undefined;
}

/** Whether a volume can be reached from a node. */
export function reaches({ spec }: PersistentVolume, node: { readonly name: string; readonly labels: Labels }): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

/** kube-apiserver's message for a claim that does not exist. */
export const claimNotFound = (key: string): string =>
  `persistentvolumeclaim "${key.slice(key.indexOf("/") + 1)}" not found`;

/** A claim that the pod names was made or changed. */
export const OWN_CLAIM: EventHint = {
  resource: "PersistentVolumeClaim",
  action: Action.add | Action.update,
  hint: (pod, _before, after) => names(pod, after as PersistentVolumeClaim),
};

function names({ metadata, spec }: Pod, { metadata: claim }: PersistentVolumeClaim): boolean {
  if (claim?.namespace !== metadata?.namespace) return false;
  return (spec?.volumes ?? []).some(
    ({ name, persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim?.claimName === claim?.name ||
      (ephemeral !== undefined && `${metadata?.name}-${name}` === claim?.name),
  );
}
