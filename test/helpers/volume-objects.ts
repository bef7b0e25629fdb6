import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
} from "../../src/api/types/core/v1.js";
import type { StorageClass } from "../../src/api/types/storage/v1.js";

/** A claim of 1Gi in the namespace "shop" whose uid is "<name>-uid". */
export function claimNamed(
  name: string,
  spec: PersistentVolumeClaimSpec = {},
  annotations?: Record<string, string>,
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace: "shop",
      uid: `${name}-uid`,
      resourceVersion: "7",
      ...(annotations && { annotations }),
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    status: { phase: "Pending" },
  };
}

/** An available volume of 1Gi. */
export function volumeNamed(
  name: string,
  spec: PersistentVolumeSpec = {},
  metadata: PersistentVolume["metadata"] = {},
): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, uid: `${name}-uid`, ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      hostPath: { path: `/tmp/${name}` },
      persistentVolumeReclaimPolicy: "Retain",
      ...spec,
    },
    status: { phase: "Available" },
  };
}

/** A class of the provisioner "example.com/disks" that binds at once. */
export function classNamed(name: string, fields: Partial<StorageClass> = {}): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: "example.com/disks",
    volumeBindingMode: "Immediate",
    ...fields,
  };
}
