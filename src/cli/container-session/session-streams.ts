import type { RemoteCommandStreams } from "../../client/streaming/remote-command.js";
import type { TerminalSize } from "../../machinery/wire/streams/remote-command.js";
import type { Factory, Streams } from "../connect/factory.js";
import { errorMessage } from "../../base/text/error-message.js";
import { klogError } from "../../client/klog.js";
import { deliverOutput, writeOutput } from "../write-output.js";
import { enterRawMode, type TerminalHost } from "./raw-mode.js";
import { StandardInput } from "./standard-input.js";
import { sizeOf, TerminalSizes } from "./terminal-sizes.js";

/** What the streams need of a factory: a terminal's programs, and what a line of the log begins with. */
export type SessionStreamsHost = TerminalHost & Pick<Factory, "clock" | "pid">;

export interface SessionStreamsOptions {
  readonly streams: Streams;
  readonly stdin: boolean;
  /** A terminal is asked for; {@link isRaw} says whether there is one. */
  readonly raw: boolean;
  /** The sizes that the remote terminal has at first. Default: the one there is. */
  readonly firstSizes?: (size: TerminalSize) => readonly TerminalSize[];
  readonly host: SessionStreamsHost;
  /** Gives the terminal back and ends the input when it aborts. */
  readonly signal: AbortSignal;
}

/** What a program in a container reads and writes, until it is closed. */
export interface SessionStreams {
  readonly streams: RemoteCommandStreams;
  /** Gives the terminal back and reads no more input. May be called again. */
  close(): void;
}

export const NO_TERMINAL = "Unable to use a TTY - input is not a terminal or the right kind of file";

/** Whether a session has a terminal: it is asked for with -i and -t, and stdin is one. `say` tells that it is not. */
export function isRaw(
  { stdin, tty }: { readonly stdin: boolean; readonly tty: boolean },
  streams: Streams,
  say: (line: string) => void,
): boolean {
  if (!stdin || !tty) return false;
  if (streams.in.isTTY === true) return true;
  say(NO_TERMINAL);
  return false;
}

/** Connects stdin, stdout and stderr with a session. Without `stdin` the process' own is not touched. */
export async function openSessionStreams(options: SessionStreamsOptions): Promise<SessionStreams> {
  const { streams, stdin, raw, signal, host, firstSizes = (size) => [size] } = options;
  const leaveRawMode = raw ? await enterRawMode(streams.in, host) : undefined;
  const input = stdin ? new StandardInput(streams.in) : undefined;
  const size = raw ? sizeOf(streams.out) : undefined;
  const sizes = size === undefined ? undefined : new TerminalSizes(streams.out, firstSizes(size));
  const close = (): void => {
    leaveRawMode?.();
    input?.stop();
    sizes?.stop();
    signal.removeEventListener("abort", close);
  };
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  return {
    streams: {
      stdin: input,
      stdout: copyToStdout(streams, host),
      ...(!raw && { stderr: (chunk) => writeOutput(streams.err, chunk) }),
      tty: raw,
      sizes,
    },
    close,
  };
}

/** After the first write that fails, which is logged, the session goes on and the rest of its output is lost. */
function copyToStdout({ out, err }: Streams, { clock, pid }: SessionStreamsHost): (chunk: Uint8Array) => Promise<void> {
  let failed = false;
  return async (chunk) => {
    if (failed) return;
    try {
      await deliverOutput(out, chunk);
    } catch (error) {
      failed = true;
      err.write(klogError("v2.go:151", "Copying stdout failed", errorMessage(error), new Date(clock.now()), pid));
    }
  };
}
