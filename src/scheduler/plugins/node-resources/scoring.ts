import { MAX_NODE_SCORE } from "../../framework/plugin.js";

/** The weight of a resource in a score. */
export interface WeightedResource {
  /** "cpu", "memory", "example.com/gpu". */
  readonly name: string;
  readonly weight: number;
}

/** A point of the function of RequestedToCapacityRatio. */
export interface ShapePoint {
  /** Percent of the node that is taken, 0 to 100. */
  readonly utilization: number;
  /** 0 to 10. */
  readonly score: number;
}

export type ScoringStrategy =
  | { readonly type: "LeastAllocated"; readonly resources?: readonly WeightedResource[] }
  | { readonly type: "MostAllocated"; readonly resources?: readonly WeightedResource[] }
  | {
      readonly type: "RequestedToCapacityRatio";
      readonly resources?: readonly WeightedResource[];
      readonly requestedToCapacityRatio: { readonly shape: readonly ShapePoint[] };
    };

export const CPU_AND_MEMORY: readonly WeightedResource[] = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];

/** Scores a resource from 0, where all of it is requested, to 100, where nothing is; integers. */
export function leastRequestedScore(requested: number, capacity: number): number {
  if (capacity === 0 || requested > capacity) return 0;
  return Math.trunc(((capacity - requested) * MAX_NODE_SCORE) / capacity);
}

/** Scores a resource from 0, where nothing of it is requested, to 100, where all is; integers. */
export function mostRequestedScore(requested: number, capacity: number): number {
  if (capacity === 0) return 0;
  return Math.trunc((Math.min(requested, capacity) * MAX_NODE_SCORE) / capacity);
}

/** Computes the score at a utilization in percent on the line through the points; their scores of 0 to 10 become 0 to 100. */
export function shapeScore(shape: readonly ShapePoint[], utilization: number): number {
  const scale = MAX_NODE_SCORE / 10;
  for (const [index, point] of shape.entries()) {
    if (utilization > point.utilization) continue;
    const before = shape[index - 1];
    if (before === undefined) return point.score * scale;
    const rise = (point.score - before.score) * scale * (utilization - before.utilization);
    return before.score * scale + Math.trunc(rise / (point.utilization - before.utilization));
  }
  return (shape.at(-1)?.score ?? 0) * scale;
}

/** The score of a node with `requested[i]` of `capacity[i]` for each resource; resources that the node lacks are ignored. */
export function strategyScore(
  strategy: ScoringStrategy,
  resources: readonly WeightedResource[],
  requested: ArrayLike<number>,
  capacity: ArrayLike<number>,
): number {
  let sum = 0;
  let weights = 0;
  for (let index = 0; index < resources.length; index++) {
    const [has, wants] = [capacity[index] ?? 0, requested[index] ?? 0];
    if (has === 0) continue;
    const weight = resources[index]?.weight ?? 0;
    if (strategy.type === "RequestedToCapacityRatio") {
      const { shape } = strategy.requestedToCapacityRatio;
      const score = shapeScore(shape, wants > has ? 100 : Math.trunc((wants * 100) / has));
      if (score <= 0) continue;
      sum += score * weight;
    } else sum += (strategy.type === "MostAllocated" ? mostRequestedScore : leastRequestedScore)(wants, has) * weight;
    weights += weight;
  }
  if (weights === 0) return 0;
  return strategy.type === "RequestedToCapacityRatio" ? Math.round(sum / weights) : Math.trunc(sum / weights);
}

/** 100 where the same share of every resource is requested, less 100 times the standard deviation of the shares. */
export function balance(requested: ArrayLike<number>, capacity: ArrayLike<number>): number {
  let count = 0;
  let total = 0;
  const fractions: number[] = [];
  for (let index = 0; index < requested.length; index++) {
    const has = capacity[index] ?? 0;
    if (has === 0) continue;
    const fraction = Math.min(1, (requested[index] ?? 0) / has);
    fractions[count++] = fraction;
    total += fraction;
  }
  let deviation = 0;
  if (count === 2) deviation = Math.abs(((fractions[0] ?? 0) - (fractions[1] ?? 0)) / 2);
  else if (count > 2) {
    let squares = 0;
    for (const fraction of fractions) squares += (fraction - total / count) ** 2;
    deviation = Math.sqrt(squares / count);
  }
  return Math.trunc((1 - deviation) * MAX_NODE_SCORE);
}

/** From 50 to 100: 75 where the pod leaves the balance of the node's resources unchanged, more where it improves the balance. */
export function balancedScore(balanceWith: number, balanceWithout: number): number {
  return MAX_NODE_SCORE / 2 + Math.trunc((MAX_NODE_SCORE / 2 + balanceWith - balanceWithout) / 2);
}
