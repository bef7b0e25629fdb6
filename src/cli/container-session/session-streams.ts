import type { RemoteCommandStreams } from "../../client/streaming/remote-command.js";
import type { TerminalSize } from "../../machinery/wire/streams/remote-command.js";
import type { Factory, Streams } from "../connect/factory.js";
import { errorMessage } from "../../base/text/error-message.js";
import { klogError } from "../../machinery/text/klog/klog.js";
import { deliverOutput, writeOutput } from "../write-output.js";
import { enterRawMode, type TerminalHost, StandardInput } from "./standard-input.js";

/**
 * Yields the sizes of the terminal behind stdout: the `first` ones at once, then a new one after each change until `stop`. A slow reader
 * gets only the newest.
 */
class TerminalSizes implements AsyncIterable<TerminalSize> {
  readonly #out: Streams["out"];
  readonly #waiting: TerminalSize[];
  #stopped = false;
  #wake: () => void = () => undefined;
  readonly #resized = (): void => {
    const size = sizeOf(this.#out);
    if (size === undefined) return;
    this.#waiting.splice(0, this.#waiting.length, size);
    this.#wake();
  };

  constructor(out: Streams["out"], first: readonly TerminalSize[]) {
    this.#out = out;
    this.#waiting = [...first];
    out.on("resize", this.#resized);
  }

  stop(): void {
    this.#stopped = true;
    this.#out.off("resize", this.#resized);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TerminalSize, void> {
    while (!this.#stopped) {
      const size = this.#waiting.shift();
      if (size !== undefined) yield size;
      else await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}

/** Undefined where stdout is no terminal. */
function sizeOf({ isTTY, columns, rows }: Streams["out"]): TerminalSize | undefined {
  if (isTTY !== true || columns === undefined || rows === undefined) return undefined;
  return { width: columns, height: rows };
}

/** The parts of the factory that the streams need: the programs of the terminal, and the beginning of log lines. */
export type SessionStreamsHost = TerminalHost & Pick<Factory, "clock" | "pid">;

export interface SessionStreamsOptions {
  readonly streams: Streams;
  readonly stdin: boolean;
  /** Whether the user asks for a terminal; {@link isRaw} says whether there is one. */
  readonly raw: boolean;
  /** Returns the first sizes of the remote terminal. Default: the size of the local one. */
  readonly firstSizes?: (size: TerminalSize) => readonly TerminalSize[];
  readonly host: SessionStreamsHost;
  /** Restores the terminal and ends the input when it aborts. */
  readonly signal: AbortSignal;
}

/** The streams of a program in a container, until they are closed. */
export interface SessionStreams {
  readonly streams: RemoteCommandStreams;
  /** Restores the terminal and stops reading input. May be called again. */
  close(): void;
}

export const NO_TERMINAL = "Unable to use a TTY - input is not a terminal or the right kind of file";

/** Returns whether a session has a terminal: the user asks for one with -i and -t, and stdin is one. `say` reports that it is not. */
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
      err.write(
        klogError(
          { source: "v2.go:151", message: "Copying stdout failed", error: errorMessage(error) },
          new Date(clock.now()),
          pid,
        ),
      );
    }
  };
}
