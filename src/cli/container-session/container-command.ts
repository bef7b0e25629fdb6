import { type ContainerCommand, type ContainerHost, runInContainer } from "../../actions/pods/container-command.js";
import type { RemoteCommandStreams } from "../../client/streaming/remote-command.js";
import { isRemoteCommandExit } from "../../machinery/wire/streams/remote-command.js";
import { ExitError } from "../errors.js";
import type { Factory, Streams } from "../connect/factory.js";
import type { SessionStreamsHost } from "./session-streams.js";

/** What a session in a container needs of the outside. */
export interface SessionHost extends SessionStreamsHost, ContainerHost {
  readonly streams: Streams;
  readonly signal: AbortSignal;
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

/** As runInContainer, for a command that ends with the program's exit code: that is an ExitError. */
export async function runAndExit(
  command: ContainerCommand,
  streams: RemoteCommandStreams,
  host: ContainerHost,
  signal: AbortSignal,
): Promise<void> {
  await runInContainer(command, streams, host, signal).catch(exitWithProgram);
}

/** Turns a program's exit code into the command's; throws every other error as it is. */
export function exitWithProgram(error: unknown): never {
  if (isRemoteCommandExit(error)) throw new ExitError(error.code, error.message);
  throw error;
}
