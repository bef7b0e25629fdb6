import { own } from "../../../base/collections/own.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { PodInfo } from "../../cache/pod-info.js";
import { MAX_NODE_SCORE } from "../../framework/plugin.js";
import { type Constraint, hasAllKeys, HOSTNAME, Inclusion, type MatchingPods } from "./constraints.js";
import type { PodCounts } from "../../cache/counted-pods.js";

interface ScoredConstraint extends Constraint {
  readonly counts: PodCounts;
  /** Matching pods by domain; for hosts each node has its own count. */
  readonly byDomain: Map<string, number>;
  /** Domains of few members weigh less: the logarithm of their number. */
  weight: number;
}

/** Scores nodes by the matching pods in the domains of the preferred constraints: fewer pods score higher. */
export class SpreadScores {
  private constructor(
    private readonly constraints: readonly ScoredConstraint[],
    private readonly ignored: ReadonlySet<string>,
  ) {}

  static of(
    constraints: readonly Constraint[],
    { namespace, pod }: PodInfo,
    feasible: readonly NodeInfo[],
    all: readonly NodeInfo[],
    { needsAllKeys, matching }: { readonly needsAllKeys: boolean; readonly matching: MatchingPods },
  ): SpreadScores {
    const scored: ScoredConstraint[] = constraints.map((constraint) => ({
      ...constraint,
      counts: matching.of(namespace, constraint.selector),
      byDomain: new Map(),
      weight: 0,
    }));
    const ignored = new Set<string>();
    for (const node of feasible) {
      if (needsAllKeys && !hasAllKeys(node, constraints)) ignored.add(node.name);
      else
        for (const { topologyKey, byDomain } of scored)
          if (topologyKey !== HOSTNAME) byDomain.set(own(node.labels, topologyKey) ?? "", 0);
    }
    for (const constraint of scored) {
      const { topologyKey, byDomain } = constraint;
      constraint.weight = Math.log((topologyKey === HOSTNAME ? feasible.length - ignored.size : byDomain.size) + 2);
    }
    const zonal = scored.filter(({ topologyKey }) => topologyKey !== HOSTNAME);
    const inclusion = new Inclusion(pod);
    for (const node of zonal.length === 0 ? [] : all) {
      if (needsAllKeys && !hasAllKeys(node, constraints)) continue;
      for (const constraint of zonal) {
        const { topologyKey, byDomain, counts } = constraint;
        const domain = own(node.labels, topologyKey);
        const known = domain === undefined ? undefined : byDomain.get(domain);
        if (domain === undefined || known === undefined || !inclusion.counts(constraint, node)) continue;
        byDomain.set(domain, known + counts.on(node));
      }
    }
    return new SpreadScores(scored, ignored);
  }

  /** The node lacks a label of the constraints: it has the lowest score. */
  ignores(node: string): boolean {
    return this.ignored.has(node);
  }

  score(node: NodeInfo): number {
    if (this.ignored.has(node.name)) return 0;
    let score = 0;
    for (const { topologyKey, counts, byDomain, weight, maxSkew } of this.constraints) {
      const domain = own(node.labels, topologyKey);
      if (domain === undefined) continue;
      const count = topologyKey === HOSTNAME ? counts.on(node) : (byDomain.get(domain) ?? 0);
      score += count * weight + (maxSkew - 1);
    }
    return Math.round(score);
  }
}

/** Inverts counts to scores: the smallest count becomes 100. */
export function normalizeSpread(scores: number[], isIgnored: (index: number) => boolean): void {
  let [least, most] = [Number.MAX_SAFE_INTEGER, 0];
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] ?? 0;
    if (isIgnored(index)) continue;
    if (score < least) least = score;
    if (score > most) most = score;
  }
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] ?? 0;
    if (isIgnored(index)) scores[index] = 0;
    else scores[index] = most === 0 ? MAX_NODE_SCORE : Math.trunc((MAX_NODE_SCORE * (most + least - score)) / most);
  }
}
