import { waitForPod } from "../../actions/wait/wait-for-pod.js";
import { attachToContainer } from "../../cli/container-session/attach.js";
import type { SessionHost } from "../../cli/container-session/container-command.js";
import { printContainerLog } from "../../cli/container-session/container-log.js";
import { interruptible } from "../../cli/container-session/interrupt.js";
import { ExitError } from "../../cli/errors.js";
import { chosenContainer } from "../../polymorphic-helpers/pod-containers.js";
import { number, object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";

export interface RunSessionOptions extends SessionHost {
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
  readonly detachKeys: string;
  /** How the user attaches again: "kubectl attach". */
  readonly commandName: string;
  /** Milliseconds to wait until the pod runs, and again until it has ended. */
  readonly podTimeout: number;
  /** Whether the command ends as the pod does. */
  readonly waitsForEnd: boolean;
  readonly restartPolicy: string;
}

/** Milliseconds for the log from before the attachment. */
const EARLY_LOG_TIMEOUT = 5000;

/**
 * Waits until the pod runs, prints what it has logged until then, and attaches to its container; where that fails, it prints what the
 * pod has logged since. Throws an ExitError with the code of a container that failed.
 */
export async function runSession(created: KubeObject, options: RunSessionOptions): Promise<void> {
  const { podTimeout: timeout, signal } = options;
  const { namespace = "", name = "" } = created.metadata ?? {};
  const wait = (isReached: (pod: KubeObject) => boolean): Promise<KubeObject> =>
    interruptible(signal, waitForPod(isReached, { ...options, namespace, name, timeout }), 1);
  await attachOnceReady(await wait((pod) => hasEnded(pod) || isReady(pod)), name, options);
  if (!options.waitsForEnd) return;
  const { restartPolicy } = options;
  const isOver = (pod: KubeObject): boolean =>
    restartPolicy === "OnFailure" ? phaseOf(pod) === "Succeeded" : hasEnded(pod);
  throwFailure(await wait(isOver));
}

async function attachOnceReady(pod: KubeObject, name: string, options: RunSessionOptions): Promise<void> {
  const { streams, signal, quiet, clock } = options;
  const say = (line: string): void => {
    if (!quiet) streams.err.write(`${line}\n`);
  };
  const printLog = (end: AbortSignal, since?: string): Promise<void> => {
    const container = text(chosenContainer(pod, "", say).container.name);
    return interruptible(signal, printContainerLog(pod, container, options, end, since));
  };
  if (hasEnded(pod)) return printLog(signal);
  let printedUntil: string | undefined;
  try {
    await printLog(AbortSignal.any([signal, AbortSignal.timeout(EARLY_LOG_TIMEOUT)]));
    printedUntil = `${new Date(clock.now()).toISOString().slice(0, -".000Z".length)}Z`;
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    streams.err.write(`warning: couldn't fetch pre-attach logs: ${error.message}\n`);
  }
  try {
    await attachToContainer({ ...options, pod, container: "" });
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    streams.err.write(`warning: couldn't attach to pod/${name}, falling back to streaming logs: ${error.message}\n`);
    await printLog(signal, printedUntil);
  }
}

const phaseOf = ({ status }: KubeObject): string => text(object(status).phase);

const hasEnded = (pod: KubeObject): boolean => ["Succeeded", "Failed"].includes(phaseOf(pod));

const isReady = (pod: KubeObject): boolean =>
  phaseOf(pod) === "Running" &&
  objects(object(pod.status).conditions).some(({ type, status }) => type === "Ready" && status === "True");

function throwFailure(pod: KubeObject): void {
  const phase = phaseOf(pod);
  if (phase === "Succeeded") return;
  const { namespace = "", name = "" } = pod.metadata ?? {};
  const where = `pod ${namespace}/${name}`;
  if (phase !== "Failed") throw new Error(`${where} left in phase ${phase}`);
  const { terminated } = object(objects(object(pod.status).containerStatuses)[0]?.state);
  const { exitCode, reason, message } = object(terminated);
  const code = number(exitCode);
  if (code === 0) throw new Error(`${where} failed with unknown exit code`);
  throw new ExitError(code, `${where} terminated (${text(reason)})\n${text(message)}`);
}
