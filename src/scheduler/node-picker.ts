import type { Random } from "../base/numbers/random.js";
import { randomBelow } from "../base/numbers/random-below.js";
import type { NodeInfo } from "./cache/node-info.js";
import type { PodInfo } from "./cache/pod-info.js";
import type { NodeLister } from "./cache/scheduler-cache.js";
import type { CycleState } from "./framework/cycle-state.js";
import { Diagnosis } from "./framework/diagnosis.js";
import type { Profile } from "./framework/profile.js";
import { isRejected, type Status } from "./framework/status.js";
import type { Nominator } from "./queue/nominator.js";
import { runPoint, type SchedulerMeasuring } from "./scheduler-metrics.js";

/** Thrown when a plugin failed: the pod is tried again after a backoff. */
export class PluginError extends Error {
  override readonly name = "PluginError";

  constructor({ reasons, error }: Status) {
    super(reasons.join(", "), { cause: error });
  }
}

/** Picks the node of a pod: it filters nodes until enough fit, scores these, and picks one of the best at random. */
export class NodePicker {
  /** Where the next cycle begins to look, so that all nodes have their turn. */
  #start = 0;

  constructor(
    private readonly nodes: NodeLister,
    private readonly nominator: Nominator,
    private readonly random: Random,
    private readonly measuring: SchedulerMeasuring = {},
  ) {}

  /** The name of the node, or why there is none. Throws a {@link PluginError}, and what plugins throw. */
  pick(profile: Profile, state: CycleState, info: PodInfo): string | Diagnosis {
    const all = this.nodes.list();
    const diagnosis = new Diagnosis(this.nodes);
    const outcome = this.#run(
      "PreFilter",
      profile,
      () => profile.preFilter(state, info, all),
      ({ status }) => status?.code,
    );
    if (outcome.status !== undefined) {
      if (!isRejected(outcome.status)) throw new PluginError(outcome.status);
      diagnosis.rejectAll(outcome.status);
      return diagnosis;
    }
    const nominated = this.nodes.get(info.pod.status?.nominatedNodeName ?? "");
    if (nominated !== undefined && this.fits(profile, state, info, nominated) === undefined) return nominated.name;
    const { nodeNames, limitedBy } = outcome;
    let candidates = all;
    if (nodeNames !== undefined) {
      candidates = [...nodeNames].flatMap((name) => this.nodes.get(name) ?? []);
      const reason = `node(s) didn't satisfy plugin(s) [${limitedBy.toSorted().join(" ")}]`;
      diagnosis.absent = { code: "unresolvable", reasons: [reason], plugin: "" };
      for (const plugin of limitedBy) diagnosis.rejectedBy.add(plugin);
    }
    const feasible = this.#run(
      "Filter",
      profile,
      () => this.#feasible(profile, state, info, candidates, diagnosis),
      ({ length }) => (length === 0 ? "unschedulable" : undefined),
    );
    this.#start = (this.#start + feasible.length + diagnosis.statuses.size) % Math.max(1, all.length);
    const [first] = feasible;
    if (first === undefined) return diagnosis;
    return feasible.length === 1 ? first.name : this.#best(profile, state, info, feasible);
  }

  /** Whether the pod fits the node: with the pods that are nominated to it and no less important, and without them. */
  fits(profile: Profile, state: CycleState, info: PodInfo, node: NodeInfo): Status | undefined {
    if (!this.nominator.isEmpty) {
      const others = this.nominator
        .on(node.name)
        .filter(({ uid, priority }) => priority >= info.priority && uid !== info.uid);
      if (others.length > 0) {
        const [copy, stateCopy] = [node.clone(), state.clone()];
        for (const other of others) {
          copy.addPod(other);
          profile.addPod(stateCopy, info, other, copy);
        }
        const status = profile.filter(stateCopy, info, copy);
        if (status !== undefined) return status;
      }
    }
    return profile.filter(state, info, node);
  }

  #run<T>(point: string, profile: Profile, run: () => T, statusOf: (answer: T) => Status["code"] | undefined): T {
    return runPoint(this.measuring, point, profile, run, statusOf);
  }

  #feasible(
    profile: Profile,
    state: CycleState,
    info: PodInfo,
    nodes: readonly NodeInfo[],
    diagnosis: Diagnosis,
  ): NodeInfo[] {
    const wanted = profile.scores ? feasibleNodesToFind(profile.percentageOfNodesToScore, nodes.length) : 1;
    const feasible: NodeInfo[] = [];
    for (let offset = 0; offset < nodes.length && feasible.length < wanted; offset++) {
      const node = nodes[(this.#start + offset) % nodes.length] as NodeInfo;
      const status = this.fits(profile, state, info, node);
      if (status === undefined) feasible.push(node);
      else if (status.code === "error") throw new PluginError(status);
      else {
        diagnosis.statuses.set(node.name, status);
        diagnosis.blame(status);
      }
    }
    return feasible;
  }

  #best(profile: Profile, state: CycleState, info: PodInfo, nodes: readonly NodeInfo[]): string {
    const scoring = this.#run(
      "PreScore",
      profile,
      () => profile.preScore(state, info, nodes),
      (answer) => ("code" in answer ? answer.code : undefined),
    );
    if ("code" in scoring) throw new PluginError(scoring);
    const scores = this.#run(
      "Score",
      profile,
      () => profile.score(state, info, nodes, scoring),
      () => undefined,
    );
    let highest = Number.NEGATIVE_INFINITY;
    let best: number[] = [];
    for (let index = 0; index < scores.length; index++) {
      const score = scores[index] as number;
      if (score > highest) {
        highest = score;
        best = [index];
      } else if (score === highest) best.push(index);
    }
    const chosen = best.length === 1 ? best[0] : best[randomBelow(this.random, best.length)];
    return nodes[chosen as number]?.name ?? "";
  }
}

/** Fewer feasible nodes are never enough. */
const MIN_FEASIBLE_NODES = 100;
/** The least share of nodes that the adaptive percentage comes to. */
const MIN_PERCENTAGE = 5;

/**
 * The number of feasible nodes after which a cycle stops searching. `percentage` 0 adapts to the size of the cluster: 50 % minus
 * one for every 125 nodes, at least 5 %. The result is at least 100 nodes, or all of a smaller cluster.
 */
export function feasibleNodesToFind(percentage: number, nodeCount: number): number {
  if (nodeCount < MIN_FEASIBLE_NODES) return nodeCount;
  const share = percentage > 0 ? percentage : Math.max(50 - Math.trunc(nodeCount / 125), MIN_PERCENTAGE);
  return Math.max(MIN_FEASIBLE_NODES, Math.trunc((nodeCount * share) / 100));
}
