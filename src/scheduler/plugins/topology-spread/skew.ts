import { own } from "../../../base/collections/own.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { PodInfo } from "../../cache/pod-info.js";
import type { Cloneable } from "../../framework/cycle-state.js";
import { type Constraint, hasAllKeys, type Inclusion, type MatchingPods } from "./constraints.js";

/** Counts the matching pods in each domain of each required constraint. */
export class SpreadCounts implements Cloneable {
  /** The least count of each constraint's domains, until one of them changes. */
  #least: (number | undefined)[] = [];

  private constructor(
    readonly constraints: readonly Constraint[],
    private readonly inclusion: Inclusion,
    private readonly byDomain: readonly Map<string, number>[],
  ) {}

  static of(
    constraints: readonly Constraint[],
    inclusion: Inclusion,
    { namespace }: PodInfo,
    nodes: readonly NodeInfo[],
    matching: MatchingPods,
  ): SpreadCounts {
    const byDomain = constraints.map(() => new Map<string, number>());
    const counts = constraints.map(({ selector }) => matching.of(namespace, selector));
    for (const node of nodes) {
      if (!hasAllKeys(node, constraints)) continue;
      for (const [index, constraint] of constraints.entries()) {
        if (!inclusion.counts(constraint, node)) continue;
        const domain = own(node.labels, constraint.topologyKey) ?? "";
        const domains = byDomain[index] as Map<string, number>;
        domains.set(domain, (domains.get(domain) ?? 0) + (counts[index]?.on(node) ?? 0));
      }
    }
    return new SpreadCounts(constraints, inclusion, byDomain);
  }

  /** By how many pods the domain of a node would exceed the least filled one, with the pod; undefined where the node has no such label. */
  skew(index: number, { labels }: PodInfo, node: NodeInfo): number | undefined {
    const { topologyKey, selector } = this.constraints[index] as Constraint;
    const domain = own(node.labels, topologyKey);
    if (domain === undefined) return undefined;
    const added = selector.matches(labels) ? 1 : 0;
    return (this.byDomain[index]?.get(domain) ?? 0) + added - this.least(index);
  }

  /** The count of the least filled domain; 0 while there are fewer domains than the constraint asks for. */
  least(index: number): number {
    this.#least[index] ??= this.#leastOf(index);
    return this.#least[index] ?? 0;
  }

  #leastOf(index: number): number {
    const domains = this.byDomain[index] as Map<string, number>;
    if (domains.size < (this.constraints[index]?.minDomains ?? 1)) return 0;
    let least = Number.MAX_SAFE_INTEGER;
    for (const count of domains.values()) if (count < least) least = count;
    return least;
  }

  /** Counts a pod in (1) or out (-1). */
  change({ namespace }: PodInfo, changed: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    if (changed.namespace !== namespace || changed.isTerminating || !hasAllKeys(node, this.constraints)) return;
    this.#least = [];
    for (const [index, constraint] of this.constraints.entries()) {
      if (!constraint.selector.matches(changed.labels) || !this.inclusion.counts(constraint, node)) continue;
      const domain = own(node.labels, constraint.topologyKey) ?? "";
      const domains = this.byDomain[index] as Map<string, number>;
      domains.set(domain, (domains.get(domain) ?? 0) + delta);
    }
  }

  clone(): SpreadCounts {
    return new SpreadCounts(
      this.constraints,
      this.inclusion,
      this.byDomain.map((domains) => new Map(domains)),
    );
  }
}
