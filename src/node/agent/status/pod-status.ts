import type { PodCondition, ContainerStatus, PodStatus } from "../../../api/types/core/v1.js";
import { type FieldsOf, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { ContainerRecord } from "../container-record.js";
import { type Condition, type ConditionFacts, podConditions } from "./pod-conditions.js";
import { sharedMessage } from "../termination-message.js";
import { restartAction } from "../../../api/pods/restart-policy.js";

/** The facts from which the status of a pod is computed. */
export interface PodFacts extends ConditionFacts {
  readonly hostIp: string;
  readonly podIp: string;
  /** RFC 3339. */
  readonly startTime: string;
  readonly now: string;
  /** The pod is at its end and will not be started again. */
  readonly ended: boolean;
  /** Why the node ended it, whatever its containers did. */
  readonly failure?: PodFailure | undefined;
}

export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  /** The node ended the pod for its own sake: the pod has the condition DisruptionTarget. */
  readonly disrupts?: boolean;
}

/**
 * Computes a pod's status as a kubelet writes it, with the kubelet's conditions only. Conditions that did not change keep their
 * times from `pod`.
 */
export function podStatus(facts: PodFacts): Received<PodStatus> {
  const { pod, records, hostIp, podIp, startTime, ended } = facts;
  const failure = ended ? facts.failure : undefined;
  const phase = failure === undefined ? podPhase(records, text(object(pod.spec).restartPolicy), ended) : "Failed";
  const { generation } = pod.metadata ?? {};
  const observed =
    generation === undefined ? {} : ({ observedGeneration: generation } satisfies FieldsOf<PodCondition>);
  const before = objects(object(pod.status).conditions);
  const conditions = [...disruption(facts), ...podConditions(facts, phase)].map((condition) => {
    const known = before.find((one) => text(one.type) === condition.type);
    const same = known !== undefined && text(known.status) === condition.status;
    const lastTransitionTime = same ? text(known.lastTransitionTime) || facts.now : facts.now;
    return {
      type: condition.type,
      ...observed,
      status: condition.status,
      lastProbeTime: null,
      lastTransitionTime,
      ...rest(condition),
    } satisfies FieldsOf<PodCondition>;
  });
  const share = (message: string): string => sharedMessage(message, records.length);
  const ofKind = (kind: ContainerRecord["kind"]): readonly Received<ContainerStatus>[] =>
    records.filter((one) => one.kind === kind).map((one) => one.status(share));
  const lists = { initContainerStatuses: ofKind("init"), ephemeralContainerStatuses: ofKind("ephemeral") };
  return {
    ...observed,
    phase,
    ...(failure !== undefined &&
      ({ reason: failure.reason, message: failure.message } satisfies FieldsOf<PodCondition>)),
    conditions,
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    startTime,
    ...(lists.initContainerStatuses.length > 0 &&
      ({ initContainerStatuses: lists.initContainerStatuses } satisfies FieldsOf<PodStatus>)),
    containerStatuses: ofKind("main"),
    ...(lists.ephemeralContainerStatuses.length > 0 &&
      ({
        ephemeralContainerStatuses: lists.ephemeralContainerStatuses,
      } satisfies FieldsOf<PodStatus>)),
  };
}

function disruption({ failure }: PodFacts): readonly Condition[] {
  if (failure?.disrupts !== true) return [];
  return [{ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet", message: failure.message }];
}

const rest = ({ reason, message }: Condition): Pick<Condition, "reason" | "message"> => ({
  ...(reason !== undefined && ({ reason } satisfies FieldsOf<PodStatus>)),
  ...(message !== undefined && ({ message } satisfies FieldsOf<PodStatus>)),
});

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

/** How a container ended last: now, or before it waits to run again; undefined for one that runs or never ran. */
function lastEnd({
  state,
  last,
}: ContainerRecord): { readonly exitCode: number; readonly reason?: unknown } | undefined {
  if ("terminated" in state) return state.terminated;
  return "waiting" in state && last !== undefined && "terminated" in last ? last.terminated : undefined;
}

/**
 * A pod's phase, by its containers and their restart policies. `podPolicy` is the pod's. A pod that is `ended` starts nothing any more.
 */
function podPhase(records: readonly ContainerRecord[], podPolicy: string, ended: boolean): PodPhase {
  const runsAgain = (record: ContainerRecord): boolean => {
    const end = lastEnd(record);
    if (end === undefined || end.reason === "RestartingAllContainers") return true;
    return restartAction(record.spec, podPolicy, end.exitCode) !== "none";
  };
  const init = records.filter((one) => one.kind === "init" && !one.isSidecar);
  const hasFailed = init.some((one) => (lastEnd(one)?.exitCode ?? 0) !== 0 && !runsAgain(one));
  if (hasFailed) return "Failed";
  const phase = phaseOfStarted(records, init, runsAgain, ended);
  return ended && phase !== "Succeeded" ? "Failed" : phase;
}

function phaseOfStarted(
  records: readonly ContainerRecord[],
  init: readonly ContainerRecord[],
  runsAgain: (record: ContainerRecord) => boolean,
  ended: boolean,
): PodPhase {
  const main = records.filter(({ kind }) => kind === "main");
  const sidecars = records.filter((one) => one.isSidecar);
  const isRunning = ({ state }: ContainerRecord): boolean => "running" in state;
  const neverEnded = (one: ContainerRecord): boolean => !isRunning(one) && lastEnd(one) === undefined;
  const hasInitialized = main.some(({ id }) => id !== "");
  const isPending = init.some((one) => isRunning(one) || neverEnded(one));
  const awaitsSidecar = sidecars.some((one) => (isRunning(one) && !one.hasStarted) || neverEnded(one));
  if (isPending || (awaitsSidecar && !hasInitialized)) return "Pending";
  if ([...main, ...sidecars].some(neverEnded)) return "Pending";
  if ([...main, ...sidecars].some(isRunning)) return "Running";
  if (!ended && main.some(runsAgain)) return "Running";
  return main.every((one) => lastEnd(one)?.exitCode === 0) ? "Succeeded" : "Failed";
}
