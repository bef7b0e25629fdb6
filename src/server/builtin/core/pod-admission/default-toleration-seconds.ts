import { ensureChild, objects, text } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";

const TAINTS = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const SECONDS = 300;

/**
 * The plugin DefaultTolerationSeconds, for new and for changed pods: a pod stays for five minutes on a node that is not ready
 * or not reachable, unless it says itself how it takes that.
 */
export function addDefaultTolerations(draft: KubeObject): void {
  const spec = ensureChild(draft, "spec");
  const tolerations = objects(spec.tolerations);
  const missing = TAINTS.filter(
    (key) =>
      !tolerations.some(
        (toleration) =>
          (toleration.key === key || text(toleration.key) === "") &&
          (toleration.effect === "NoExecute" || text(toleration.effect) === ""),
      ),
  );
  if (missing.length === 0) return;
  const added = missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: SECONDS }));
  spec.tolerations = [...tolerations, ...added];
}
