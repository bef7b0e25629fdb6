import { goQuote } from "../../../../base/text/go-quote.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import { listed, NODE, nodeOf, type NodeRequest, permitIf } from "./node-request.js";
import type { Pod, PodSpec, Volume, VolumeProjection } from "../../../../api/types/core/v1.js";
import { eachContainer } from "../../../../api/validation/pod/each-container.js";
import {
  absent,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../../machinery/meta/received.js";
import { referencesSecrets } from "../../../../api/pods/secret-names.js";

const MIRROR = "kubernetes.io/config.mirror";

export const isMirrorPod = ({ metadata }: KubeObject): boolean => metadata?.annotations?.[MIRROR] !== undefined;

/** Allows a node to create only mirror pods of its static pods: bound to the node, owned by it, and without references to other objects. */
export async function checkMirrorPod(request: NodeRequest): Promise<void> {
  const { attributes, node } = request;
  const pod = attributes.object ?? {};
  const named = `node ${goQuote(node)}`;
  const mirror = `pod does not have ${goQuote(MIRROR)} annotation, ${named} can only create mirror pods`;
  permitIf(isMirrorPod(pod), request, mirror);
  permitIf(nodeOf(pod) === node, request, `${named} can only create pods with spec.nodeName set to itself`);
  await checkOwner(pod, request);
  const resource = referencedResource(pod);
  permitIf(resource === undefined, request, `${named} can not create pods that reference ${resource}`);
}

async function checkOwner({ metadata }: KubeObject, request: NodeRequest): Promise<void> {
  const { node } = request;
  const named = `node ${goQuote(node)}`;
  const [owner, ...others] = metadata?.ownerReferences ?? [];
  const single = `${named} can only create pods with a single owner reference set to itself`;
  permitIf(others.length === 0, request, single);
  const isOwn = owner !== undefined && owner.apiVersion === "v1" && owner.kind === "Node" && owner.name === node;
  permitIf(isOwn, request, `${named} can only create pods with an owner reference set to itself`);
  const controller = `${named} can only create pods with a controller owner reference set to itself`;
  permitIf(owner.controller === true, request, controller);
  const block = `${named} must not set blockOwnerDeletion on an owner reference`;
  permitIf(owner.blockOwnerDeletion !== true, request, block);
  const uid = (await listed(request, NODE, "", node)).metadata?.uid;
  permitIf(owner.uid === uid, request, `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`);
}

type Source<T> = readonly [field: keyof T, resource: string];

/** What a volume takes from the API, by the field of its source; those of secrets and config maps are found before. */
const VOLUMES: readonly Source<Volume>[] = [
  ["csi", "csidrivers (via CSI volumes)"],
  ["glusterfs", "endpoints (via glusterFS volumes)"],
  ["persistentVolumeClaim", "persistentvolumeclaims"],
  ["ephemeral", "persistentvolumeclaims (via ephemeral volumes)"],
  ["azureFile", "secrets (via azureFile volumes)"],
];

/** {@link VOLUMES} of a projected volume. */
const PROJECTIONS: readonly Source<VolumeProjection>[] = [
  ["serviceAccountToken", "serviceaccounts (via projected volumes)"],
  ["clusterTrustBundle", "clustertrustbundles"],
  ["podCertificate", "podcertificates"],
];

/** The first resource of which a pod names an object, in kube-apiserver's order and words; undefined for a pod that names none. */
function referencedResource(pod: ReceivedObject<Pod>): string | undefined {
  const spec = object(pod.spec);
  if (text(spec.serviceAccountName) !== "") return "serviceaccounts";
  if (referencesSecrets(spec)) return "secrets";
  if (referencesConfigMaps(spec)) return "configmaps";
  if (list(spec.resourceClaims).length > 0) return "resourceclaims";
  for (const volume of objects(spec.volumes)) {
    const found = sourceOf(volume, VOLUMES) ?? projectionOf(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

const sourceOf = <T extends Volume | VolumeProjection>(
  volume: { readonly [Field in keyof T]?: unknown },
  sources: readonly Source<T>[],
): string | undefined => sources.find(([field]) => !absent(volume[field]))?.[1];

function projectionOf({ projected }: Received<Volume>): string | undefined {
  for (const source of objects(object(projected).sources)) {
    const found = sourceOf(source, PROJECTIONS);
    if (found !== undefined) return found;
  }
  return undefined;
}

function referencesConfigMaps(spec: Received<PodSpec>): boolean {
  const inContainers = eachContainer(spec, "").some(
    ([{ env, envFrom }]) =>
      objects(envFrom).some(({ configMapRef }) => !absent(configMapRef)) ||
      objects(env).some(({ valueFrom }) => !absent(object(valueFrom).configMapKeyRef)),
  );
  const inVolumes = objects(spec.volumes).some(
    ({ configMap, projected }) =>
      !absent(configMap) || objects(object(projected).sources).some((source) => !absent(source.configMap)),
  );
  return inContainers || inVolumes;
}
