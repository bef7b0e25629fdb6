import type { Node, Pod } from "../../../api/types/core/v1.js";
import type { ResizeSums } from "../../../api/pods/pod-total.js";
import type { NodeInfo } from "../../cache/node-info.js";
import { type PodInfo, podInfo, podRequests } from "../../cache/pod-info.js";
import { addResourceList, amountOf, noResources } from "../../cache/resources.js";
import { Action } from "../../framework/cluster-event.js";
import type { SchedulerPlugin } from "../../framework/plugin.js";
import type { Status } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { CPU_AND_MEMORY, type ScoringStrategy, strategyScore } from "./scoring.js";

export interface NodeResourcesFitArgs {
  /** Extended resources that are not looked at: "example.com/foo". */
  readonly ignoredResources?: readonly string[];
  /** The domains of such resources: "example.com". */
  readonly ignoredResourceGroups?: readonly string[];
  /** Default: LeastAllocated with CPU and memory. */
  readonly scoringStrategy?: ScoringStrategy;
}

const NAME = PLUGIN.nodeResourcesFit;
const LEAST: ScoringStrategy = { type: "LeastAllocated" };

/** Rejects nodes that lack resources, and scores the others by their share of resources in use. */
export function nodeResourcesFit(
  args: NodeResourcesFitArgs = {},
  resizes: ResizeSums = "by-container",
): SchedulerPlugin {
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy = LEAST } = args;
  const resources = scoringStrategy.resources ?? CPU_AND_MEMORY;
  const ignores = (name: string): boolean =>
    ignoredResources.includes(name) || ignoredResourceGroups.includes(name.split("/")[0] ?? "");
  const requested = new Float64Array(resources.length);
  const capacity = new Float64Array(resources.length);
  return {
    name: NAME,
    events: [
      {
        resource: "Pod",
        action: Action.delete | Action.podScaleDown,
        hint: (pod, before, after) => freesSomething(pod, before, after, resizes),
      },
      {
        resource: "Node",
        action: Action.add | Action.nodeAllocatable,
        hint: (pod, before, after) =>
          nodeHelps(podInfo(pod, resizes), before as Node | undefined, after as Node, ignores),
      },
    ],
    filter(_state, info, node) {
      const missing = insufficiencies(info, node, ignores);
      return missing.length === 0 ? undefined : rejection(missing);
    },
    score(_state, info, node) {
      for (let index = 0; index < resources.length; index++) {
        const name = resources[index]?.name ?? "";
        const own = nonZeroAmount(info, name);
        const isUnused = own === 0 && name !== "cpu" && name !== "memory";
        capacity[index] = isUnused ? 0 : amountOf(node.allocatable, name);
        requested[index] = nonZeroAmount(node, name) + own;
      }
      return strategyScore(scoringStrategy, resources, requested, capacity);
    },
  };
}

function rejection(missing: ReturnType<typeof insufficiencies>): Status {
  const isUnresolvable = missing.some((one) => one.isUnresolvable);
  return {
    code: isUnresolvable ? "unresolvable" : "unschedulable",
    reasons: missing.map(({ reason }) => reason),
    plugin: NAME,
  };
}

/** What a pod takes, or the pods of a node take, with a least amount for containers that ask for none. */
function nonZeroAmount(from: PodInfo | NodeInfo, resource: string): number {
  if (resource === "cpu") return from.nonZeroMilliCpu;
  if (resource === "memory") return from.nonZeroMemory;
  return amountOf("requests" in from ? from.requests : from.requested, resource);
}

/** Whether a pod that went, or took less, had something that the rejected pod asks for. */
function freesSomething(pod: Pod, before: unknown, after: unknown, resizes: ResizeSums): boolean {
  const { requests } = podRequests(pod, resizes);
  const had = podRequests(before as Pod, resizes).requests;
  if (after === undefined) {
    // Its place among the node's pods is free, too.
    return ((before as Pod).spec?.nodeName ?? "") !== "";
  }
  if ((after as Pod).metadata?.uid === pod.metadata?.uid) return true;
  const has = podRequests(after as Pod, resizes).requests;
  const names = ["cpu", "memory", "ephemeral-storage", ...(requests.scalars?.keys() ?? [])];
  return names.some((name) => amountOf(requests, name) > 0 && amountOf(has, name) < amountOf(had, name));
}

function nodeHelps(info: PodInfo, before: Node | undefined, after: Node, ignores: (name: string) => boolean): boolean {
  const fits = (node: Node): boolean => {
    const allocatable = noResources();
    addResourceList(allocatable, node.status?.allocatable);
    return insufficiencies(info, { allocatable, requested: noResources(), pods: new Map() }, ignores).length === 0;
  };
  if (!fits(after)) return false;
  if (before === undefined || !fits(before)) return true;
  const [was, is] = [noResources(), noResources()];
  addResourceList(was, before.status?.allocatable);
  addResourceList(is, after.status?.allocatable);
  const names = ["pods", "cpu", "memory", "ephemeral-storage", ...(info.requests.scalars?.keys() ?? [])];
  return names.some((name) => amountOf(is, name) > amountOf(was, name));
}

/** A resource of which a node has too little. */
export interface Insufficiency {
  /** "Insufficient cpu", "Too many pods". */
  readonly reason: string;
  /** The whole node would not be enough: removing pods cannot help. */
  readonly isUnresolvable: boolean;
}

const NONE: readonly Insufficiency[] = [];

/** What the node lacks for the pod; resources that `ignores` names do not count. */
function insufficiencies(
  { requests }: PodInfo,
  { allocatable, requested, pods }: Pick<NodeInfo, "allocatable" | "requested" | "pods">,
  ignores: (resource: string) => boolean,
): readonly Insufficiency[] {
  let found: Insufficiency[] | undefined;
  const add = (reason: string, isUnresolvable: boolean): void => {
    (found ??= []).push({ reason, isUnresolvable });
  };
  if (pods.size + 1 > allocatable.pods) add("Too many pods", false);
  const { milliCpu, memory, ephemeralStorage, scalars } = requests;
  if (milliCpu > 0 && milliCpu > allocatable.milliCpu - requested.milliCpu) {
    add("Insufficient cpu", milliCpu > allocatable.milliCpu);
  }
  if (memory > 0 && memory > allocatable.memory - requested.memory) {
    add("Insufficient memory", memory > allocatable.memory);
  }
  if (ephemeralStorage > 0 && ephemeralStorage > allocatable.ephemeralStorage - requested.ephemeralStorage) {
    add("Insufficient ephemeral-storage", ephemeralStorage > allocatable.ephemeralStorage);
  }
  if (scalars !== undefined) {
    for (const [name, amount] of scalars) {
      if (amount === 0 || ignores(name)) continue;
      const capacity = allocatable.scalars?.get(name) ?? 0;
      const free = capacity - (requested.scalars?.get(name) ?? 0);
      if (amount > free) add(`Insufficient ${name}`, amount > capacity);
    }
  }
  return found ?? NONE;
}
