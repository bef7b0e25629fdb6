import { goQuote } from "../../../../base/text/go-quote.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import { listed, NODE, nodeOf, type NodeRequest, permitIf } from "./node-request.js";
import { referencedResource } from "./pod-references.js";

const MIRROR = "kubernetes.io/config.mirror";

export const isMirrorPod = ({ metadata }: KubeObject): boolean => metadata?.annotations?.[MIRROR] !== undefined;

/** A new pod of a node shows one of its static pods: it is on the node, belongs to it, and names no other object. */
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
