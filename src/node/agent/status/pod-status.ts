import type { ContainerStatus, PodStatus } from "../../../api/types/core/v1.js";
import { object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { ContainerRecord } from "../container-record.js";
import { type Condition, type ConditionFacts, podConditions } from "./pod-conditions.js";
import { podPhase } from "./pod-phase.js";
import { sharedMessage } from "../termination-message.js";

/** What a pod's status is computed of. */
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

/** A pod's status as a kubelet writes it, with its own conditions only. Times of conditions that did not change are those of `pod`. */
export function podStatus(facts: PodFacts): Received<PodStatus> {
  const { pod, records, hostIp, podIp, startTime, ended } = facts;
  const failure = ended ? facts.failure : undefined;
  const phase = failure === undefined ? podPhase(records, text(object(pod.spec).restartPolicy), ended) : "Failed";
  const { generation } = pod.metadata ?? {};
  const observed = generation === undefined ? {} : { observedGeneration: generation };
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
    };
  });
  const share = (message: string): string => sharedMessage(message, records.length);
  const ofKind = (kind: ContainerRecord["kind"]): readonly Received<ContainerStatus>[] =>
    records.filter((one) => one.kind === kind).map((one) => one.status(share));
  const lists = { initContainerStatuses: ofKind("init"), ephemeralContainerStatuses: ofKind("ephemeral") };
  return {
    ...observed,
    phase,
    ...(failure !== undefined && { reason: failure.reason, message: failure.message }),
    conditions,
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    startTime,
    ...(lists.initContainerStatuses.length > 0 && { initContainerStatuses: lists.initContainerStatuses }),
    containerStatuses: ofKind("main"),
    ...(lists.ephemeralContainerStatuses.length > 0 && {
      ephemeralContainerStatuses: lists.ephemeralContainerStatuses,
    }),
  };
}

function disruption({ failure }: PodFacts): readonly Condition[] {
  if (failure?.disrupts !== true) return [];
  return [{ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet", message: failure.message }];
}

const rest = ({ reason, message }: Condition): Pick<Condition, "reason" | "message"> => ({
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
});
