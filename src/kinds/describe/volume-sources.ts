import { isFields, list, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { DescriptionWriter } from "./description.js";
import { flag, map, scalar, slice, whole } from "./go-fields.js";

/** A label, with its colon, and what stands beside it. */
export type Row = readonly [label: string, value: (source: ReadonlyFields) => string];

export interface VolumeSourceText {
  readonly type: string;
  readonly rows: readonly Row[];
  /** What the rows cannot show. */
  readonly rest?: (description: DescriptionWriter, source: ReadonlyFields) => void;
}

/** Fields whose Go type is not a string. */
const FLAGS = new Set(["readOnly", "chapAuthDiscovery", "chapAuthSession"]);
const NUMBERS = new Set(["partition", "lun"]);
const LISTS = new Set(["portals", "monitors"]);

/** A row a field, in their order: the label without its colon. */
export function rows(labels: Readonly<Record<string, string>>): readonly Row[] {
  return Object.entries(labels).map(([field, label]) => [`${label}:`, (source) => fieldText(field, source[field])]);
}

function fieldText(field: string, value: unknown): string {
  if (FLAGS.has(field)) return flag(value);
  if (NUMBERS.has(field)) return whole(value);
  if (LISTS.has(field)) return slice(value);
  return field === "options" ? map(value) : text(value);
}

/** The Go type of a reference to a secret. */
export type ReferenceType = "LocalObjectReference" | "SecretReference";

/** As Go prints a pointer to one: "&SecretReference{Name:key,Namespace:vault,}". */
const secretRef =
  (type: ReferenceType): Row[1] =>
  ({ secretRef: ref }) => {
    if (!isFields(ref)) return "nil";
    const namespace = type === "SecretReference" ? `Namespace:${text(ref.namespace)},` : "";
    return `&${type}{Name:${text(ref.name)},${namespace}}`;
  };

const pointer =
  (field: string): Row[1] =>
  (source) =>
    scalar(source[field], "<none>");

/** The first source that the volume has, in the order of the table; there is at most one. */
export function describeSource(
  description: DescriptionWriter,
  volume: ReadonlyFields,
  known: Readonly<Record<string, VolumeSourceText>>,
): void {
  for (const [field, { type, rows: shown, rest }] of Object.entries(known)) {
    const source = volume[field];
    if (!isFields(source)) continue;
    description.write(2, `Type:\t${type}\n`);
    for (const [label, value] of shown) description.write(2, `${label}\t${value(source)}\n`);
    rest?.(description, source);
    return;
  }
  description.write(1, "<unknown>\n");
}

/** Those that pods and persistent volumes have alike, but for how they refer to a secret. */
export const sharedSources = (type: ReferenceType): Readonly<Record<string, VolumeSourceText>> => ({
  hostPath: {
    type: "HostPath (bare host directory volume)",
    rows: [...rows({ path: "Path" }), ["HostPathType:", pointer("type")]],
  },
  gcePersistentDisk: {
    type: "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
    rows: rows({ pdName: "PDName", fsType: "FSType", partition: "Partition", readOnly: "ReadOnly" }),
  },
  awsElasticBlockStore: {
    type: "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
    rows: rows({ volumeID: "VolumeID", fsType: "FSType", partition: "Partition", readOnly: "ReadOnly" }),
  },
  nfs: {
    type: "NFS (an NFS mount that lasts the lifetime of a pod)",
    rows: rows({ server: "Server", path: "Path", readOnly: "ReadOnly" }),
  },
  iscsi: {
    type: "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
    rows: [
      ...rows({ targetPortal: "TargetPortal", iqn: "IQN", lun: "Lun" }),
      ["ISCSIInterface", ({ iscsiInterface }) => text(iscsiInterface)],
      ...rows({
        fsType: "FSType",
        readOnly: "ReadOnly",
        portals: "Portals",
        chapAuthDiscovery: "DiscoveryCHAPAuth",
        chapAuthSession: "SessionCHAPAuth",
      }),
      ["SecretRef:", secretRef(type)],
      ["InitiatorName:", pointer("initiatorName")],
    ],
  },
  rbd: {
    type: "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
    rows: [
      ...rows({
        monitors: "CephMonitors",
        image: "RBDImage",
        fsType: "FSType",
        pool: "RBDPool",
        user: "RadosUser",
        keyring: "Keyring",
      }),
      ["SecretRef:", secretRef(type)],
      ...rows({ readOnly: "ReadOnly" }),
    ],
  },
  quobyte: {
    type: "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
    rows: rows({ registry: "Registry", volume: "Volume", readOnly: "ReadOnly" }),
  },
  vsphereVolume: {
    type: "vSphereVolume (a Persistent Disk resource in vSphere)",
    rows: rows({ volumePath: "VolumePath", fsType: "FSType", storagePolicyName: "StoragePolicyName" }),
  },
  cinder: {
    type: "Cinder (a Persistent Disk resource in OpenStack)",
    rows: [...rows({ volumeID: "VolumeID", fsType: "FSType", readOnly: "ReadOnly" }), ["SecretRef:", secretRef(type)]],
  },
  azureDisk: {
    type: "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
    rows: [
      ...rows({ diskName: "DiskName", diskURI: "DiskURI" }),
      // The space is kubectl's own.
      ["Kind: ", ({ kind }) => text(kind)],
      ...rows({ fsType: "FSType", cachingMode: "CachingMode", readOnly: "ReadOnly" }),
    ],
  },
  photonPersistentDisk: {
    type: "PhotonPersistentDisk (a Persistent Disk resource in photon platform)",
    rows: rows({ pdID: "PdID", fsType: "FSType" }),
  },
  portworxVolume: {
    type: "PortworxVolume (a Portworx Volume resource)",
    rows: rows({ volumeID: "VolumeID" }),
  },
  cephfs: {
    type: "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
    rows: [
      ...rows({ monitors: "Monitors", path: "Path", user: "User", secretFile: "SecretFile" }),
      ["SecretRef:", secretRef(type)],
      ...rows({ readOnly: "ReadOnly" }),
    ],
  },
  storageos: {
    type: "StorageOS (a StorageOS Persistent Disk resource)",
    rows: rows({
      volumeName: "VolumeName",
      volumeNamespace: "VolumeNamespace",
      fsType: "FSType",
      readOnly: "ReadOnly",
    }),
  },
  fc: {
    type: "FC (a Fibre Channel disk)",
    rows: [
      ["TargetWWNs:", ({ targetWWNs }) => list(targetWWNs).map(text).join(", ")],
      ["LUN:", pointer("lun")],
      ...rows({ fsType: "FSType", readOnly: "ReadOnly" }),
    ],
  },
  flexVolume: {
    type: "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
    rows: [
      ...rows({ driver: "Driver", fsType: "FSType" }),
      ["SecretRef:", secretRef(type)],
      ...rows({ readOnly: "ReadOnly", options: "Options" }),
    ],
  },
  flocker: {
    type: "Flocker (a Flocker volume mounted by the Flocker agent)",
    rows: rows({ datasetName: "DatasetName", datasetUUID: "DatasetUUID" }),
  },
});
