import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { inOrder } from "../../../base/async/turns.js";
import type { LimitRange, PersistentVolumeClaim, Pod } from "../../../api/types/core/v1.js";
import type { AdmissionAttributes } from "../attributes.js";
import { handling } from "../handling.js";
import type { AdmissionContext, AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";
import { LimitRanges } from "./limit-ranger/limit-ranges.js";
import { isPods } from "./pods.js";

/**
 * Gives the containers of new pods the default amounts of the LimitRanges of their namespace, and refuses pods and claims of volumes
 * outside of them. Of a pod's changes only a resize is looked at. Idle while the cluster has no LimitRange.
 */
export function limitRanger(): AdmissionPlugin {
  const ranges = new LimitRanges();
  return {
    name: "LimitRanger",
    handles: (operation, target) => isNew(operation, target) || isChanged(operation, target),
    idle: ({ objects }) => objects.cached.now("", "limitranges")?.length === 0,
    async admit(attributes, context) {
      const { object: pod } = attributes;
      if (pod === undefined || !isPods(attributes.resource)) return;
      const concerned = await rangesFor(attributes, context, ranges);
      if (concerned.length === 0) return;
      const { setDefaultAmounts } = await inOrder(import("./limit-ranger/default-amounts.js"));
      for (const range of concerned) setDefaultAmounts(pod, range);
    },
    async validate(attributes, context) {
      const { object: given } = attributes;
      if (given === undefined) return;
      const concerned = await rangesFor(attributes, context, ranges);
      if (concerned.length === 0) return;
      const { brokenByClaim, brokenByPod } = await inOrder(import("./limit-ranger/broken-limits.js"));
      for (const range of concerned) {
        const problems = isPods(attributes.resource)
          ? brokenByPod(given as Pod, range)
          : brokenByClaim(given as unknown as PersistentVolumeClaim, range);
        if (problems.length > 0) throw refused(attributes, aggregateText(problems));
      }
    },
  };
}

/** None for an object that is being deleted. */
async function rangesFor(
  { namespace, oldObject }: AdmissionAttributes,
  context: AdmissionContext,
  ranges: LimitRanges,
): Promise<readonly LimitRange[]> {
  return oldObject?.metadata?.deletionTimestamp == null ? ranges.of(namespace, context) : [];
}

const isNew = handling(["CREATE"], "pods", "persistentvolumeclaims");
const isChanged = handling(["UPDATE"], "pods/resize", "persistentvolumeclaims");
