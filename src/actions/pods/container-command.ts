import { resourcePath } from "../../client/dynamic/resource-path.js";
import { encodeQuery } from "../../client/rest/encode-query.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { type RemoteCommandStreams, runRemoteCommand } from "../../client/streaming/remote-command.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { PODS } from "../selected-pods.js";

/** How programs in containers are reached. */
export interface ContainerHost {
  readonly client: RestClient;
  /** Whether WebSockets are tried before SPDY. */
  readonly webSockets: boolean;
  /** --request-timeout in milliseconds, which the server hears of; 0 is none. */
  readonly requestTimeout: number;
}

export interface ContainerCommand {
  readonly pod: KubeObject;
  readonly subresource: "exec" | "attach";
  /** With exec only. */
  readonly command?: readonly string[];
  readonly container: string;
  readonly stdin: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** PodExecOptions and PodAttachOptions as a query: what is false is not there. */
function pathOf({ pod, subresource, command, container, ...flags }: ContainerCommand, requestTimeout: number): string {
  const { namespace = "", name = "" } = pod.metadata ?? {};
  const given = (flag: boolean): string | undefined => (flag ? "true" : undefined);
  const query = {
    command,
    container,
    stdin: given(flags.stdin),
    stdout: "true",
    stderr: given(flags.stderr),
    tty: given(flags.tty),
    timeout: requestTimeout === 0 ? undefined : goDurationText(requestTimeout),
  };
  return resourcePath(PODS, namespace, name, subresource) + encodeQuery(query);
}

/**
 * Runs or attaches to a program in a container until it ends. Throws a RemoteCommandExitError where its exit code is not 0, and
 * client-go's errors.
 */
export async function runInContainer(
  command: ContainerCommand,
  streams: RemoteCommandStreams,
  { client, webSockets, requestTimeout }: ContainerHost,
  signal: AbortSignal,
): Promise<void> {
  const path = pathOf(command, requestTimeout);
  await runRemoteCommand(client, { path, method: "POST" }, streams, { signal, webSockets });
}
