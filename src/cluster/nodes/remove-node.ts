import type { Node } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { inParallel } from "../../base/async/in-parallel.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import { kubernetesClient, type KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Transport } from "../../client/transport/transport.js";
import { finishPod, NODE_IS_GONE } from "../../controllers/pod-garbage-collector/finish-pod.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { object, objects, text } from "../../machinery/meta/access.js";
import { OS_IMAGE } from "../../node/agent/node-registration.js";
import { SERVER_LABEL } from "./server-nodes.js";

export interface RemoveNodeParts {
  /** As a user who may delete nodes and pods. */
  readonly client: Pick<KubernetesClient, "of">;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** How many pods are removed at a time. */
const REQUESTS = 16;

/**
 * Removes a Node that no process runs any more, and then its pods, so that controllers create them again on other nodes; resolves
 * with the number of pods. If a crash interrupts it, the pod garbage collector removes the rest.
 */
export async function removeNode(node: Node, { client, clock, signal }: RemoveNodeParts): Promise<number> {
  const { name = "", uid } = node.metadata ?? {};
  const options = { ...(uid !== undefined && { preconditions: { uid } }), ...(signal && { signal }) };
  try {
    await client.of("v1", "Node").delete(name, options);
  } catch (error) {
    // Another Node of that name has its own pods.
    if (isConflict(error)) return 0;
    if (!isNotFound(error)) throw error;
  }
  const pods = await client
    .of("v1", "Pod")
    .listWhole({ fieldSelector: `spec.nodeName=${name}`, ...(signal && { signal }) });
  await inParallel(pods.items, REQUESTS, async (pod) => finishPod(pod, NODE_IS_GONE, { client, clock }));
  return pods.items.length;
}

export interface LeftNodesParts {
  /** As the server itself. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly reportError: (error: unknown) => void;
}

/**
 * Removes those of the Nodes that an earlier process of the same storage ran itself, with their pods. It reports what it cannot
 * remove, which the node lifecycle controller and the pod garbage collector then handle.
 */
export async function removeNodesLeft(nodes: readonly Node[], parts: LeftNodesParts): Promise<void> {
  const { transport, clock, timers, random, reportError } = parts;
  const headers = { "user-agent": "kubets-controller-manager" };
  const client = kubernetesClient({ transport: () => transport }, { clock, timers, random, headers });
  try {
    for (const node of nodes.filter(isOfThisProgram)) await removeNode(node, { client, clock }).catch(reportError);
  } finally {
    await client.close();
  }
}

/**
 * Whether a process of this program ran the Node itself, on a storage that no other server shares. An agent that runs elsewhere
 * has an address in place of its name, a real kubelet reports another system, and a Node that was created by hand has no system at
 * all.
 */
export function isOfThisProgram({ metadata, status }: Node): boolean {
  const { nodeInfo, addresses } = object(status);
  const hostname = objects(addresses).find(({ type }) => type === "Hostname");
  return (
    metadata?.labels?.[SERVER_LABEL] === undefined &&
    text(object(nodeInfo).osImage) === OS_IMAGE &&
    text(hostname?.address) === metadata?.name
  );
}
