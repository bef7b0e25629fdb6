import type { Container, EphemeralContainer } from "../../api/types/core/v1.js";
import { type Received, text } from "../../machinery/meta/received.js";
import type { ContainerExit, ContainerRuntime } from "../container-runtime.js";

/** How much of a container's log its status may show: bytes and lines of its end. */
const LOG_BYTES = 2048;
const LOG_LINES = 80;
/** How many bytes the messages of all containers of a pod may have together; each has an equal share. */
const POD_BYTES = 12 * 1024;

/** Adds the end of the container's log to its exit as the message, if the container requests that and left no message. */
export async function withTerminationMessage(
  exit: ContainerExit,
  container: Received<Container | EphemeralContainer>,
  runtime: ContainerRuntime,
  id: string,
): Promise<ContainerExit> {
  const isAsked = text(container.terminationMessagePolicy) === "FallbackToLogsOnError";
  if (!isAsked || exit.exitCode === 0 || (exit.message ?? "") !== "") return exit;
  const lines: Uint8Array[] = [];
  const options = { tailLines: LOG_LINES, follow: false, signal: new AbortController().signal };
  for await (const { line } of runtime.log(id, options)) lines.push(line);
  const message = Buffer.concat(lines).subarray(-LOG_BYTES).toString("utf8");
  return message === "" ? exit : { ...exit, message };
}

/** Cuts a message to the share of one container, in a pod of so many containers. */
export function sharedMessage(message: string, containers: number): string {
  const share = Math.floor(POD_BYTES / Math.max(1, containers));
  return Buffer.byteLength(message) <= share ? message : Buffer.from(message).subarray(0, share).toString("utf8");
}
