import type { ContainerStatus, Pod } from "../../api/types/core/v1.js";

/** The reason why a pod does not work, in CamelCase, and the message of its status. */
export interface Fault {
  readonly reason: string;
  readonly message: string;
}

/** Returns the fault of a pod; undefined for a pod without one, and for one that is only starting or ending. */
export function podProblem({ metadata, status = {} }: Pod): Fault | undefined {
  const { phase, reason, message, conditions = [], initContainerStatuses = [], containerStatuses = [] } = status;
  if (metadata?.deletionTimestamp !== undefined || phase === "Succeeded") return undefined;
  const unscheduled = conditions.find(({ type, status: held }) => type === "PodScheduled" && held === "False");
  if (unscheduled !== undefined) return fault(unscheduled.reason ?? "Unschedulable", unscheduled.message);
  const containers = [...initContainerStatuses, ...containerStatuses];
  if (phase === "Failed") return fault(reason ?? endOf(containers)?.reason ?? "Failed", message ?? endText(containers));
  const waiting = containers.map(({ state }) => state?.waiting).find((one) => !STARTING.has(one?.reason ?? ""));
  if (waiting !== undefined) return fault(waiting.reason ?? "Waiting", waiting.message);
  const unready = conditions.find(({ type, status: held }) => type === "Ready" && held === "False");
  if (phase !== "Running" || unready === undefined) return undefined;
  return fault(unready.reason ?? "NotReady", unready.message);
}

/**
 * Returns why a pod is not ready, with the container that it waits for; undefined for one that is. For pods that have not ended
 * and are not being deleted.
 */
export function podDelay(pod: Pod): Fault | undefined {
  const { phase, conditions = [], initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  if (phase === "Running" && isReady) return undefined;
  const containers = [...initContainerStatuses, ...containerStatuses];
  const problem = podProblem(pod);
  const waiting = ({ state }: ContainerStatus) =>
    state?.waiting !== undefined && state.waiting.reason === problem?.reason;
  if (problem !== undefined) return inContainer(containers.find(waiting), problem);
  if (!pod.spec?.nodeName) return fault("Pending", "no node has been chosen for it");
  const running = initContainerStatuses.find(({ state, started }) => state?.running !== undefined && started !== true);
  if (running !== undefined) return fault("PodInitializing", `init container "${running.name}" has not ended`);
  const starting = containers.find(({ state }) => state?.waiting !== undefined);
  return inContainer(starting, fault(starting?.state?.waiting?.reason ?? "Pending", starting?.state?.waiting?.message));
}

function inContainer(container: ContainerStatus | undefined, { reason, message }: Fault): Fault {
  if (container === undefined) return { reason, message };
  const { name, lastState } = container;
  const ended = lastState?.terminated;
  const words = [message, ended && `it last exited with code ${ended.exitCode}`].filter((text) => text);
  return fault(reason, [`container "${name}"`, ...(words.length > 0 ? [words.join("; ")] : [])].join(": "));
}

/** A container waits for these without a fault. */
const STARTING: ReadonlySet<string> = new Set(["", "ContainerCreating", "PodInitializing"]);

const fault = (reason: string, message = ""): Fault => ({ reason, message });

const endOf = (containers: readonly ContainerStatus[]) =>
  containers.map(({ state }) => state?.terminated).find((ended) => ended !== undefined && ended.exitCode !== 0);

function endText(containers: readonly ContainerStatus[]): string {
  const failed = containers.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  return failed === undefined ? "" : `container ${failed.name} exited with code ${failed.state?.terminated?.exitCode}`;
}
