import type { PersistentVolumeSpec, SecretReference, Volume } from "../../api/types/core/v1.js";
import { isStruct, list, type OrAbsent, type Received, text } from "../../machinery/meta/received.js";
import type { DescriptionWriter } from "./description.js";
import { flag, map, scalar, slice, whole } from "./go-fields.js";
import { shorten } from "./labels.js";

/** A row: its label, with its colon if any, and its value: a field of the source, or a function of the source. */
export type Row<Source> = readonly [label: string, value: keyof Source | ((source: Source) => string)];

/** Describes the source of a volume; returns false where the volume has another source. */
export type DescribeVolumeSource<Volume> = (description: DescriptionWriter, volume: Volume) => boolean;

/** Makes the describer of one volume source: where a volume has it, its type, its rows, and a function for what rows cannot show. */
export function volumeSource<Volume, Source extends object>(
  read: (volume: Volume) => OrAbsent<Source>,
  type: string,
  rows: readonly Row<Source>[],
  rest?: (description: DescriptionWriter, source: Source) => void,
): DescribeVolumeSource<Volume> {
  return (description, volume) => {
    const found = read(volume);
    if (!isStruct(found)) return false;
    description.write(2, `Type:\t${type}\n`);
    for (const [label, value] of rows) {
      const shown = typeof value === "function" ? value(found) : fieldText(String(value), found[value]);
      description.write(2, `${label}\t${shown}\n`);
    }
    rest?.(description, found);
    return true;
  };
}

/** Describes the source of a volume, with the first describer that knows it; a volume has at most one source. */
export function describeSource<Volume>(
  description: DescriptionWriter,
  volume: Volume,
  known: readonly DescribeVolumeSource<Volume>[],
): void {
  if (!known.some((describe) => describe(description, volume))) description.write(1, "<unknown>\n");
}

/** Fields whose Go type is not a string. */
const FLAGS = new Set(["readOnly", "optional", "chapAuthDiscovery", "chapAuthSession"]);
const NUMBERS = new Set(["partition", "lun"]);
const LISTS = new Set(["portals", "monitors"]);

function fieldText(field: string, value: unknown): string {
  if (FLAGS.has(field)) return flag(value);
  if (NUMBERS.has(field)) return whole(value);
  if (LISTS.has(field)) return slice(value);
  return field === "options" ? map(value) : typeof value === "string" ? value : "";
}

/** The Go type of a reference to a secret. */
export type ReferenceType = "LocalObjectReference" | "SecretReference";

/** As Go prints a pointer to one: "&SecretReference{Name:key,Namespace:vault,}". */
const secretRef =
  (type: ReferenceType) =>
  ({ secretRef: ref }: { readonly secretRef?: OrAbsent<Received<SecretReference>> }): string => {
    if (!isStruct(ref)) return "nil";
    const namespace = type === "SecretReference" ? `Namespace:${text(ref.namespace)},` : "";
    return `&${type}{Name:${text(ref.name)},${namespace}}`;
  };

type AnyVolume = Received<Volume> | Received<PersistentVolumeSpec>;

/** The sources that pods and persistent volumes share; they differ in how they refer to a secret. */
export const sharedSources = (type: ReferenceType): readonly DescribeVolumeSource<AnyVolume>[] => [
  volumeSource(({ hostPath }: AnyVolume) => hostPath, "HostPath (bare host directory volume)", [
    ["Path:", "path"],
    ["HostPathType:", ({ type }) => scalar(type, "<none>")],
  ]),
  volumeSource(
    ({ gcePersistentDisk }: AnyVolume) => gcePersistentDisk,
    "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
    [
      ["PDName:", "pdName"],
      ["FSType:", "fsType"],
      ["Partition:", "partition"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ awsElasticBlockStore }: AnyVolume) => awsElasticBlockStore,
    "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
    [
      ["VolumeID:", "volumeID"],
      ["FSType:", "fsType"],
      ["Partition:", "partition"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(({ nfs }: AnyVolume) => nfs, "NFS (an NFS mount that lasts the lifetime of a pod)", [
    ["Server:", "server"],
    ["Path:", "path"],
    ["ReadOnly:", "readOnly"],
  ]),
  volumeSource(
    ({ iscsi }: AnyVolume) => iscsi,
    "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
    [
      ["TargetPortal:", "targetPortal"],
      ["IQN:", "iqn"],
      ["Lun:", "lun"],
      ["ISCSIInterface", ({ iscsiInterface }) => text(iscsiInterface)],
      ["FSType:", "fsType"],
      ["ReadOnly:", "readOnly"],
      ["Portals:", "portals"],
      ["DiscoveryCHAPAuth:", "chapAuthDiscovery"],
      ["SessionCHAPAuth:", "chapAuthSession"],
      ["SecretRef:", secretRef(type)],
      ["InitiatorName:", ({ initiatorName }) => scalar(initiatorName, "<none>")],
    ],
  ),
  volumeSource(
    ({ rbd }: AnyVolume) => rbd,
    "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
    [
      ["CephMonitors:", "monitors"],
      ["RBDImage:", "image"],
      ["FSType:", "fsType"],
      ["RBDPool:", "pool"],
      ["RadosUser:", "user"],
      ["Keyring:", "keyring"],
      ["SecretRef:", secretRef(type)],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ quobyte }: AnyVolume) => quobyte,
    "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
    [
      ["Registry:", "registry"],
      ["Volume:", "volume"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ vsphereVolume }: AnyVolume) => vsphereVolume,
    "vSphereVolume (a Persistent Disk resource in vSphere)",
    [
      ["VolumePath:", "volumePath"],
      ["FSType:", "fsType"],
      ["StoragePolicyName:", "storagePolicyName"],
    ],
  ),
  volumeSource(({ cinder }: AnyVolume) => cinder, "Cinder (a Persistent Disk resource in OpenStack)", [
    ["VolumeID:", "volumeID"],
    ["FSType:", "fsType"],
    ["ReadOnly:", "readOnly"],
    ["SecretRef:", secretRef(type)],
  ]),
  volumeSource(
    ({ azureDisk }: AnyVolume) => azureDisk,
    "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
    [
      ["DiskName:", "diskName"],
      ["DiskURI:", "diskURI"],
      // The space is kubectl's own.
      ["Kind: ", ({ kind }) => text(kind)],
      ["FSType:", "fsType"],
      ["CachingMode:", "cachingMode"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ photonPersistentDisk }: AnyVolume) => photonPersistentDisk,
    "PhotonPersistentDisk (a Persistent Disk resource in photon platform)",
    [
      ["PdID:", "pdID"],
      ["FSType:", "fsType"],
    ],
  ),
  volumeSource(({ portworxVolume }: AnyVolume) => portworxVolume, "PortworxVolume (a Portworx Volume resource)", [
    ["VolumeID:", "volumeID"],
  ]),
  volumeSource(({ cephfs }: AnyVolume) => cephfs, "CephFS (a CephFS mount on the host that shares a pod's lifetime)", [
    ["Monitors:", "monitors"],
    ["Path:", "path"],
    ["User:", "user"],
    ["SecretFile:", "secretFile"],
    ["SecretRef:", secretRef(type)],
    ["ReadOnly:", "readOnly"],
  ]),
  volumeSource(({ storageos }: AnyVolume) => storageos, "StorageOS (a StorageOS Persistent Disk resource)", [
    ["VolumeName:", "volumeName"],
    ["VolumeNamespace:", "volumeNamespace"],
    ["FSType:", "fsType"],
    ["ReadOnly:", "readOnly"],
  ]),
  volumeSource(({ fc }: AnyVolume) => fc, "FC (a Fibre Channel disk)", [
    ["TargetWWNs:", ({ targetWWNs }) => list(targetWWNs).map(text).join(", ")],
    ["LUN:", ({ lun }) => scalar(lun, "<none>")],
    ["FSType:", "fsType"],
    ["ReadOnly:", "readOnly"],
  ]),
  volumeSource(
    ({ flexVolume }: AnyVolume) => flexVolume,
    "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
    [
      ["Driver:", "driver"],
      ["FSType:", "fsType"],
      ["SecretRef:", secretRef(type)],
      ["ReadOnly:", "readOnly"],
      ["Options:", "options"],
    ],
  ),
  volumeSource(({ flocker }: AnyVolume) => flocker, "Flocker (a Flocker volume mounted by the Flocker agent)", [
    ["DatasetName:", "datasetName"],
    ["DatasetUUID:", "datasetUUID"],
  ]),
];

const MAX_LENGTH = 140;

/** Describes the attributes of a CSI driver, sorted by key. Further lines are indented as kubectl's are: twice before the tab. */
export function describeAttributes(description: DescriptionWriter, attributes: Readonly<Record<string, string>>): void {
  const keys = Object.keys(attributes).sort();
  description.write(2, "VolumeAttributes:\t");
  if (keys.length === 0) description.write(0, "<none>\n");
  for (const [index, key] of keys.entries()) {
    if (index > 0) {
      description.write(2, "");
      description.write(2, "\t");
    }
    description.write(2, `${shorten(`${key}=${attributes[key]}`, MAX_LENGTH)}\n`);
  }
}
