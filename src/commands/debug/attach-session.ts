import { waitForPod } from "../../actions/wait/wait-for-pod.js";
import { attachToContainer } from "../../cli/container-session/attach.js";
import { printContainerLog } from "../../cli/container-session/container-log.js";
import { interruptible } from "../../cli/container-session/interrupt.js";
import { object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { DebugCommandOptions } from "./debug.js";

/**
 * Waits until the container has started and attaches to it. Prints its log where it has ended already, and where it cannot be attached
 * to.
 */
export async function attachToDebugContainer(
  created: KubeObject,
  container: string,
  options: DebugCommandOptions,
): Promise<void> {
  const { request, streams, signal } = options;
  const { namespace = "", name = "" } = created.metadata ?? {};
  const started = waitForPod((pod) => hasStarted(pod, container, options), { ...options, namespace, name });
  const pod = await interruptible(signal, started, 1);
  const printLog = (): Promise<void> => interruptible(signal, printContainerLog(pod, container, options, signal));
  if (stateOf(pod, container)?.["terminated"] !== undefined) return printLog();
  const { stdin, tty } = request;
  try {
    await attachToContainer({ ...options, pod, container, stdin, tty, detachKeys: "" });
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    streams.err.write(`warning: couldn't attach to pod/${name}, falling back to streaming logs: ${error.message}\n`);
    await printLog();
  }
}

function hasStarted(pod: KubeObject, container: string, { quiet, warn }: DebugCommandOptions): boolean {
  const { running, terminated, waiting } = stateOf(pod, container) ?? {};
  if (running !== undefined || terminated !== undefined) return true;
  const message = text(object(waiting).message);
  if (!quiet && message !== "") warn(`container ${container}: ${message}`);
  return false;
}

function stateOf({ status }: KubeObject, container: string): ReadonlyFields | undefined {
  const fields = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"];
  const all = fields.flatMap((field) => objects(object(status)[field]));
  const found = all.find(({ name }) => name === container);
  return found === undefined ? undefined : object(found.state);
}
