import type { Pod } from "../../../api/types/core/v1.js";
import { mayRestartAll } from "../../../api/pods/restart-policy.js";
import { object, objects, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { ContainerRecord } from "../container-record.js";
import { isKubeletAtLeast } from "../pod-context.js";
import type { PodPhase } from "./pod-status.js";

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** The types of conditions that a kubelet writes; others are left as they are. */
export const OWN_CONDITIONS: readonly string[] = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  "AllContainersRestarting",
  "PodResizePending",
];

/** The facts from which the conditions of a pod are computed. */
export interface ConditionFacts {
  /** "v1.37.1" */
  readonly kubeletVersion: string;
  readonly pod: ReceivedObject<Pod>;
  readonly records: readonly ContainerRecord[];
  /** All containers are being ended, to run again. */
  readonly isRestarting: boolean;
  /** Of a resize that the node has not done. */
  readonly resize?: Condition | undefined;
}

/** Computes the kubelet's conditions of a pod in `phase`, in a kubelet's order. */
export function podConditions(facts: ConditionFacts, phase: PodPhase): readonly Condition[] {
  const { pod, records, resize, kubeletVersion } = facts;
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  const containers = containersReady(records, phase);
  return [
    ...(resize === undefined || hasEnded ? [] : [resize]),
    { type: "PodReadyToStartContainers", ...sandboxState(hasEnded, kubeletVersion) },
    initialized(records, phase),
    podReady(pod, containers),
    containers,
    { type: "PodScheduled", status: "True" },
    ...(mayRestartAll(object(pod.spec)) ? [restarting(facts, phase)] : []),
  ];
}

/** Nothing is set up any more once all containers have ended. */
function sandboxState(hasEnded: boolean, kubeletVersion: string): Omit<Condition, "type"> {
  if (!hasEnded) return { status: "True" };
  // K37-181: a kubelet before 1.37 does not say why.
  if (!isKubeletAtLeast(kubeletVersion, "1.37")) return { status: "False" };
  return { status: "False", reason: "PodSandboxNotReady", message: "pod sandbox is not ready" };
}

function initialized(records: readonly ContainerRecord[], phase: PodPhase): Condition {
  const type = "Initialized";
  if (phase === "Succeeded") return { type, status: "True", reason: "PodCompleted" };
  const hasStarted = records.some((one) => one.kind === "main" && one.id !== "");
  const incomplete = records.filter((one) => one.kind === "init" && !(one.isSidecar ? one.hasStarted : one.ready));
  if (hasStarted || incomplete.length === 0) return { type, status: "True" };
  const message = `containers with incomplete status: [${namesOf(incomplete)}]`;
  return { type, status: "False", reason: "ContainersNotInitialized", message };
}

function containersReady(records: readonly ContainerRecord[], phase: PodPhase): Condition {
  const type = "ContainersReady";
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  const unready = records.filter((one) => (one.kind === "main" || one.isSidecar) && !one.ready);
  if (unready.length === 0) return { type, status: "True" };
  const message = `containers with unready status: [${namesOf(unready)}]`;
  return { type, status: "False", reason: "ContainersNotReady", message };
}

function podReady({ spec, status }: ReceivedObject<Pod>, containers: Condition): Condition {
  const type = "Ready";
  if (containers.status === "False") return { ...containers, type };
  const closed = objects(object(spec).readinessGates).flatMap(({ conditionType }) => {
    const gate = JSON.stringify(text(conditionType));
    const condition = objects(object(status).conditions).find((one) => one.type === conditionType);
    if (condition === undefined) return [`corresponding condition of pod readiness gate ${gate} does not exist.`];
    if (condition.status === "True") return [];
    return [`the status of pod readiness gate ${gate} is not "True", but ${text(condition.status)}`];
  });
  if (closed.length === 0) return { type, status: "True" };
  return { type, status: "False", reason: "ReadinessGatesNotReady", message: closed.join(", ") };
}

function restarting({ isRestarting }: ConditionFacts, phase: PodPhase): Condition {
  const type = "AllContainersRestarting";
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  if (!isRestarting) return { type, status: "False" };
  const message = "container exited with restart policy rule";
  return { type, status: "True", reason: "RestartAllContainersStarted", message };
}

const namesOf = (records: readonly ContainerRecord[]): string => records.map(({ name }) => name).join(" ");
