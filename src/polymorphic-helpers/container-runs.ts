import { number, object, objects, type ReadonlyFields, text } from "../machinery/meta/access.js";
import type { KubeObject } from "../machinery/meta/object.js";

/** One run of a container, which has its own log. */
export interface ContainerRun {
  readonly container: string;
  /** Tells the run from others of its container: the container's id, or how often the container was started again. */
  readonly id: string;
  readonly isRunning: boolean;
  /** The container has started again, or is about to: the log is that of `previous`. */
  readonly previous: boolean;
}

const STATUSES = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"];

/** The statuses of the pod's containers: those of init containers first, of ephemeral ones last. */
export const containerStatuses = ({ status }: KubeObject): readonly ReadonlyFields[] =>
  STATUSES.flatMap((field) => objects(object(status)[field]));

/** The runs of containers that have a log, in order: for each container the previous run, then the current or last one. */
export const containerRuns = (pod: KubeObject): readonly ContainerRun[] => containerStatuses(pod).flatMap(runsOf);

function runsOf({ name, containerID, restartCount, state, lastState }: ReadonlyFields): readonly ContainerRun[] {
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
