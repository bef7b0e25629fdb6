import type { Binding, Pod } from "../../../api/types/core/v1.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { handling, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";

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
    const node = subresource === "binding" ? boundNode(draft) : nodeOf(draft);
    if (node !== "") return copyLabels(draft, node, context);
  },
};

const nodeOf = ({ spec }: ReceivedObject<Pod>): string => text(object(spec).nodeName);

function boundNode(binding: ReceivedObject<Binding>): string {
  const { kind, name } = object(binding.target);
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
