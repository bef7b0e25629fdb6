import type { Pod, PodStatus } from "../../../../api/types/core/v1.js";
import { sameValue } from "../../../../api/validation/rules.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import { object, objects, type Received, type ReceivedObject } from "../../../../machinery/meta/received.js";
import { checkMirrorPod } from "./mirror-pod.js";
import { listed, nodeOf, type NodeRequest, permitIf, POD } from "./node-request.js";

/** Allows a node to create mirror pods of its static pods and, of its own pods, to delete them, update their status and evict them. */
export async function checkPod(request: NodeRequest): Promise<void> {
  const { subresource } = request.attributes;
  switch (subresource) {
    case "":
      return checkPodItself(request);
    case "status":
      return checkPodStatus(request);
    case "eviction":
      return checkEviction(request);
    default: {
      const message = `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`;
      return permitIf(false, request, message);
    }
  }
}

async function checkPodItself(request: NodeRequest): Promise<void> {
  const { attributes, node } = request;
  const { operation, namespace, name } = attributes;
  if (operation === "CREATE") return checkMirrorPod(request);
  if (operation === "DELETE") {
    const isOwn = nodeOf(await listed(request, POD, namespace, name)) === node;
    return permitIf(isOwn, request, `node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`);
  }
  const rule = `node ${goQuote(node)} can only create and delete mirror pods`;
  return permitIf(false, request, `unexpected operation ${goQuote(operation)}, ${rule}`);
}

function checkPodStatus(request: NodeRequest): void {
  const { node, attributes } = request;
  const { operation } = attributes;
  const pod: ReceivedObject<Pod> | undefined = attributes.object;
  const old: ReceivedObject<Pod> | undefined = attributes.oldObject;
  const named = `node ${goQuote(node)}`;
  permitIf(operation === "UPDATE", request, `unexpected operation ${goQuote(operation)}`);
  const isOwn = nodeOf(old) === node;
  permitIf(isOwn, request, `${named} can only update pod status for pods with spec.nodeName set to itself`);
  const hasSameLabels = sameValue(pod?.metadata?.labels, old?.metadata?.labels);
  permitIf(hasSameLabels, request, `${named} cannot update labels through pod status`);
  const [status, before] = [object(pod?.status), object(old?.status)];
  permitIf(sameValue(claims(status), claims(before)), request, `${named} cannot update resource claim statues`);
  const field = "extendedResourceClaimStatus";
  const hasSameClaim = sameValue(status[field], before[field]);
  permitIf(hasSameClaim, request, `${named} cannot update extended resource claim status`);
}

const claims = (status: Received<PodStatus>): unknown =>
  objects(status.resourceClaimStatuses).map(({ name, resourceClaimName }) => [name, resourceClaimName]);

async function checkEviction(request: NodeRequest): Promise<void> {
  const { attributes, node } = request;
  const { operation, namespace, name, object: eviction } = attributes;
  permitIf(operation === "CREATE", request, `unexpected operation ${operation}`);
  const pod = name || (eviction?.metadata?.name ?? "");
  permitIf(pod !== "", request, "could not determine pod from request data");
  const isOwn = nodeOf(await listed(request, POD, namespace, pod)) === node;
  permitIf(isOwn, request, `node ${node} can only evict pods with spec.nodeName set to itself`);
}
