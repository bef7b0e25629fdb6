import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { inOrder } from "../../../base/async/turns.js";
import type { LimitRange, PersistentVolumeClaim, Pod } from "../../../api/types/core/v1.js";
import { type AdmissionAttributes, refused } from "../attributes.js";
import { handling, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";
import { isPods } from "./pods.js";
import { Lru } from "../../../base/collections/lru.js";

/**
 * Sets the default amounts of the namespace's LimitRanges on the containers of new pods, and rejects pods and claims outside of
 * the limits. Of a pod's updates it checks resizes only. It does nothing while the cluster has no LimitRange.
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
          : brokenByClaim(given as PersistentVolumeClaim, range);
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

/** Of how many namespaces the plugin remembers that a list had no ranges for it, and for how long, in milliseconds. */
const MOST_NAMESPACES = 10_000;
const LIFETIME = 30_000;

interface Listed {
  readonly until: number;
  readonly ranges: readonly LimitRange[];
}

/**
 * The LimitRanges of a namespace, from the watch cache. Where that has none, another server may just have written one: a consistent list
 * says so, once in 30 seconds for each namespace.
 */
class LimitRanges {
  readonly #listed = new Lru<string, Listed>(MOST_NAMESPACES);

  async of(namespace: string, { objects, clock }: AdmissionContext): Promise<readonly LimitRange[]> {
    const cached = await objects.cached.list("", "limitranges", namespace);
    if (cached.length > 0) return cached as readonly LimitRange[];
    const known = this.#listed.get(namespace);
    const now = clock.now();
    if (known !== undefined && known.until >= now) return known.ranges;
    const ranges = (await objects.list("", "limitranges", namespace)) as readonly LimitRange[];
    this.#listed.set(namespace, { until: now + LIFETIME, ranges });
    return ranges;
  }
}
