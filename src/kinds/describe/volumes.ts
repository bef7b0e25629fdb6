import { isFields, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { parseQuantity } from "../../machinery/text/quantity/quantity.js";
import { describeClaim } from "./claim.js";
import { describeAttributes } from "./csi-attributes.js";
import { type DescriptionWriter, nested } from "./description.js";
import { flag, texts, whole } from "./go-fields.js";
import { describeSource, type Row, rows, sharedSources, type VolumeSourceText } from "./volume-sources.js";

/** The volumes of a pod, or of a template (which is further in by `indent`, and the names by one space). */
export function describeVolumes(description: DescriptionWriter, volumes: unknown, indent = ""): void {
  const all = objects(volumes);
  description.write(0, `${indent}Volumes:${all.length === 0 ? "\t<none>" : ""}\n`);
  for (const volume of all) {
    description.write(1, `${indent === "" ? "" : " "}${text(volume.name)}:\n`);
    describeSource(description, volume, POD_SOURCES);
  }
}

const optional: Row = ["Optional:", ({ optional: value }) => flag(value)];

/** Those of pods only, or that pods and persistent volumes spell differently. */
const POD_SOURCES: Readonly<Record<string, VolumeSourceText>> = {
  ...sharedSources("LocalObjectReference"),
  emptyDir: {
    type: "EmptyDir (a temporary directory that shares a pod's lifetime)",
    rows: [...rows({ medium: "Medium" }), ["SizeLimit:", ({ sizeLimit }) => sizeLimitText(sizeLimit)]],
  },
  gitRepo: {
    type: "GitRepo (a volume that is pulled from git when the pod is created)",
    rows: rows({ repository: "Repository", revision: "Revision" }),
  },
  secret: {
    type: "Secret (a volume populated by a Secret)",
    rows: [...rows({ secretName: "SecretName" }), optional],
  },
  configMap: {
    type: "ConfigMap (a volume populated by a ConfigMap)",
    rows: [...rows({ name: "Name" }), optional],
  },
  glusterfs: {
    type: "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
    rows: rows({ endpoints: "EndpointsName", path: "Path", readOnly: "ReadOnly" }),
  },
  persistentVolumeClaim: {
    type: "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
    rows: rows({ claimName: "ClaimName", readOnly: "ReadOnly" }),
  },
  ephemeral: {
    type: "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
    rows: [],
    rest: (description, { volumeClaimTemplate }) => {
      if (isFields(volumeClaimTemplate)) describeClaim(nested(description, 2), volumeClaimTemplate, false);
    },
  },
  downwardAPI: {
    type: "DownwardAPI (a volume populated by information about the pod)",
    rows: [],
    rest: (description, { items }) => {
      description.write(2, "Items:\n");
      for (const { fieldRef, resourceFieldRef, path } of objects(items)) {
        if (isFields(fieldRef)) description.write(3, `${text(fieldRef.fieldPath)} -> ${text(path)}\n`);
        if (isFields(resourceFieldRef)) description.write(3, `${text(resourceFieldRef.resource)} -> ${text(path)}\n`);
      }
    },
  },
  scaleIO: {
    type: "ScaleIO (a persistent volume backed by a block device in ScaleIO)",
    rows: rows({
      gateway: "Gateway",
      system: "System",
      protectionDomain: "Protection Domain",
      storagePool: "Storage Pool",
      storageMode: "Storage Mode",
      volumeName: "VolumeName",
      fsType: "FSType",
      readOnly: "ReadOnly",
    }),
  },
  azureFile: {
    type: "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
    rows: rows({ secretName: "SecretName", shareName: "ShareName", readOnly: "ReadOnly" }),
  },
  projected: {
    type: "Projected (a volume that contains injected data from multiple sources)",
    rows: [],
    rest: (description, { sources }) => {
      for (const source of objects(sources)) describeProjection(description, source);
    },
  },
  csi: {
    type: "CSI (a Container Storage Interface (CSI) volume source)",
    rows: rows({ driver: "Driver", fsType: "FSType", readOnly: "ReadOnly" }),
    rest: (description, { volumeAttributes }) => describeAttributes(description, texts(volumeAttributes)),
  },
  image: {
    type: "Image (a container image or OCI artifact)",
    rows: rows({ reference: "Reference", pullPolicy: "PullPolicy" }),
  },
};

function sizeLimitText(limit: unknown): string {
  const written = whole(limit);
  return parseQuantity(written).unscaled > 0n ? written : "<unset>";
}

/** One of what is gathered in a projected volume; nothing of the kinds that kubectl does not know. */
function describeProjection(description: DescriptionWriter, source: ReadonlyFields): void {
  const { secret, downwardAPI, configMap, serviceAccountToken } = source;
  const named = (title: string, { name, optional: value }: ReadonlyFields): void => {
    description.write(2, `${title}:\t${text(name)}\n`);
    description.write(2, `Optional:\t${flag(value)}\n`);
  };
  if (isFields(secret)) named("SecretName", secret);
  else if (isFields(downwardAPI)) description.write(2, "DownwardAPI:\ttrue\n");
  else if (isFields(configMap)) named("ConfigMapName", configMap);
  else if (isFields(serviceAccountToken)) {
    description.write(2, `TokenExpirationSeconds:\t${whole(serviceAccountToken.expirationSeconds)}\n`);
  }
}
