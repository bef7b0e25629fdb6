import type { Node } from "../../../api/types/core/v1.js";
import { type DraftObject, ensureChild, objects } from "../../../machinery/meta/received.js";
import { handling, type AdmissionPlugin } from "../plugin.js";

const [KEY, EFFECT] = ["node.kubernetes.io/not-ready", "NoSchedule"] as const;

/** Taints new nodes, so that they get no pods until the node controller finds them ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  handles: handling(["CREATE"], "nodes"),
  admit(attributes) {
    const node: DraftObject<Node> | undefined = attributes.object;
    if (node === undefined) return;
    const spec = ensureChild(node, "spec");
    const taints = objects(spec.taints);
    if (taints.some(({ key, effect }) => key === KEY && effect === EFFECT)) return;
    spec.taints = [...taints, { key: KEY, effect: EFFECT }];
  },
};
