import type { Pod } from "../../../api/types/core/v1.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { sameValue } from "../../../api/validation/rules.js";
import { list, object, objects, type ReceivedObject } from "../../../machinery/meta/received.js";
import { handling, type AdmissionPlugin } from "../plugin.js";
import { refused } from "../attributes.js";
import { boundPodChange, nodeOf } from "./bound-pod-change.js";

/** The features that 1.36 asks of a node for the update of a pod, in the order of their names. */
const FEATURES: readonly (readonly [
  name: string,
  isNeeded: (pod: ReceivedObject<Pod>, old: ReceivedObject<Pod>) => boolean,
])[] = [
  ["InPlacePodLevelResourcesVerticalScaling", changesPodResources],
  ["InPlacePodVerticalScalingInitContainers", changesInitContainers],
];

/** Rejects updates of pods that need features which their node does not declare in status.declaredFeatures. */
export const nodeDeclaredFeatureValidator: AdmissionPlugin = {
  name: "NodeDeclaredFeatureValidator",
  handles: handling(["UPDATE"], "pods", "pods/resize"),
  validate(attributes, context) {
    const change = boundPodChange(attributes);
    if (change === undefined) return;
    const needed = FEATURES.filter(([, isNeeded]) => isNeeded(change.pod, change.old)).map(([name]) => name);
    if (needed.length === 0) return;
    return nodeOf(change.node, attributes, context).then((node) => {
      const declared = list(object(node.status).declaredFeatures);
      const missing = needed.filter((name) => !declared.includes(name));
      if (missing.length === 0) return;
      const text = `pod update requires features ${missing.join(", ")} which are not available on node ${goQuote(change.node)}`;
      throw refused(attributes, text);
    });
  },
};

function changesPodResources(pod: ReceivedObject<Pod>, old: ReceivedObject<Pod>): boolean {
  return !sameValue(object(pod.spec).resources, object(old.spec).resources);
}

/** Those that keep running beside the others are changed as containers are. */
function changesInitContainers(pod: ReceivedObject<Pod>, old: ReceivedObject<Pod>): boolean {
  const now = objects(object(pod.spec).initContainers);
  return objects(object(old.spec).initContainers).some(
    ({ restartPolicy, resources }, index) => restartPolicy !== "Always" && !sameValue(resources, now[index]?.resources),
  );
}
