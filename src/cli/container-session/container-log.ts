import { podLog } from "../../actions/pod-log.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deliverOutput } from "../write-output.js";
import type { SessionHost } from "./container-command.js";

/** Copies the log of a container up to now to stdout, from `sinceTime` on where there is one. Throws the server's error. */
export async function printContainerLog(
  { metadata }: KubeObject,
  container: string,
  { client, streams }: Pick<SessionHost, "client" | "streams">,
  signal: AbortSignal,
  sinceTime?: string,
): Promise<void> {
  const { namespace = "", name = "" } = metadata ?? {};
  const request = { namespace, pod: name, options: { container, sinceTime } };
  for await (const chunk of podLog(client, request, signal)) await deliverOutput(streams.out, chunk);
}
