import { Lru } from "../../../../base/collections/lru.js";
import type { LimitRange } from "../../../../api/types/core/v1.js";
import type { AdmissionContext } from "../../plugin.js";

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
export class LimitRanges {
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
