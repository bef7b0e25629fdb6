import type { Clock } from "../../base/time/clock.js";
import { goQuote } from "../../base/text/go-quote.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { object as fieldsOf, objects } from "../../machinery/meta/access.js";
import type { KubeObject, OwnerReference } from "../../machinery/meta/object.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";
import { clusterReader } from "../cluster-reader.js";
import { actionSurroundings, type ActionSurroundings } from "../surroundings.js";
import type { ActionClient } from "../target.js";

/** Which pods a drain removes. */
export interface DrainRules extends ActionSurroundings {
  readonly client: Pick<ActionClient, "rest">;
  /** The node's name. */
  readonly node: string;
  /** Also pods without a controller, which nothing creates again. Default false. */
  readonly force?: boolean | undefined;
  /** Leaves the pods of DaemonSets where they are, rather than refuse the drain because of them. Default false. */
  readonly ignoreDaemonSets?: boolean | undefined;
  /** Also pods with an emptyDir, whose data is lost with them. Default false. */
  readonly deleteEmptyDirData?: boolean | undefined;
  /** A label selector: only these pods of the node. Default: all. */
  readonly podSelector?: string | undefined;
  /** Milliseconds since its deletion after which a pod is left alone; 0: never. Default 0. */
  readonly skipDeletedAfter?: number | undefined;
  /** Reads the pods in pages of this size; 0 reads them at once. Default 500. */
  readonly chunkSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Why a pod stays where it is: its deletion was long ago, a DaemonSet manages it, or a static manifest of the kubelet does. */
export type SkipReason = "terminating" | "daemonSet" | "mirror";

/** Why a pod keeps its node from being drained. */
export type RefusalReason = "daemonSet" | "daemonSetUnreadable" | "localStorage" | "noController";

export interface PodRefusal {
  readonly decision: "refuse";
  readonly pod: KubeObject;
  readonly reason: RefusalReason;
  /** Of "daemonSetUnreadable": the server's error. */
  readonly error?: Error | undefined;
}

/** What a drain does with one pod. If it refuses one, it removes no pod at all. */
export type PodDecision =
  | {
      readonly decision: "remove";
      readonly pod: KubeObject;
      /** Nothing creates the pod again. */
      readonly unmanaged: boolean;
    }
  | { readonly decision: "skip"; readonly pod: KubeObject; readonly reason: SkipReason }
  | PodRefusal;

/** The rules of the drain forbid removing some pods. Nothing was removed. */
export class DrainRefusedError extends Error {
  override readonly name = "DrainRefusedError";

  constructor(
    readonly node: string,
    readonly refusals: readonly PodRefusal[],
  ) {
    super(`node ${goQuote(node)} cannot be drained: ${refusals.map(refusalText).join("; ")}`);
  }
}

/** Reads the pods of a node and decides about each, in the server's order. Changes nothing. Throws when they cannot be read. */
export async function planDrain(rules: DrainRules): Promise<readonly PodDecision[]> {
  const { client, node, podSelector = "", chunkSize = 500, signal } = rules;
  const listed = await clusterReader(client.rest, chunkSize, signal).list("v1/Pod", "", {
    labelSelector: parseLabelSelector(podSelector).toString(),
    fieldSelector: `spec.nodeName=${node}`,
  });
  const decisions: PodDecision[] = [];
  for (const item of listed) decisions.push(await decide({ ...item, apiVersion: "v1", kind: "Pod" }, rules));
  return decisions;
}

/** The rules in kubectl's order; the first that keeps a pod where it is decides. */
async function decide(pod: KubeObject, rules: DrainRules): Promise<PodDecision> {
  const { clock } = actionSurroundings(rules);
  if (isLongDeleted(pod, rules.skipDeletedAfter ?? 0, clock)) return { decision: "skip", pod, reason: "terminating" };
  const kept = await decideOnDaemonSet(pod, rules);
  if (kept !== undefined) return kept;
  if (Object.hasOwn(pod.metadata?.annotations ?? {}, "kubernetes.io/config.mirror")) {
    return { decision: "skip", pod, reason: "mirror" };
  }
  if (hasLocalStorage(pod) && !isOver(pod) && rules.deleteEmptyDirData !== true) {
    return { decision: "refuse", pod, reason: "localStorage" };
  }
  const unmanaged = !isOver(pod) && controllerOf(pod) === undefined;
  if (unmanaged && rules.force !== true) return { decision: "refuse", pod, reason: "noController" };
  return { decision: "remove", pod, unmanaged };
}

/** Undefined: no DaemonSet keeps the pod. */
async function decideOnDaemonSet(pod: KubeObject, rules: DrainRules): Promise<PodDecision | undefined> {
  const controller = controllerOf(pod);
  if (controller?.kind !== "DaemonSet" || controller.apiVersion !== "apps/v1" || isOver(pod)) return undefined;
  try {
    const reader = clusterReader(rules.client.rest, 0, rules.signal);
    await reader.get("apps/v1/DaemonSet", pod.metadata?.namespace ?? "", controller.name);
  } catch (error) {
    if (isNotFound(error) && rules.force === true) return undefined;
    if (!(error instanceof Error)) throw error;
    return { decision: "refuse", pod, reason: "daemonSetUnreadable", error };
  }
  return rules.ignoreDaemonSets === true
    ? { decision: "skip", pod, reason: "daemonSet" }
    : { decision: "refuse", pod, reason: "daemonSet" };
}

/** Whether a pod was deleted more than so many milliseconds ago, in whole seconds, and is still there; never with 0. */
export function isLongDeleted({ metadata }: KubeObject, milliseconds: number, clock: Clock): boolean {
  const deleted = metadata?.deletionTimestamp;
  if (milliseconds <= 0 || deleted === undefined) return false;
  return Math.trunc((clock.now() - Date.parse(deleted)) / 1000) * 1000 > milliseconds;
}

function refusalText({ pod: { metadata = {} }, reason, error }: PodRefusal): string {
  return `pod ${metadata.namespace ?? ""}/${metadata.name ?? ""} ${error?.message ?? REFUSALS[reason]}`;
}

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  daemonSet: "is managed by a DaemonSet (ignoreDaemonSets leaves it there)",
  daemonSetUnreadable: "is managed by a DaemonSet that cannot be read",
  localStorage: "has an emptyDir (deleteEmptyDirData removes it with its data)",
  noController: "has no controller that creates it again (force removes it)",
};

const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata?.ownerReferences?.find(({ controller }) => controller === true);

const isOver = (pod: KubeObject): boolean => ["Succeeded", "Failed"].includes(String(fieldsOf(pod["status"])["phase"]));

const hasLocalStorage = (pod: KubeObject): boolean =>
  objects(fieldsOf(pod["spec"])["volumes"]).some(
    (volume) => volume["emptyDir"] !== undefined && volume["emptyDir"] !== null,
  );
