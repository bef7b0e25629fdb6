import { secretNamesOf } from "../../../api/pods/secret-names.js";
import type {
  Container,
  EphemeralContainer,
  PersistentVolume,
  PersistentVolumeSpec,
  SecretReference,
  Pod,
  PodSpec,
  PodStatus,
  Volume,
} from "../../../api/types/core/v1.js";
import { absent, object, objects, type Received, type ReceivedObject, text } from "../../../machinery/meta/received.js";

/** Names an object in the graph. No resource, namespace or name has a space. */
export const keyOf = (resource: string, namespace: string, name: string): string => `${resource} ${namespace} ${name}`;

const MIRROR = "kubernetes.io/config.mirror";

/**
 * The keys of the objects that the node of a pod may read because of the pod: the pod itself, and its account, secrets,
 * config maps, volume claims and resource claims. A mirror pod, which a kubelet makes, gives its node nothing.
 */
export function referencesOf(pod: ReceivedObject<Pod>): readonly string[] {
  const { name = "", namespace = "", annotations = {} } = pod.metadata ?? {};
  const keys = new Set([keyOf("pods", namespace, name)]);
  if (Object.hasOwn(annotations, MIRROR)) return [...keys];
  const add = (resource: string, referenced: string | null | undefined): void => {
    if (text(referenced) !== "") keys.add(keyOf(resource, namespace, text(referenced)));
  };
  const spec = object(pod.spec);
  add("serviceaccounts", spec.serviceAccountName);
  for (const secret of secretNamesOf(spec)) add("secrets", secret);
  for (const container of containersOf(spec)) addEnvironment(container, add);
  for (const volume of objects(spec.volumes)) addVolume(volume, name, add);
  for (const claim of resourceClaimsOf(spec, object(pod.status))) add("resourceclaims", claim);
  return [...keys];
}

type Add = (resource: string, referenced: string | null | undefined) => void;

const containersOf = (spec: Received<PodSpec>): readonly Received<Container | EphemeralContainer>[] => [
  ...objects(spec.initContainers),
  ...objects(spec.containers),
  ...objects(spec.ephemeralContainers),
];

function addEnvironment(container: Received<Container | EphemeralContainer>, add: Add): void {
  for (const { configMapRef } of objects(container.envFrom)) add("configmaps", object(configMapRef).name);
  for (const { valueFrom } of objects(container.env)) {
    add("configmaps", object(object(valueFrom).configMapKeyRef).name);
  }
}

function addVolume(volume: Received<Volume>, pod: string, add: Add): void {
  add("configmaps", object(volume.configMap).name);
  for (const { configMap } of objects(object(volume.projected).sources)) {
    add("configmaps", object(configMap).name);
  }
  add("persistentvolumeclaims", object(volume.persistentVolumeClaim).claimName);
  if (!absent(volume.ephemeral)) add("persistentvolumeclaims", `${pod}-${text(volume.name)}`);
}

/** The claims that a pod names, and those that were made for it by a template. */
function* resourceClaimsOf(spec: Received<PodSpec>, status: Received<PodStatus>): Generator<string | null | undefined> {
  const made = objects(status.resourceClaimStatuses);
  for (const { name, resourceClaimName } of objects(spec.resourceClaims)) {
    yield resourceClaimName ?? made.find((one) => one.name === name)?.resourceClaimName;
  }
  yield object(status.extendedResourceClaimStatus).resourceClaimName;
}

/** Sources whose secrets lie beside the claim where they name no namespace. */
const BESIDE_THE_CLAIM = ["cephfs", "flexVolume", "rbd", "scaleIO", "iscsi"] as const;
const IN_THEIR_NAMESPACE = ["cinder", "storageos"] as const;
/** What a CSI driver uses on the node. Its other secrets are the controller's. */
const CSI_ON_NODES = ["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"] as const;

/** A bound volume with its claim, and the secrets that a kubelet needs to mount it, as keys. */
export interface BoundVolume {
  readonly volume: string;
  readonly claim: string;
  readonly secrets: readonly string[];
}

/** A bound volume with its claim and its secrets; undefined for a volume without a claim. */
export function boundVolume(volume: ReceivedObject<PersistentVolume>): BoundVolume | undefined {
  const spec = object(volume.spec);
  if (absent(spec.claimRef)) return undefined;
  const { namespace, name } = object(spec.claimRef);
  return {
    volume: keyOf("persistentvolumes", "", volume.metadata?.name ?? ""),
    claim: keyOf("persistentvolumeclaims", text(namespace), text(name)),
    secrets: [...secretsOf(spec, text(namespace))].map((secret) => keyOf("secrets", secret.namespace, secret.name)),
  };
}

type Reference = Received<SecretReference> | null | undefined;

interface Secret {
  readonly namespace: string;
  readonly name: string;
}

function* secretsOf(spec: Received<PersistentVolumeSpec>, claimNamespace: string): Generator<Secret> {
  const azure = object(spec.azureFile);
  if (text(azure.secretName) !== "") {
    yield { namespace: text(azure.secretNamespace) || claimNamespace, name: text(azure.secretName) };
  }
  for (const source of BESIDE_THE_CLAIM)
    yield* referenced(object<{ readonly secretRef?: Reference }>(spec[source]).secretRef, claimNamespace);
  for (const source of IN_THEIR_NAMESPACE)
    yield* referenced(object<{ readonly secretRef?: Reference }>(spec[source]).secretRef, "");
  for (const field of CSI_ON_NODES) yield* referenced(object(spec.csi)[field], "");
}

function* referenced(reference: Reference, otherwise: string): Generator<Secret> {
  const { namespace, name } = object(reference);
  if (text(name) !== "") yield { namespace: text(namespace) || otherwise, name: text(name) };
}
