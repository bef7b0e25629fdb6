import type { Pod } from "../../../../api/types/core/v1.js";
import { notFound } from "../../../../machinery/errors/status-error.js";
import { object, type ReceivedObject, text } from "../../../../machinery/meta/received.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import { type AdmissionAttributes, refused } from "../../attributes.js";
import type { AdmissionContext } from "../../plugin.js";

/** A request of a node's kubelet. */
export interface NodeRequest {
  readonly node: string;
  readonly attributes: AdmissionAttributes;
  readonly context: AdmissionContext;
}

/** Returns the node that a pod is bound to. */
export const nodeOf = (pod: ReceivedObject<Pod> | undefined): string => text(object(pod?.spec).nodeName);

/** Throws 403 unless the condition holds. */
export function permitIf(condition: boolean, { attributes }: NodeRequest, message: string): asserts condition {
  if (!condition) throw refused(attributes, message);
}

/** Reads an object from the watch cache. Throws 404, in the words of client-go's listers, which name the kind. */
export async function listed(
  { context }: NodeRequest,
  [resource, kind]: readonly [resource: string, kind: string],
  namespace: string,
  name: string,
): Promise<KubeObject> {
  const found = await context.objects.cached.get("", resource, namespace, name);
  if (found === undefined) throw notFound({ group: "", resource: kind }, name);
  return found;
}

/** The arguments of {@link listed} for pods. */
export const POD = ["pods", "pod"] as const;
export const NODE = ["nodes", "node"] as const;
export const SERVICE_ACCOUNT = ["serviceaccounts", "serviceaccount"] as const;
