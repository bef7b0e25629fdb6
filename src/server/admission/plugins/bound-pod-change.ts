import { goQuote } from "../../../base/text/go-quote.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";
import { refused } from "../refusal.js";

/** A pod on a node, whose spec an update changes. */
export interface BoundPodChange {
  readonly pod: KubeObject;
  readonly old: KubeObject;
  readonly node: string;
}

/** Undefined for a pod that no node has yet, and where the spec stays: its generation does too. */
export function boundPodChange({ object: pod, oldObject: old }: AdmissionAttributes): BoundPodChange | undefined {
  if (pod === undefined || old === undefined) return undefined;
  const node = text(object(pod["spec"])["nodeName"]);
  return node === "" || pod.metadata?.generation === old.metadata?.generation ? undefined : { pod, old, node };
}

/** Throws 403 for a node that does not exist. */
export async function nodeOf(
  name: string,
  attributes: AdmissionAttributes,
  { objects }: AdmissionContext,
): Promise<KubeObject> {
  const found = await objects.cached.get("", "nodes", "", name);
  if (found === undefined) throw refused(attributes, `node ${goQuote(name)} not found`);
  return found;
}
