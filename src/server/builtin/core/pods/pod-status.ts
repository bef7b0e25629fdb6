import { ensureChild, children, number, object, objects, text } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";

/**
 * What a write of a pod's status does not touch: whether the pod is being deleted, its class; and generations that were seen, which
 * older kubelets leave out.
 */
export function keepOfStatus(draft: KubeObject, old: KubeObject): void {
  const metadata = (draft.metadata ??= {});
  delete metadata.deletionTimestamp;
  const status = ensureChild(draft, "status");
  const before = object(old.status);
  if (text(status.qosClass) === "" && before.qosClass !== undefined) status.qosClass = before.qosClass;
  if (number(status.observedGeneration) === 0 && before.observedGeneration !== undefined) {
    status.observedGeneration = before.observedGeneration;
  }
  // There may be several conditions of a type: the first goes with the first.
  const left = [...objects(before.conditions)];
  for (const condition of children(status, "conditions")) {
    const at = left.findIndex(({ type }) => type === condition.type);
    const [was] = at < 0 ? [] : left.splice(at, 1);
    if (number(condition.observedGeneration) === 0 && was?.observedGeneration !== undefined) {
      condition.observedGeneration = was.observedGeneration;
    }
  }
}
