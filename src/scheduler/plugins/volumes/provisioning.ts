import { own } from "../../../base/collections/own.js";
import type { PersistentVolumeClaim } from "../../../api/types/core/v1.js";
import type { CSIStorageCapacity, StorageClass } from "../../../api/types/storage/v1.js";
import { requestedBytes } from "../../../api/volumes/volume-match.js";
import { wholeValue } from "../../../machinery/text/quantity/quantity.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { FollowedKinds } from "../../followed-kinds.js";

/** The provisioner of classes whose volumes are made by hand. */
const NO_PROVISIONER = "kubernetes.io/no-provisioner";

/** Whether a volume for the claim can be made for a node: "no-space" where only its capacity says no. */
export function canProvision(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: NodeInfo,
  kinds: FollowedKinds,
): "yes" | "no" | "no-space" {
  const { provisioner, allowedTopologies = [] } = storageClass;
  if (provisioner === "" || provisioner === NO_PROVISIONER) return "no";
  const isAllowed =
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(own(node.labels, key) ?? "\0")),
    );
  if (!isAllowed) return "no";
  return hasCapacity(claim, storageClass, node, kinds) ? "yes" : "no-space";
}

/** Only drivers that say so publish their capacity. */
function hasCapacity(
  claim: PersistentVolumeClaim,
  { metadata, provisioner }: StorageClass,
  { labels }: NodeInfo,
  kinds: FollowedKinds,
): boolean {
  const bytes = requestedBytes(claim);
  const driver = kinds.cache("storage.k8s.io/v1", "CSIDriver").get(provisioner);
  if (bytes === 0 || driver?.spec?.storageCapacity !== true) return true;
  for (const capacity of kinds.cache("storage.k8s.io/v1", "CSIStorageCapacity").values()) {
    if (capacity.storageClassName !== metadata?.name || volumeLimit(capacity) < bytes) continue;
    if (capacity.nodeTopology === undefined) continue;
    const topology = capacity.nodeTopology as Parameters<typeof selectorFromObject>[0];
    if (selectorFromObject(topology).matches(labels)) return true;
  }
  return false;
}

/** The largest volume that can be made, in bytes. */
function volumeLimit({ capacity, maximumVolumeSize }: CSIStorageCapacity): number {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? -1 : wholeValue(limit);
}
