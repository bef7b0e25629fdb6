import type { PersistentVolumeSpec, VolumeNodeAffinity } from "../../api/types/core/v1.js";
import { absent, isStruct, list, object, objects, type Received, text } from "../../machinery/meta/received.js";
import { accessModesText, storageClassOf } from "./claim.js";
import {
  describeAttributes,
  describeSource,
  type DescribeVolumeSource,
  sharedSources,
  volumeSource,
} from "./volume-sources.js";
import type { Describer } from "./describer.js";
import type { DescriptionWriter } from "./description.js";
import { describeEvents, eventsOf, since } from "./events.js";
import { slice, texts, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";
import { describeTerm } from "./scheduling.js";

type VolumeSpec = Received<PersistentVolumeSpec>;

export const describePersistentVolume: Describer = async (_namespace, name, description, context) => {
  const volume = await context.reader.get("v1/PersistentVolume", "", name);
  const events = await eventsOf(volume, "PersistentVolume", context);
  const [spec, status] = [object(volume.spec), object(volume.status)];
  const { finalizers, deletionTimestamp } = volume.metadata ?? {};
  describeName(description, volume, false);
  describeLabelsAndAnnotations(description, volume);
  description.write(0, `Finalizers:\t${slice(finalizers)}\n`);
  description.write(0, `StorageClass:\t${storageClassOf(volume)}\n`);
  const leaving = deletionTimestamp && `Terminating (lasts ${since(deletionTimestamp, context.now)})`;
  description.write(0, `Status:\t${leaving ?? text(status.phase)}\n`);
  const { claimRef } = spec;
  const claim = isStruct(claimRef) ? `${text(claimRef.namespace)}/${text(claimRef.name)}` : "";
  description.write(0, `Claim:\t${claim}\n`);
  description.write(0, `Reclaim Policy:\t${text(spec.persistentVolumeReclaimPolicy)}\n`);
  description.write(0, `Access Modes:\t${accessModesText(spec.accessModes)}\n`);
  if (!absent(spec.volumeMode)) description.write(0, `VolumeMode:\t${text(spec.volumeMode)}\n`);
  description.write(0, `Capacity:\t${whole(object(spec.capacity).storage)}\n`);
  describeNodeAffinity(description, object(spec.nodeAffinity));
  description.write(0, `Message:\t${text(status.message)}\n`);
  description.write(0, "Source:\n");
  describeSource(description, spec, SOURCES);
  describeEvents(description, events, context);
};

/** The nodes that can reach it. */
function describeNodeAffinity(description: DescriptionWriter, { required }: Received<VolumeNodeAffinity>): void {
  if (!isStruct(required)) {
    description.write(0, "Node Affinity:\t<none>\n");
    return;
  }
  description.write(0, "Node Affinity:\t\n");
  const terms = objects(required.nodeSelectorTerms);
  description.write(1, `Required Terms:\t${terms.length === 0 ? "<none>" : ""}\n`);
  for (const [index, { matchExpressions }] of terms.entries()) {
    const requirements = objects(matchExpressions).map(({ key, operator, values }) => ({
      key: text(key),
      operator: text(operator).toLowerCase(),
      values: list(values).map(text),
    }));
    describeTerm(description, 2, `Term ${index}`, requirements);
  }
}

/** Those of persistent volumes only, or that pods and persistent volumes spell differently. */
const SOURCES: readonly DescribeVolumeSource<VolumeSpec>[] = [
  ...sharedSources("SecretReference"),
  volumeSource(
    ({ glusterfs }: VolumeSpec) => glusterfs,
    "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
    [
      ["EndpointsName:", "endpoints"],
      ["EndpointsNamespace:", ({ endpointsNamespace: namespace }) => (absent(namespace) ? "<unset>" : text(namespace))],
      ["Path:", "path"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ scaleIO }: VolumeSpec) => scaleIO,
    "ScaleIO (a persistent volume backed by a block device in ScaleIO)",
    [
      ["Gateway:", "gateway"],
      ["System:", "system"],
      ["Protection Domain:", "protectionDomain"],
      ["Storage Pool:", "storagePool"],
      ["Storage Mode:", "storageMode"],
      ["VolumeName:", "volumeName"],
      ["SecretName:", ({ secretRef }) => text(object(secretRef).name)],
      ["SecretNamespace:", ({ secretRef }) => text(object(secretRef).namespace)],
      ["FSType:", "fsType"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ local }: VolumeSpec) => local,
    "LocalVolume (a persistent volume backed by local storage on a node)",
    [["Path:", "path"]],
  ),
  volumeSource(
    ({ azureFile }: VolumeSpec) => azureFile,
    "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
    [
      ["SecretName:", "secretName"],
      ["SecretNamespace:", "secretNamespace"],
      ["ShareName:", "shareName"],
      ["ReadOnly:", "readOnly"],
    ],
  ),
  volumeSource(
    ({ csi }: VolumeSpec) => csi,
    "CSI (a Container Storage Interface (CSI) volume source)",
    [
      ["Driver:", "driver"],
      ["FSType:", "fsType"],
      ["VolumeHandle:", "volumeHandle"],
      ["ReadOnly:", "readOnly"],
    ],
    (description, { volumeAttributes }) => describeAttributes(description, texts(volumeAttributes)),
  ),
];
