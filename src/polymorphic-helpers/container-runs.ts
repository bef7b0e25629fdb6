import type { ContainerStatus, Pod } from "../api/types/core/v1.js";
import { number, object, objects, type Received, type ReceivedObject, text } from "../machinery/meta/received.js";

/** One run of a container, which has its own log. */
export interface ContainerRun {
  readonly container: string;
  /** Tells the run from others of its container: the container's id, or how often the container was started again. */
  readonly id: string;
  readonly isRunning: boolean;
  /** The container has started again, or is about to: the log is that of `previous`. */
  readonly previous: boolean;
}

const STATUSES = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] as const;

/** The statuses of the pod's containers: those of init containers first, of ephemeral ones last. */
export const containerStatuses = ({ status }: ReceivedObject<Pod>): readonly Received<ContainerStatus>[] =>
  STATUSES.flatMap((field) => objects(object(status)[field]));

/** The runs of containers that have a log, in order: for each container the previous run, then the current or last one. */
export const containerRuns = (pod: ReceivedObject<Pod>): readonly ContainerRun[] =>
  containerStatuses(pod).flatMap(runsOf);

function runsOf({
  name,
  containerID,
  restartCount,
  state,
  lastState,
}: Received<ContainerStatus>): readonly ContainerRun[] {
  const container = text(name);
  const { running, terminated } = object(state);
  const before = object(lastState).terminated;
  const restarts = number(restartCount);
  const isThere = running !== undefined || terminated !== undefined;
  const id = text(object(terminated).containerID) || text(containerID) || String(restarts);
  const idBefore = text(object(before).containerID) || String(isThere ? restarts - 1 : restarts);
  return [
    ...(before === undefined || (isThere && idBefore === id)
      ? []
      : [{ container, id: idBefore, isRunning: false, previous: true }]),
    ...(isThere ? [{ container, id, isRunning: running !== undefined, previous: false }] : []),
  ];
}
