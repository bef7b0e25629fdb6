import { resourcePath } from "../../client/dynamic/resource-path.js";
import { encodeQuery } from "../../client/rest/encode-query.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { type RemoteCommandStreams, runRemoteCommand } from "../../client/streaming/remote-command.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import { isRemoteCommandExit } from "../../machinery/streaming/remote-command.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { ExitError } from "../errors.js";
import type { Factory, Streams } from "../factory.js";
import type { SessionStreamsHost } from "./session-streams.js";

/** What a session in a container needs of the outside. */
export interface SessionHost extends SessionStreamsHost {
  readonly client: RestClient;
  readonly streams: Streams;
  readonly signal: AbortSignal;
  /** Whether WebSockets are tried before SPDY. */
  readonly webSockets: boolean;
  /** --request-timeout in milliseconds, which the server hears of; 0 is none. */
  readonly requestTimeout: number;
}

/** Of a command's factory. The environment may turn WebSockets off, as kubectl's may. */
export async function sessionHost(factory: Factory, signal: AbortSignal): Promise<SessionHost> {
  const { streams, env, runProgram, platform, clock, pid } = factory;
  const { timeout } = await factory.clientConfig();
  await factory.keepMemoryFlat();
  return {
    client: await factory.restClient(),
    streams,
    signal,
    webSockets: env["KUBECTL_REMOTE_COMMAND_WEBSOCKETS"]?.toLowerCase() !== "false",
    requestTimeout: timeout,
    runProgram,
    platform,
    clock,
    pid,
  };
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

const PODS: Pick<RestMapping, "resource" | "namespaced"> = {
  resource: { group: "", version: "v1", resource: "pods" },
  namespaced: true,
};

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
 * Runs or attaches to a program in a container until it ends. Throws an ExitError with the program's exit code where that is not 0,
 * and client-go's errors.
 */
export async function runInContainer(
  command: ContainerCommand,
  streams: RemoteCommandStreams,
  { client, webSockets, requestTimeout }: Pick<SessionHost, "client" | "webSockets" | "requestTimeout">,
  signal: AbortSignal,
): Promise<void> {
  const path = pathOf(command, requestTimeout);
  try {
    await runRemoteCommand(client, { path, method: "POST" }, streams, { signal, webSockets });
  } catch (error) {
    if (isRemoteCommandExit(error)) throw new ExitError(error.code, error.message);
    throw error;
  }
}
