import { attachablePod } from "../actions/attachable-pod.js";
import { PODS } from "../actions/selected-pods.js";
import { splitTypeName, mappingForArgument } from "../resource/resource-arguments.js";
import { Helper } from "../resource/helper.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import type { KubeObject } from "../machinery/meta/object.js";

/** The pod, and the container in it, that a call is about. */
export interface PodOptions {
  /** Default: the client's. */
  readonly namespace?: string;
  /** Default: the one that the pod's annotation `kubectl.kubernetes.io/default-container` names, else the first. */
  readonly container?: string;
  readonly signal?: AbortSignal;
}

/** Milliseconds to wait for the first pod of an object that runs none yet: kubectl's. */
const FIRST_POD = 60_000;

/**
 * Finds the pod with a name, or that of a workload or service, "deployment/web" or "svc/web": then the one that has been ready
 * longest. Throws the server's error, and when no pod appears within a minute.
 */
export async function foundPod(
  client: Pick<KubernetesClient, "rest" | "mapper" | "namespace">,
  name: string,
  { namespace = client.namespace, signal }: PodOptions,
): Promise<KubeObject> {
  const tuple = splitTypeName(name);
  const mapping = tuple === undefined ? PODS : await mappingForArgument(tuple.resource, client.mapper);
  const helper = new Helper(client.rest, mapping, { signal });
  const object = await helper.get(namespace, tuple?.name ?? name);
  return attachablePod({ object, mapping }, { client: client.rest, timeout: FIRST_POD, signal });
}
