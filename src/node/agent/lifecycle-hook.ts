import type { Container, EphemeralContainer, HTTPGetAction, LifecycleHandler } from "../../api/types/core/v1.js";
import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import { absent, list, number, object, type Received, text } from "../../machinery/meta/received.js";
import { type ContainerRuntime, RuntimeError } from "../container-runtime.js";
import { portNumber, httpGet } from "./probes/http-get.js";
import { programOutput } from "./program-output.js";

/** Thrown when a hook has failed. The message is the kubelet's. */
export class HookError extends Error {
  override readonly name = "HookError";
}

export interface HookTarget {
  readonly kubeletVersion: string;
  readonly runtime: ContainerRuntime;
  readonly timers: Timers;
  readonly podUid: string;
  readonly podIp: string;
  /** As messages name the pod: "web_default(uid)". */
  readonly pod: string;
  readonly container: Received<Container | EphemeralContainer>;
  readonly containerId: string;
  readonly signal: AbortSignal;
}

/** Runs a postStart or preStop hook to its end. Throws a {@link HookError}. A hook of a container whose program the runtime only stands in for cannot fail. */
export async function runHook(hook: Received<LifecycleHandler>, target: HookTarget): Promise<void> {
  const { runtime, container, containerId, pod, timers, signal } = target;
  const where = `for Container ${JSON.stringify(text(container.name))} in Pod ${JSON.stringify(pod)} failed - error:`;
  if (!absent(hook.sleep)) return pause(timers, number(object(hook.sleep).seconds) * 1000, signal);
  const { port, path } = object(hook.httpGet);
  const dialed = absent(hook.httpGet) ? undefined : portNumber(port, container);
  const error = absent(hook.exec)
    ? await httpProblem(object(hook.httpGet), dialed ?? 0, target)
    : await execProblem(list(object(hook.exec).command).map(text), target);
  const question = { kind: "hook", ...(dialed !== undefined && { port: dialed }) } as const;
  if (error === undefined || runtime.answerProbe?.(containerId, question) === true) return;
  const what = absent(hook.exec)
    ? `HTTP lifecycle hook (${text(path)})`
    : `Exec lifecycle hook (${goList(list(object(hook.exec).command))})`;
  throw new HookError(`${what} ${where} ${error}`);
}

const goList = (words: readonly (string | null)[]): string => `[${words.map(text).join(" ")}]`;

async function execProblem(
  command: readonly string[],
  { runtime, containerId, signal }: HookTarget,
): Promise<string | undefined> {
  try {
    const { code, stderr, output } = await programOutput(runtime, containerId, command, signal);
    if (code === 0) return undefined;
    return `command '${command.join(" ")}' exited with ${code}: ${stderr}, message: ${JSON.stringify(output)}`;
  } catch (error) {
    if (error instanceof RuntimeError) return `${error.message}, message: ""`;
    throw error;
  }
}

/** Any answer will do: only a connection that fails is a problem. */
async function httpProblem(
  action: Received<HTTPGetAction>,
  port: number,
  { kubeletVersion, runtime, podUid, podIp }: HookTarget,
): Promise<string | undefined> {
  const address = `${text(action.host) || podIp}:${port}`;
  try {
    const connection = await runtime.dial(podUid, port);
    try {
      await httpGet(connection, action, { address, kubeletVersion });
      return undefined;
    } finally {
      connection.destroy();
    }
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    return `Get "http://${address}${text(action.path)}": dial tcp ${address}: connect: connection refused`;
  }
}
