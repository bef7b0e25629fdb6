import { object, objects, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ContainerRecord } from "./container-record.js";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

/** What a pod's status is computed of. */
export interface PodFacts {
  readonly pod: KubeObject;
  readonly records: readonly ContainerRecord[];
  /** All init containers have done what the pod waits for. */
  readonly initialized: boolean;
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
}

interface Condition {
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
];

/** A pod's phase, by its containers and its restart policy. */
function podPhase({
  pod,
  records,
  initialized,
  ended,
}: Pick<PodFacts, "pod" | "records" | "initialized" | "ended">): PodPhase {
  const main = records.filter(({ kind }) => kind === "main");
  const failedInit = records.some((one) => one.kind === "init" && !one.isSidecar && (one.exitCode ?? 0) !== 0);
  const policy = text(object(pod.spec).restartPolicy) || "Always";
  if (!initialized) return failedInit && (policy === "Never" || ended) ? "Failed" : "Pending";
  const codes = main.map(({ exitCode }) => exitCode);
  // Sidecars end after the others.
  const sidecarsRun = records.some((one) => one.isSidecar && one.running !== undefined);
  const allEnded = !sidecarsRun && codes.every((code) => code !== undefined);
  if (allEnded && (ended || policy !== "Always")) {
    if (codes.every((code) => code === 0)) return "Succeeded";
    if (ended || policy === "Never") return "Failed";
  }
  return main.some((one) => "waiting" in one.state && one.id === "" && one.last === undefined) ? "Pending" : "Running";
}

/** A pod's status as a kubelet writes it. Times of conditions that did not change are those of `pod`. */
export function podStatus(facts: PodFacts): JsonObject {
  const { pod, records, hostIp, podIp, startTime } = facts;
  const failure = facts.ended ? facts.failure : undefined;
  const phase = failure === undefined ? podPhase(facts) : "Failed";
  const { generation } = pod.metadata ?? {};
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const before = objects(object(pod.status).conditions);
  const conditions = podConditions(facts, phase).map((condition) => {
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
  const others = before.filter((one) => !OWN_CONDITIONS.includes(text(one.type)));
  const ofKind = (kind: ContainerRecord["kind"]): JsonObject[] =>
    records.filter((one) => one.kind === kind).map((one) => one.status());
  const lists = { initContainerStatuses: ofKind("init"), ephemeralContainerStatuses: ofKind("ephemeral") };
  return {
    ...observed,
    phase,
    ...failure,
    conditions: [...conditions, ...(others as JsonObject[])],
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

const rest = ({ reason, message }: Condition): JsonObject => ({
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
});

function podConditions({ records, initialized, pod, ended }: PodFacts, phase: PodPhase): readonly Condition[] {
  const main = records.filter((one) => one.kind === "main" || one.isSidecar);
  const unready = main.filter(({ ready }) => !ready).map(({ name }) => name);
  const incomplete = records
    .filter((one) => one.kind === "init" && !one.isSidecar && one.exitCode !== 0)
    .map(({ name }) => name);
  const scheduled: Condition = { type: "PodScheduled", status: "True" };
  // Nothing is set up any more once all containers have ended.
  const sandbox: Condition = {
    type: "PodReadyToStartContainers",
    status: phase === "Succeeded" || phase === "Failed" ? "False" : "True",
  };
  const init: Condition = initialized
    ? { type: "Initialized", status: "True", ...(phase === "Succeeded" && { reason: "PodCompleted" }) }
    : {
        type: "Initialized",
        status: "False",
        reason: "ContainersNotInitialized",
        message: `containers with incomplete status: [${incomplete.join(" ")}]`,
      };
  const readiness = (type: string): Condition => {
    if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
    if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
    if (unready.length === 0 && initialized && !ended) return { type, status: "True" };
    return {
      type,
      status: "False",
      reason: "ContainersNotReady",
      message: `containers with unready status: [${unready.join(" ")}]`,
    };
  };
  const gates = objects(object(pod.spec).readinessGates).map((one) => text(one.conditionType));
  const closed = gates.filter(
    (gate) =>
      !objects(object(pod.status).conditions).some((one) => text(one.type) === gate && text(one.status) === "True"),
  );
  const containers = readiness("ContainersReady");
  const ready =
    containers.status === "True" && closed.length > 0
      ? ({
          type: "Ready",
          status: "False",
          reason: "ReadinessGatesNotReady",
          message: `the status of pod readiness gate ${JSON.stringify(closed[0])} is not "True", but False`,
        } as const)
      : readiness("Ready");
  return [sandbox, init, ready, containers, scheduled];
}
