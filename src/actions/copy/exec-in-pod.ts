import { PODS } from "../selected-pods.js";
import type { RemoteCommandStreams } from "../../client/streaming/remote-command.js";
import { chosenContainer, requireUncompleted } from "../../polymorphic-helpers/pod-containers.js";
import { text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import { type ContainerHost, runInContainer } from "../pods/container-command.js";

/** The container in which a copy runs its programs. */
export interface ExecTarget extends ContainerHost {
  readonly namespace: string;
  readonly pod: string;
  /** -c, or "" for the pod's default. */
  readonly container: string;
}

/** A container that was found. */
export interface ExecPlace {
  readonly host: ContainerHost;
  readonly pod: KubeObject;
  readonly container: string;
}

/**
 * Finds the pod and the container to run in. Throws kubectl's error where there is none. If the pod has several containers, `say`
 * gets the line that names the chosen one.
 */
export async function findExecPlace(
  target: ExecTarget,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<ExecPlace> {
  const pod = await new Helper(target.client, PODS, { typed: true, signal }).get(target.namespace, target.pod);
  requireUncompleted(pod, "exec into");
  const { container } = chosenContainer(pod, target.container, say);
  return { host: target, pod, container: text(container.name) };
}

/** Runs a program in the container until it ends. Throws a RemoteCommandExitError where its exit code is not 0. */
export function execInPod(
  { host, pod, container }: ExecPlace,
  command: readonly string[],
  streams: Pick<RemoteCommandStreams, "stdin" | "stdout" | "stderr">,
  signal: AbortSignal,
): Promise<void> {
  const stdin = streams.stdin !== undefined;
  const request = { pod, subresource: "exec", command, container, stdin, stderr: true, tty: false } as const;
  return runInContainer(request, { ...streams, tty: false }, host, signal);
}

/** Receives the messages of a copy. Texts are kubectl's lines; bytes are what a program in the container writes. */
export interface CopyMessages {
  out(text: string | Uint8Array): Promise<void>;
  err(text: string | Uint8Array): Promise<void>;
  /** Of a file: how many of its bytes are copied, of how many where that is known. */
  progress(path: string, done: number, size?: number): void;
}
