import type { Node, Pod } from "../../../api/types/core/v1.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { type AdmissionAttributes, refused } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";

/** An update of the spec of a pod that is bound to a node. */
export interface BoundPodChange {
  readonly pod: ReceivedObject<Pod>;
  readonly old: ReceivedObject<Pod>;
  readonly node: string;
}

/** Returns an update of a bound pod's spec; undefined for a pod without a node, and where the generation, and thus the spec, is unchanged. */
export function boundPodChange(attributes: AdmissionAttributes): BoundPodChange | undefined {
  const pod: ReceivedObject<Pod> | undefined = attributes.object;
  const old: ReceivedObject<Pod> | undefined = attributes.oldObject;
  if (pod === undefined || old === undefined) return undefined;
  const node = text(object(pod.spec).nodeName);
  return node === "" || pod.metadata?.generation === old.metadata?.generation ? undefined : { pod, old, node };
}

/** Reads the Node that the pod is bound to. Throws 403 where it does not exist. */
export async function nodeOf(
  name: string,
  attributes: AdmissionAttributes,
  { objects }: AdmissionContext,
): Promise<ReceivedObject<Node>> {
  const found = await objects.cached.get("", "nodes", "", name);
  if (found === undefined) throw refused(attributes, `node ${goQuote(name)} not found`);
  return found;
}
