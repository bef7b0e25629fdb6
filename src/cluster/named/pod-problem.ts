import type { ContainerStatus, Pod } from "../../api/types/core/v1.js";

/** Why a pod does not do its work: a reason in CamelCase, and the words of its status. */
export interface Fault {
  readonly reason: string;
  readonly message: string;
}

/** What is wrong with a pod; undefined where nothing is, or where it is only starting or ending. */
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

/** A container waits for these without a fault. */
const STARTING: ReadonlySet<string> = new Set(["", "ContainerCreating", "PodInitializing"]);

const fault = (reason: string, message = ""): Fault => ({ reason, message });

const endOf = (containers: readonly ContainerStatus[]) =>
  containers.map(({ state }) => state?.terminated).find((ended) => ended !== undefined && ended.exitCode !== 0);

function endText(containers: readonly ContainerStatus[]): string {
  const failed = containers.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  return failed === undefined ? "" : `container ${failed.name} exited with code ${failed.state?.terminated?.exitCode}`;
}
