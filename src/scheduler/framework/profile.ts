import { append } from "../../base/collections/append.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { NodeInfo } from "../cache/node-info.js";
import type { PodInfo } from "../cache/pod-info.js";
import { type ClusterEvent, type EventHint, isAnyEvent, matchesEvent } from "./cluster-event.js";
import type { CycleState } from "./cycle-state.js";
import { MAX_NODE_SCORE, type NodeStatuses, type QueuedOrder, type SchedulerPlugin } from "./plugin.js";
import { at, failed, from, isRejected, type Status } from "./status.js";

export interface WeightedPlugin {
  readonly plugin: SchedulerPlugin;
  /** What its scores are multiplied by. */
  readonly weight: number;
}

/** The result of all preFilter plugins: the nodes to consider, or a rejection. */
export type PreFilterOutcome =
  | { readonly status: Status }
  | {
      readonly status: undefined;
      readonly nodeNames: ReadonlySet<string> | undefined;
      readonly limitedBy: readonly string[];
    };

/** A scheduler by name with its plugins, run extension point by extension point. */
export class Profile {
  readonly #plugins: readonly SchedulerPlugin[];
  readonly #weights: ReadonlyMap<SchedulerPlugin, number>;
  readonly #sort: SchedulerPlugin;
  readonly #gates: readonly SchedulerPlugin[];
  readonly #byName: ReadonlyMap<string, SchedulerPlugin>;

  /** Throws when not exactly one plugin sorts or none binds. */
  constructor(
    readonly schedulerName: string,
    plugins: readonly WeightedPlugin[],
    /** 0 adapts it to the number of nodes. */
    readonly percentageOfNodesToScore: number,
  ) {
    this.#plugins = plugins.map(({ plugin }) => plugin);
    this.#weights = new Map(plugins.map(({ plugin, weight }) => [plugin, weight]));
    this.#gates = this.#plugins.filter(({ preEnqueue }) => preEnqueue !== undefined);
    this.#byName = new Map(this.#plugins.map((plugin) => [plugin.name, plugin]));
    const sorting = this.#plugins.filter(({ compare }) => compare !== undefined);
    const [sort] = sorting;
    if (sort === undefined || sorting.length > 1) {
      const names = sorting.map(({ name }) => name).join(", ") || "none";
      throw new Error(`profile ${schedulerName}: exactly one plugin must order the queue, there is ${names}`);
    }
    if (!this.#plugins.some(({ bind }) => bind !== undefined)) {
      throw new Error(`profile ${schedulerName}: no plugin binds pods; enable DefaultBinder or one of your own`);
    }
    this.#sort = sort;
  }

  get scores(): boolean {
    return this.#plugins.some(({ score }) => score !== undefined);
  }

  /** The name of the plugin that orders the queue. All profiles of a scheduler need the same. */
  get sortedBy(): string {
    return this.#sort.name;
  }

  compare(a: QueuedOrder, b: QueuedOrder): number {
    return this.#sort.compare?.(a, b) ?? 0;
  }

  gatedBy(pod: Pod): string {
    for (const plugin of this.#gates) if (plugin.preEnqueue?.(pod) !== undefined) return plugin.name;
    return "";
  }

  isOfInterest(event: ClusterEvent): boolean {
    if (isAnyEvent(event)) return true;
    return this.#plugins.some(
      ({ events }) => events === undefined || events.some((registered) => matchesEvent(registered, event)),
    );
  }

  registers(plugin: string, event: ClusterEvent): boolean {
    const events = this.#byName.get(plugin)?.events;
    return events === undefined || events.some((registered) => matchesEvent(registered, event));
  }

  mayHelp(plugin: string, event: ClusterEvent, pod: Pod, before: unknown, after: unknown): boolean {
    const events: readonly EventHint[] | undefined = this.#byName.get(plugin)?.events;
    if (events === undefined) return true;
    return events.some((registered) => {
      if (!matchesEvent(registered, event)) return false;
      return registered.hint?.(pod, before, after) ?? true;
    });
  }

  /** Undefined when no plugin has to wait before the pod's cycle. */
  prepare(info: PodInfo): Promise<unknown> | undefined {
    const waiting: Promise<void>[] = [];
    for (const plugin of this.#plugins) {
      const ready = plugin.prepare?.(info);
      if (ready !== undefined) waiting.push(ready);
    }
    return waiting.length === 0 ? undefined : Promise.all(waiting);
  }

  preFilter(state: CycleState, info: PodInfo, nodes: readonly NodeInfo[]): PreFilterOutcome {
    const skipped = new Set<SchedulerPlugin>();
    const limitedBy: string[] = [];
    let nodeNames: ReadonlySet<string> | undefined;
    let rejection: Status | undefined;
    for (const plugin of this.#plugins) {
      const outcome = plugin.preFilter?.(state, info, nodes);
      if (outcome === undefined) continue;
      if ("code" in outcome) {
        if (outcome.code === "skip") skipped.add(plugin);
        else if (outcome.code === "unschedulable") rejection ??= from(plugin.name, outcome);
        else return { status: at(`running PreFilter plugin "${plugin.name}"`, from(plugin.name, outcome)) };
        continue;
      }
      if (outcome.nodeNames === undefined) continue;
      limitedBy.push(plugin.name);
      nodeNames = nodeNames === undefined ? outcome.nodeNames : intersection(nodeNames, outcome.nodeNames);
      if (nodeNames.size === 0) {
        const reason =
          limitedBy.length === 1
            ? `node(s) didn't satisfy plugin ${limitedBy[0]}`
            : `node(s) didn't satisfy plugin(s) [${limitedBy.toSorted().join(" ")}] simultaneously`;
        return { status: { code: "unresolvable", reasons: [reason], plugin: plugin.name } };
      }
    }
    if (rejection !== undefined) return { status: rejection };
    const active = this.#plugins.filter((plugin) => !skipped.has(plugin));
    state.filters = active.filter(({ filter }) => filter !== undefined);
    state.extensions = active.filter(({ addPod }) => addPod !== undefined);
    return { status: undefined, nodeNames, limitedBy };
  }

  /** The first rejection of the filters; the hot path of a cycle. */
  filter(state: CycleState, info: PodInfo, node: NodeInfo): Status | undefined {
    const { filters } = state;
    for (let index = 0; index < filters.length; index++) {
      const plugin = filters[index] as SchedulerPlugin;
      const status = plugin.filter?.(state, info, node);
      if (status !== undefined) return at(`running "${plugin.name}" filter plugin`, from(plugin.name, status));
    }
    return undefined;
  }

  addPod(state: CycleState, info: PodInfo, added: PodInfo, node: NodeInfo): void {
    for (const plugin of state.extensions) plugin.addPod?.(state, info, added, node);
  }

  removePod(state: CycleState, info: PodInfo, removed: PodInfo, node: NodeInfo): void {
    for (const plugin of state.extensions) plugin.removePod?.(state, info, removed, node);
  }

  /** Runs the plugins until one makes the pod schedulable. Returns their messages and what they nominate. */
  postFilter(state: CycleState, info: PodInfo, rejected: NodeStatuses): { message: string; nominatedNode?: string } {
    const reasons: string[] = [];
    let nominated: string | undefined;
    for (const plugin of this.#plugins) {
      const result = plugin.postFilter?.(state, info, rejected);
      if (result === undefined) continue;
      const { status, nominatedNode, message = "" } = result;
      if (status === undefined) return { message, ...(nominatedNode !== undefined && { nominatedNode }) };
      if (status.code === "unresolvable") {
        return { message: status.reasons.join(", "), ...(nominatedNode !== undefined && { nominatedNode }) };
      }
      if (!isRejected(status)) return { message: status.reasons.join(", ") };
      nominated ??= nominatedNode;
      append(reasons, status.reasons);
    }
    return { message: reasons.join(", "), ...(nominated !== undefined && { nominatedNode: nominated }) };
  }

  /** The plugins that will score, or why one failed. */
  preScore(state: CycleState, info: PodInfo, nodes: readonly NodeInfo[]): readonly SchedulerPlugin[] | Status {
    const scoring: SchedulerPlugin[] = [];
    for (const plugin of this.#plugins) {
      const status = plugin.preScore?.(state, info, nodes);
      if (status?.code === "skip") continue;
      if (status !== undefined) return from(plugin.name, status);
      if (plugin.score !== undefined) scoring.push(plugin);
    }
    return scoring;
  }

  /** The weighted sums of the scores of plugins that {@link preScore} has left, in the order of `nodes`. */
  score(
    state: CycleState,
    info: PodInfo,
    nodes: readonly NodeInfo[],
    scoring: readonly SchedulerPlugin[],
  ): Float64Array {
    const sums = new Float64Array(nodes.length);
    const scores: number[] = nodes.map(() => 0);
    for (const plugin of scoring) {
      if (plugin.score === undefined) continue;
      const weight = this.#weights.get(plugin) ?? 1;
      for (let index = 0; index < nodes.length; index++) {
        scores[index] = plugin.score(state, info, nodes[index] as NodeInfo);
      }
      plugin.normalize?.(state, info, scores, nodes);
      for (let index = 0; index < nodes.length; index++) {
        const score = scores[index] ?? 0;
        if (score < 0 || score > MAX_NODE_SCORE) throw new Error(outOfRange(plugin.name, score));
        sums[index] = (sums[index] ?? 0) + score * weight;
      }
    }
    return sums;
  }

  /** Undefined when all plugins have reserved; else all give back. */
  reserve(state: CycleState, info: PodInfo, node: string): Status | undefined {
    for (const plugin of this.#plugins) {
      const status = plugin.reserve?.(state, info, node);
      if (status === undefined) continue;
      this.unreserve(state, info, node);
      return at(`running Reserve plugin "${plugin.name}"`, from(plugin.name, status));
    }
    return undefined;
  }

  unreserve(state: CycleState, info: PodInfo, node: string): void {
    for (const plugin of this.#plugins.toReversed()) plugin.unreserve?.(state, info, node);
  }

  /** Undefined: the pod may be bound; a rejection; or the plugins that it waits for with how long each waits at most, in milliseconds. */
  permit(state: CycleState, info: PodInfo, node: string): Status | ReadonlyMap<string, number> | undefined {
    let waits: Map<string, number> | undefined;
    for (const plugin of this.#plugins) {
      const status = plugin.permit?.(state, info, node);
      if (status === undefined) continue;
      if (status.code !== "wait") return at(`running Permit plugin "${plugin.name}"`, from(plugin.name, status));
      waits ??= new Map();
      waits.set(plugin.name, Math.min(status.waitMilliseconds ?? MAX_WAIT_MS, MAX_WAIT_MS));
    }
    return waits;
  }

  async preBind(state: CycleState, info: PodInfo, node: string): Promise<Status | undefined> {
    for (const plugin of this.#plugins) {
      if (plugin.preBind === undefined) continue;
      const status = await plugin.preBind(state, info, node).catch((error: unknown) => failed(plugin.name, error));
      if (status === undefined || status.code === "skip") continue;
      return at(`running PreBind plugin "${plugin.name}"`, from(plugin.name, status));
    }
    return undefined;
  }

  async bind(state: CycleState, info: PodInfo, node: string): Promise<Status | undefined> {
    for (const plugin of this.#plugins) {
      if (plugin.bind === undefined) continue;
      const status = await plugin.bind(state, info, node).catch((error: unknown) => failed(plugin.name, error));
      if (status === undefined) return undefined;
      if (status.code !== "skip") return at(`running Bind plugin "${plugin.name}"`, from(plugin.name, status));
    }
    return { code: "error", reasons: ["no plugin bound the pod"], plugin: "" };
  }

  postBind(state: CycleState, info: PodInfo, node: string): void {
    for (const plugin of this.#plugins) plugin.postBind?.(state, info, node);
  }
}

/** The longest that a plugin may let a pod wait at permit. */
const MAX_WAIT_MS = 15 * 60_000;

const outOfRange = (plugin: string, score: number): string =>
  `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, ${MAX_NODE_SCORE}] after normalizing`;

function intersection(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((name) => b.has(name)));
}
