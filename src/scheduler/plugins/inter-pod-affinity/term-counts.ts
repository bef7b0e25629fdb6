import { own } from "../../../base/collections/own.js";
import { type AffinityTerm, type AffinityTerms, selects, selectsByLabels } from "../../cache/affinity-terms.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { PodInfo } from "../../cache/pod-info.js";
import type { NodeLister } from "../../cache/scheduler-cache.js";
import type { Cloneable } from "../../framework/cycle-state.js";
import { countedPods, plainCounts, type PodCounts } from "../../cache/counted-pods.js";
import type { Labels } from "../../../machinery/selectors/label-selector.js";

/** Returns the labels of a namespace; undefined for an unknown one. */
export type NamespaceLabels = (namespace: string) => Labels | undefined;

/** Counts the pods of a node that affinity terms select. Equal pods share their terms, so that these share their counts. */
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

/** Numbers by topology key and value. */
export class TopologyCounts {
  readonly #counts: Map<string, Map<string, number>>;

  constructor(counts: Map<string, Map<string, number>> = new Map()) {
    this.#counts = counts;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add(key: string, value: string | undefined, delta: number): void {
    if (value === undefined || delta === 0) return;
    let values = this.#counts.get(key);
    if (values === undefined) this.#counts.set(key, (values = new Map()));
    const count = (values.get(value) ?? 0) + delta;
    if (count !== 0) values.set(value, count);
    else values.delete(value);
    if (values.size === 0) this.#counts.delete(key);
  }

  get(key: string, value: string): number {
    return this.#counts.get(key)?.get(value) ?? 0;
  }

  /** The numbers of the node's labels, one after the other. */
  *of({ labels }: NodeInfo): Generator<number> {
    for (const [key, values] of this.#counts) {
      const value = own(labels, key);
      if (value !== undefined) yield values.get(value) ?? 0;
    }
  }

  clone(): TopologyCounts {
    return new TopologyCounts(new Map([...this.#counts].map(([key, values]) => [key, new Map(values)])));
  }
}

/** Counts by topology the pods that a pod's required terms select, and those whose required anti-affinity selects the pod. */
export class TermCounts implements Cloneable {
  private constructor(
    private readonly counted: CountedTerms,
    /** Pods that all affinity terms of the pod select, by each term's topology. */
    readonly affinity: TopologyCounts,
    readonly antiAffinity: TopologyCounts,
    /** Terms of other pods' required anti-affinity that select the pod. */
    readonly existing: TopologyCounts,
  ) {}

  static of(info: PodInfo, nodes: NodeLister, counted: CountedTerms): TermCounts {
    const counts = new TermCounts(counted, new TopologyCounts(), new TopologyCounts(), new TopologyCounts());
    const { affinity, antiAffinity, existing } = counts;
    for (const { labels, requiredAntiAffinities } of nodes.withRequiredAntiAffinity()) {
      for (const [terms, count] of requiredAntiAffinities) {
        for (const term of terms.requiredAntiAffinity) {
          if (counted.selects(term, info)) existing.add(term.topologyKey, own(labels, term.topologyKey), count);
        }
      }
    }
    const { requiredAffinity, requiredAntiAffinity } = info.affinity;
    if (requiredAffinity.length + requiredAntiAffinity.length === 0) return counts;
    for (const node of nodes.list()) {
      const near = requiredAffinity.length === 0 ? 0 : counted.ofAll(info.affinity).on(node);
      for (const { topologyKey } of requiredAffinity) affinity.add(topologyKey, own(node.labels, topologyKey), near);
      for (const term of requiredAntiAffinity) {
        antiAffinity.add(term.topologyKey, own(node.labels, term.topologyKey), counted.of(term).on(node));
      }
    }
    return counts;
  }

  /** Counts a pod on a node in (1) or out (-1). */
  change(info: PodInfo, changed: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    this.#countExisting(info, changed, node, delta);
    this.#countOwn(info, changed, node, delta);
  }

  /** Whether all of the pod's affinity terms select it itself: it may be the first of its group. */
  selectsItself(info: PodInfo): boolean {
    return this.#selectedByAll(info.affinity.requiredAffinity, info);
  }

  clone(): TermCounts {
    return new TermCounts(this.counted, this.affinity.clone(), this.antiAffinity.clone(), this.existing.clone());
  }

  #countExisting(info: PodInfo, other: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    for (const term of other.affinity.requiredAntiAffinity) {
      if (this.counted.selects(term, info))
        this.existing.add(term.topologyKey, own(node.labels, term.topologyKey), delta);
    }
  }

  #countOwn({ affinity }: PodInfo, other: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    const { requiredAffinity, requiredAntiAffinity } = affinity;
    if (requiredAffinity.length > 0 && this.#selectedByAll(requiredAffinity, other)) {
      for (const { topologyKey } of requiredAffinity)
        this.affinity.add(topologyKey, own(node.labels, topologyKey), delta);
    }
    for (const term of requiredAntiAffinity) {
      if (this.counted.selects(term, other))
        this.antiAffinity.add(term.topologyKey, own(node.labels, term.topologyKey), delta);
    }
  }

  #selectedByAll(terms: readonly AffinityTerm[], other: PodInfo): boolean {
    return terms.length > 0 && terms.every((term) => this.counted.selects(term, other));
  }
}
