import { restartAction } from "../../../api/pods/restart-policy.js";
import type { ContainerRecord } from "../container-record.js";

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
export function podPhase(records: readonly ContainerRecord[], podPolicy: string, ended: boolean): PodPhase {
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
