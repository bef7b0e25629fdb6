import type { Container, Pod, Probe } from "../../api/types/core/v1.js";
import { absent, list, object, objects, type Received, type ReceivedObject } from "../../machinery/meta/received.js";

/** A probe or a hook. */
type HasExec = Received<Pick<Probe, "exec">>;

/** A pod is marked for so long after its start: a program that stops the server does it soon. Milliseconds. */
export const MARKED_MS = 30_000;
/** The number of interruptions after which a pod is not run again: its starts have ended the server's process so often. */
export const MOST_INTERRUPTIONS = 2;

/**
 * The marks of pods that have just begun to run. They outlive the server's process, so that the next process knows which pods ran
 * when it ended.
 */
export interface RunMarks {
  /** How often the server's process ended while the pod was marked. */
  interruptions(podUid: string): number;
  /** The pod begins to run: when the call returns, the mark is kept. */
  begin(podUid: string): void;
  /** The pod has run for long enough, has ended, or is gone. */
  end(podUid: string): void;
}

/**
 * Whether a container of the pod has a command, args, or a hook or probe that executes a command. A container with none of these is a
 * stand-in for its image, and runs nothing.
 */
export function runsPrograms({ spec }: ReceivedObject<Pod>): boolean {
  const { containers, initContainers } = object(spec);
  return [...objects(initContainers), ...objects(containers)].some(runsProgram);
}

function runsProgram(container: Received<Container>): boolean {
  const { postStart, preStop } = object(container.lifecycle);
  const handlers = [postStart, preStop, container.startupProbe, container.readinessProbe, container.livenessProbe];
  const hasExec = handlers.some((one) => !absent(object<HasExec>(one).exec));
  return hasExec || list(container.command).length > 0 || list(container.args).length > 0;
}
