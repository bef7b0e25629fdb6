import type { Node, PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import type { StorageClass } from "../../api/types/storage/v1.js";
import { PROVISIONED_BY, STORAGE_PROVISIONER } from "../../api/volumes/annotations.js";
import { delaysBinding, selectedNode } from "../../api/volumes/storage-class.js";
import { PROVISIONER } from "./default-class.js";

/** Whether a claim is to get a volume of the provisioner now. */
export function wantsVolume(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean {
  const { annotations, deletionTimestamp } = claim.metadata ?? {};
  if (deletionTimestamp !== undefined || (claim.spec?.volumeName ?? "") !== "") return false;
  if (storageClass?.provisioner !== PROVISIONER) return false;
  if (!STORAGE_PROVISIONER.some((key) => annotations?.[key] === PROVISIONER)) return false;
  return !delaysBinding(storageClass) || (selectedNode(claim) ?? "") !== "";
}

/** Whether a volume of the provisioner is to be deleted, because no claim has it any more. */
export function isLeft({ metadata, spec, status }: PersistentVolume): boolean {
  if (metadata?.annotations?.[PROVISIONED_BY] !== PROVISIONER || metadata.deletionTimestamp !== undefined) return false;
  return (
    spec?.persistentVolumeReclaimPolicy === "Delete" && (status?.phase === "Released" || status?.phase === "Failed")
  );
}

/** The name of a claim's volume: one claim never gets two. */
export const volumeNameFor = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata?.uid ?? ""}`;

/**
 * The volume for a claim, as kind's provisioner writes it: a folder of the chosen node. A volume for several nodes is on
 * none of them.
 */
export function fakeVolume(claim: PersistentVolumeClaim, storageClass: StorageClass, node?: Node): PersistentVolume {
  const name = volumeNameFor(claim);
  const { namespace = "", name: claimName = "", uid = "", resourceVersion = "" } = claim.metadata ?? {};
  const { accessModes = [], resources, volumeMode, volumeAttributesClassName } = claim.spec ?? {};
  const storage = resources?.requests?.["storage"] ?? "0";
  const { reclaimPolicy = "Delete", mountOptions } = storageClass;
  const isShared = accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
  const hostname = node?.metadata?.labels?.[HOSTNAME] ?? node?.metadata?.name;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      accessModes,
      capacity: { storage },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: claimName, namespace, uid, resourceVersion },
      hostPath: { path: `/var/kubets/volumes/${name}_${namespace}_${claimName}`, type: "DirectoryOrCreate" },
      ...(mountOptions !== undefined && { mountOptions }),
      ...(hostname !== undefined && !isShared && { nodeAffinity: { required: onNode(hostname) } }),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata?.name ?? "",
      ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
      ...(volumeMode !== undefined && { volumeMode }),
    },
  };
}

const HOSTNAME = "kubernetes.io/hostname";

const onNode = (hostname: string) => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: "In" as const, values: [hostname] }] }],
});
