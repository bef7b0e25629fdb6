import { Lru } from "../../../base/lru.js";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.js";
import type { NodeInfo } from "../../cache/node-info.js";

/** How many pairs of namespace and selector are remembered: a Deployment has one. */
const MOST_SELECTORS = 512;

/** Counts, by node, of the pods in a namespace that a selector matches. */
export interface PodCounts {
  on(node: NodeInfo): number;
}

/** Remembers the counts of nodes that have not changed since: between two pods of a Deployment only one node has. */
export class MatchingPods {
  readonly #known = new Lru<string, PodCounts>(MOST_SELECTORS);

  of(namespace: string, selector: LabelSelector): PodCounts {
    // A selector that matches everything counts nothing, as in kube-scheduler.
    if (selector.empty || selector.requirements === undefined) return NOTHING;
    const key = `${namespace}\0${selector.toString()}`;
    let counts = this.#known.get(key);
    if (counts === undefined) {
      counts = new RememberedCounts(namespace, selector);
      this.#known.set(key, counts);
    }
    return counts;
  }
}

const NOTHING: PodCounts = { on: () => 0 };

class RememberedCounts implements PodCounts {
  /** By the nodes' slots. */
  readonly #generations: number[] = [];
  readonly #counts: number[] = [];

  constructor(
    private readonly namespace: string,
    private readonly selector: LabelSelector,
  ) {}

  on(node: NodeInfo): number {
    const { slot, generation } = node;
    if (slot < 0) return this.#count(node);
    if (this.#generations[slot] !== generation) {
      this.#counts[slot] = this.#count(node);
      this.#generations[slot] = generation;
    }
    return this.#counts[slot] ?? 0;
  }

  #count({ pods }: NodeInfo): number {
    let count = 0;
    for (const { namespace, isTerminating, labels } of pods.values()) {
      if (!isTerminating && namespace === this.namespace && this.selector.matches(labels)) count++;
    }
    return count;
  }
}
