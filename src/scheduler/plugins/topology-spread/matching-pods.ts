import { Lru } from "../../../base/collections/lru.js";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.js";
import { countedPods, type PodCounts } from "../../cache/counted-pods.js";

/** How many pairs of namespace and selector are remembered: a Deployment has one. */
const MOST_SELECTORS = 512;
const NOTHING: PodCounts = { on: () => 0 };

/** Counts, by node, of the pods in a namespace that a selector matches and that do not terminate. */
export class MatchingPods {
  readonly #known = new Lru<string, PodCounts>(MOST_SELECTORS);

  of(namespace: string, selector: LabelSelector): PodCounts {
    // A selector that matches everything counts nothing, as in kube-scheduler.
    if (selector.empty || selector.requirements === undefined) return NOTHING;
    const key = `${namespace}\0${selector.toString()}`;
    let counts = this.#known.get(key);
    if (counts === undefined) {
      counts = countedPods(
        (info) => !info.isTerminating && info.namespace === namespace && selector.matches(info.labels),
      );
      this.#known.set(key, counts);
    }
    return counts;
  }
}
