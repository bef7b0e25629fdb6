import type { Pod, Toleration } from "../../../api/types/core/v1.js";
import { isExtendedResource } from "../../../api/validation/resources.js";
import {
  children,
  type Draft,
  type DraftObject,
  ensureChild,
  object,
  objects,
  text,
} from "../../../machinery/meta/received.js";
import { handling, WRITES, type AdmissionPlugin } from "../plugin.js";

const [OPERATOR, EFFECT] = ["Exists", "NoSchedule"] as const;

/**
 * A pod that requests an extended resource tolerates the taint of that name, by which nodes keep other pods away from their
 * devices.
 */
export const extendedResourceToleration: AdmissionPlugin = {
  name: "ExtendedResourceToleration",
  handles: handling(WRITES, "pods"),
  admit(attributes) {
    const pod: DraftObject<Pod> | undefined = attributes.object;
    const spec = object(pod?.spec);
    const containers = [...objects(spec.containers), ...objects(spec.initContainers)];
    const requested = containers.flatMap(({ resources }) => Object.keys(object(object(resources).requests)));
    const extended = [...new Set(requested.filter(isExtendedResource))].toSorted();
    if (pod === undefined || extended.length === 0) return;
    const draft = ensureChild(pod, "spec");
    for (const key of extended) draft.tolerations = tolerating(children(draft, "tolerations"), key);
  },
};

/** A toleration of the same taint is replaced; one that is the same already stays where it is. */
function tolerating(tolerations: readonly Draft<Toleration>[], key: string): Draft<Toleration>[] {
  const added = { key, operator: OPERATOR, effect: EFFECT };
  const isSame = (toleration: Draft<Toleration>): boolean =>
    toleration.key === key &&
    toleration.effect === EFFECT &&
    toleration.operator === OPERATOR &&
    text(toleration.value) === "";
  if (!tolerations.some(isSame)) return [...tolerations, added];
  return tolerations.map((toleration) => (isSame(toleration) ? added : toleration));
}
