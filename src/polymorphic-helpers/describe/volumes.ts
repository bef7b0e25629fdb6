import type { ConfigMapProjection, SecretProjection, Volume, VolumeProjection } from "../../api/types/core/v1.js";
import type { Quantity } from "../../api/types/meta/v1.js";
import { isStruct, objects, type Received, text } from "../../machinery/meta/received.js";
import { parseQuantity } from "../../machinery/text/quantity/quantity.js";
import { describeClaim } from "./claim.js";
import {
  describeAttributes,
  describeSource,
  type DescribeVolumeSource,
  sharedSources,
  volumeSource,
} from "./volume-sources.js";
import { type DescriptionWriter, nested } from "./description.js";
import { flag, texts, whole } from "./go-fields.js";

type PodVolume = Received<Volume>;

/** Writes the volumes of a pod, or of a template, whose lines are indented by `indent` more, and its names by one space more. */
export function describeVolumes(
  description: DescriptionWriter,
  volumes: Received<Volume[]> | null | undefined,
  indent = "",
): void {
  const all = objects(volumes);
  description.write(0, `${indent}Volumes:${all.length === 0 ? "\t<none>" : ""}\n`);
  for (const volume of all) {
    description.write(1, `${indent === "" ? "" : " "}${text(volume.name)}:\n`);
    describeSource(description, volume, POD_SOURCES);
  }
}

/** Whether what a volume is made of may be missing. */
const optionalRow: readonly [string, "optional"] = ["Optional:", "optional"];

/** Those of pods only, or that pods and persistent volumes spell differently. */
const POD_SOURCES: readonly DescribeVolumeSource<PodVolume>[] = [
  ...sharedSources("LocalObjectReference"),
  volumeSource(({ emptyDir }: PodVolume) => emptyDir, "EmptyDir (a temporary directory that shares a pod's lifetime)", [
    ["Medium:", "medium"],
    ["SizeLimit:", ({ sizeLimit }) => sizeLimitText(sizeLimit)],
  ]),
  volumeSource(
    ({ gitRepo }: PodVolume) => gitRepo,
    "GitRepo (a volume that is pulled from git when the pod is created)",
    [
      ["Repository:", "repository"],
      ["Revision:", "revision"],
    ],
  ),
  volumeSource(({ secret }: PodVolume) => secret, "Secret (a volume populated by a Secret)", [
    ["SecretName:", "secretName"],
    optionalRow,
  ]),
  volumeSource(({ configMap }: PodVolume) => configMap, "ConfigMap (a volume populated by a ConfigMap)", [
    ["Name:", "name"],
    optionalRow,
  ]),
  volumeSource(
    ({ glusterfs }: PodVolume) => glusterfs,
    "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
    [
      ["EndpointsName:", "endpoints"],
      ["Path:", "path"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ persistentVolumeClaim }: PodVolume) => persistentVolumeClaim,
    "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
    [
      ["ClaimName:", "claimName"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ ephemeral }: PodVolume) => ephemeral,
    "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
    [],
    (description, { volumeClaimTemplate }) => {
      if (isStruct(volumeClaimTemplate)) describeClaim(nested(description, 2), volumeClaimTemplate, false);
    },
  ),
  volumeSource(
    ({ downwardAPI }: PodVolume) => downwardAPI,
    "DownwardAPI (a volume populated by information about the pod)",
    [],
    (description, { items }) => {
      description.write(2, "Items:\n");
      for (const { fieldRef, resourceFieldRef, path } of objects(items)) {
        if (isStruct(fieldRef)) description.write(3, `${text(fieldRef.fieldPath)} -> ${text(path)}\n`);
        if (isStruct(resourceFieldRef)) description.write(3, `${text(resourceFieldRef.resource)} -> ${text(path)}\n`);
      }
    },
  ),
  volumeSource(
    ({ scaleIO }: PodVolume) => scaleIO,
    "ScaleIO (a persistent volume backed by a block device in ScaleIO)",
    [
      ["Gateway:", "gateway"],
      ["System:", "system"],
      ["Protection Domain:", "protectionDomain"],
      ["Storage Pool:", "storagePool"],
      ["Storage Mode:", "storageMode"],
      ["VolumeName:", "volumeName"],
      ["FSType:", "fsType"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ azureFile }: PodVolume) => azureFile,
    "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
    [
      ["SecretName:", "secretName"],
      ["ShareName:", "shareName"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ projected }: PodVolume) => projected,
    "Projected (a volume that contains injected data from multiple sources)",
    [],
    (description, { sources }) => {
      for (const source of objects(sources)) describeProjection(description, source);
    },
  ),
  volumeSource(
    ({ csi }: PodVolume) => csi,
    "CSI (a Container Storage Interface (CSI) volume source)",
    [
      ["Driver:", "driver"],
      ["FSType:", "fsType"],
      ["ReadOnly:", "readOnly"],
    ],
    (description, { volumeAttributes }) => describeAttributes(description, texts(volumeAttributes)),
  ),
  volumeSource(({ image }: PodVolume) => image, "Image (a container image or OCI artifact)", [
    ["Reference:", "reference"],
    ["PullPolicy:", "pullPolicy"],
  ]),
];

function sizeLimitText(limit: Received<Quantity> | null | undefined): string {
  const written = whole(limit);
  return parseQuantity(written).unscaled > 0n ? written : "<unset>";
}

/** One of what is gathered in a projected volume; nothing of the kinds that kubectl does not know. */
function describeProjection(description: DescriptionWriter, source: Received<VolumeProjection>): void {
  const { secret, downwardAPI, configMap, serviceAccountToken } = source;
  const named = (title: string, { name, optional: value }: Received<SecretProjection | ConfigMapProjection>): void => {
    description.write(2, `${title}:\t${text(name)}\n`);
    description.write(2, `Optional:\t${flag(value)}\n`);
  };
  if (isStruct(secret)) named("SecretName", secret);
  else if (isStruct(downwardAPI)) description.write(2, "DownwardAPI:\ttrue\n");
  else if (isStruct(configMap)) named("ConfigMapName", configMap);
  else if (isStruct(serviceAccountToken)) {
    description.write(2, `TokenExpirationSeconds:\t${whole(serviceAccountToken.expirationSeconds)}\n`);
  }
}
