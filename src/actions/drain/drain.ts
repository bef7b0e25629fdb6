import type { KubeObject } from "../../machinery/meta/object.js";
import type { DryRun } from "../apply/apply-object.js";
import { eventsOf } from "../follow/event-stream.js";
import { cordon } from "./cordon.js";
import {
  type DrainRules,
  DrainRefusedError,
  planDrain,
  type PodDecision,
  type PodRefusal,
  type SkipReason,
} from "./plan-drain.js";
import { type RemovalEvent, type RemovalOptions, removePods } from "./remove-pods.js";

export interface DrainOptions extends DrainRules, Omit<RemovalOptions, "dryRun"> {
  /** "client" only plans; "server" has the server try each write. Default "none". */
  readonly dryRun?: DryRun | undefined;
}

/** The events of draining a node, in order; the last one is "drained". */
export type DrainEvent =
  /** The node takes no new pods. `changed` is false where it took none before. */
  | { readonly type: "cordoned"; readonly node: KubeObject; readonly changed: boolean }
  /** The pod stays where it is. */
  | { readonly type: "skipped"; readonly pod: KubeObject; readonly reason: SkipReason }
  /** What is removed next. Comes once, before the first removal. */
  | { readonly type: "planned"; readonly pods: readonly PlannedPod[] }
  | RemovalEvent
  | { readonly type: "drained"; readonly node: KubeObject };

export interface PlannedPod {
  readonly pod: KubeObject;
  /** Nothing creates the pod again. */
  readonly unmanaged: boolean;
}

/**
 * Empties a node as `kubectl drain` does: makes it unschedulable, evicts its pods (again every five seconds while a disruption
 * budget is used up) and ends when they are gone. It works while its events are read: `for await (const event of drain({
 * client, node: "n1" })) ...`. A reader that stops early stops the retries and waits.
 *
 * Throws a DrainRefusedError, with the node cordoned and no pod removed, when the rules keep a pod there; an AggregateError of
 * the pods that could not be removed; the signal's reason when it aborts.
 */
export async function* drain(options: DrainOptions): AsyncGenerator<DrainEvent, void, undefined> {
  const { client, dryRun = "none", signal } = options;
  const { changed, node } = await cordon({ client, node: options.node, dryRun, signal });
  yield { type: "cordoned", node, changed };

  const decisions = await planDrain(options);
  const refusals = decisions.filter((one): one is PodRefusal => one.decision === "refuse");
  if (refusals.length > 0) throw new DrainRefusedError(options.node, refusals);
  for (const { pod, reason } of decisions.filter(isSkip)) yield { type: "skipped", pod, reason };
  const planned = decisions.filter(isRemoval).map(({ pod, unmanaged }) => ({ pod, unmanaged }));
  yield { type: "planned", pods: planned };

  if (dryRun !== "client") {
    const pods = planned.map(({ pod }) => pod);
    yield* eventsOf<RemovalEvent>((emit, stopped) => {
      const either = signal === undefined ? stopped : AbortSignal.any([signal, stopped]);
      return removePods(pods, { ...options, dryRun, signal: either }, emit);
    });
  }
  yield { type: "drained", node };
}

type Decision<T extends PodDecision["decision"]> = Extract<PodDecision, { readonly decision: T }>;

const isSkip = (one: PodDecision): one is Decision<"skip"> => one.decision === "skip";
const isRemoval = (one: PodDecision): one is Decision<"remove"> => one.decision === "remove";
