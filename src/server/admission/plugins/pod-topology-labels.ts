import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { handling } from "../handling.js";
import type { AdmissionContext, AdmissionPlugin } from "../plugin.js";

const LABELS = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"] as const;

/**
 * Copies the zone and the region of a node to the pods that come to it: to the Binding of a pod, which passes its labels on, and
 * to a pod that is created on a node. They replace what the pod says.
 */
export const podTopologyLabels: AdmissionPlugin = {
  name: "PodTopologyLabels",
  handles: handling(["CREATE"], "pods", "pods/binding"),
  admit({ object: draft, subresource }, context) {
    if (draft === undefined) return;
    const node = subresource === "binding" ? boundNode(draft) : text(object(draft["spec"])["nodeName"]);
    if (node !== "") return copyLabels(draft, node, context);
  },
};

function boundNode(binding: KubeObject): string {
  const { kind, name } = object(binding["target"]);
  return kind === "Node" ? text(name) : "";
}

/** A node that is not there has no labels: the write is not refused. */
async function copyLabels(draft: KubeObject, name: string, { objects }: AdmissionContext): Promise<void> {
  const node = await objects.cached.get("", "nodes", "", name);
  const labels = LABELS.flatMap((key) => {
    const value = node?.metadata?.labels?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  if (labels.length === 0) return;
  draft.metadata = { ...draft.metadata, labels: { ...draft.metadata?.labels, ...Object.fromEntries(labels) } };
}
