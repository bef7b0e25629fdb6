import { type AffinityTerm, type AffinityTerms, selects, selectsByLabels } from "../../cache/affinity-terms.js";
import { countedPods, plainCounts, type PodCounts } from "../../cache/counted-pods.js";
import type { PodInfo } from "../../cache/pod-info.js";
import type { Labels } from "../../../machinery/selectors/label-selector.js";

/** The labels of a namespace; undefined for one that is not known. */
export type NamespaceLabels = (namespace: string) => Labels | undefined;

/** How many pods of a node terms select. Terms of equal pods are the same objects, so that their counts are shared. */
export class CountedTerms {
  readonly #byTerm = new WeakMap<AffinityTerm, PodCounts>();
  readonly #byAll = new WeakMap<AffinityTerms, PodCounts>();

  constructor(private readonly namespaceLabels: NamespaceLabels) {}

  selects(term: AffinityTerm, { namespace, labels }: PodInfo): boolean {
    const ofNamespace = term.namespaceSelector === undefined ? undefined : this.namespaceLabels(namespace);
    return selects(term, namespace, labels, ofNamespace);
  }

  /** The pods that the term selects. */
  of(term: AffinityTerm): PodCounts {
    let counts = this.#byTerm.get(term);
    if (counts === undefined) {
      const matches = (info: PodInfo): boolean => this.selects(term, info);
      // Namespaces may change their labels.
      counts = selectsByLabels(term) ? plainCounts(matches) : countedPods(matches);
      this.#byTerm.set(term, counts);
    }
    return counts;
  }

  /** The pods that all required affinity terms select. */
  ofAll(terms: AffinityTerms): PodCounts {
    let counts = this.#byAll.get(terms);
    if (counts === undefined) {
      const matches = (info: PodInfo): boolean => terms.requiredAffinity.every((term) => this.selects(term, info));
      counts = terms.requiredAffinity.some(selectsByLabels) ? plainCounts(matches) : countedPods(matches);
      this.#byAll.set(terms, counts);
    }
    return counts;
  }
}
