import { amountOf } from "../../cache/resources.js";
import type { SchedulerPlugin } from "../../framework/plugin.js";
import { SKIP } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { balance, balancedScore, CPU_AND_MEMORY, type WeightedResource } from "./scoring.js";

export interface BalancedAllocationArgs {
  readonly resources?: readonly WeightedResource[];
}

/** Prefers nodes on which the pod evens out the shares of resources in use. */
export function balancedAllocation({ resources = CPU_AND_MEMORY }: BalancedAllocationArgs = {}): SchedulerPlugin {
  const without = new Float64Array(resources.length);
  const requested = new Float64Array(resources.length);
  const capacity = new Float64Array(resources.length);
  return {
    name: PLUGIN.nodeResourcesBalancedAllocation,
    events: [],
    preScore: (_state, { requests }) =>
      resources.every(({ name }) => amountOf(requests, name) === 0) ? SKIP : undefined,
    score(_state, { requests }, node) {
      for (let index = 0; index < resources.length; index++) {
        const name = resources[index]?.name ?? "";
        const own = amountOf(requests, name);
        const isUnused = own === 0 && name !== "cpu" && name !== "memory";
        capacity[index] = isUnused ? 0 : amountOf(node.allocatable, name);
        without[index] = amountOf(node.requested, name);
        requested[index] = (without[index] ?? 0) + own;
      }
      return balancedScore(balance(requested, capacity), balance(without, capacity));
    },
  };
}
