import { once } from "./base/async/once.js";
import { type CommandFiles, machineFiles } from "./base/files/command-files.js";
import { basename } from "node:path";
import type { Writable } from "node:stream";
import { type Clock, systemClock } from "./base/time/clock.js";
import { calledAs } from "./base/files/own-program.js";
import type { Random } from "./base/numbers/random.js";
import { Colours, lookOf } from "./cli/terminal/colour.js";
import { createFactory } from "./cli/connect/create-factory.js";
import { dispatch } from "./cli/dispatch.js";
import type { RunProgram, Streams } from "./cli/connect/factory.js";
import type { CommandConduct, Host } from "./cli/connect/host.js";
import { guardTerminal } from "./cli/terminal/terminal-output.js";
import { watchedOutput } from "./cli/terminal/watched-output.js";
import { root } from "./commands/root.js";

export interface MainOptions {
  /** What follows the program's name. */
  readonly argv: readonly string[];
  readonly streams: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What paths of the command line name. Default: this machine's files. */
  readonly files?: CommandFiles;
  /** What requests reach in place of the machine's network. */
  readonly hosts?: Host["hosts"];
  /** Which credential plugins may run. Default: those that the user's preferences allow. */
  readonly pluginPolicy?: Host["pluginPolicy"];
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** How the program calls itself. Default: what KUBETS_PROGRAM says, else "kubets". */
  readonly program?: string;
  /** Ends the command. */
  readonly signal?: AbortSignal;
  /** Shown in log lines. Default: this process's. */
  readonly pid?: number;
  readonly runPlugin?: (file: string, args: readonly string[]) => Promise<number>;
  /** Default: the program shares the streams of this process. */
  readonly runProgram?: RunProgram;
  /** True: this process runs nothing but this command, which may change what is global. */
  readonly ownsProcess?: boolean;
  readonly onCommand?: (command: CommandConduct) => void;
  readonly onHandlesSignals?: () => void;
  /** Told that `signal` has ended what the command was doing, which has said nothing of it. */
  readonly onInterrupted?: () => void;
}

/** Loads node:crypto on first use: few commands need it, and the global `crypto` would load web crypto as well. */
const processRandom: Random = { bytes: (length) => process.getBuiltinModule("node:crypto").randomBytes(length) };

/**
 * Runs one command line and returns its exit code. Never throws, never exits, touches no global: tests run it in their
 * own process, several at once.
 */
export async function main(options: MainOptions): Promise<number> {
  const { env, random = processRandom } = options;
  const colours = new Colours(env, random);
  const streams = guarded(options.streams, colours);
  const host = {
    program: options.program ?? (env["KUBETS_PROGRAM"] === "kubectl" ? "kubectl" : "kubets"),
    streams,
    env,
    colours,
    cwd: options.cwd,
    files: options.files ?? machineFiles,
    ...(options.hosts && { hosts: options.hosts }),
    ...(options.pluginPolicy && { pluginPolicy: options.pluginPolicy }),
    platform: options.platform ?? process.platform,
    arch: options.arch ?? process.arch,
    clock: options.clock ?? systemClock,
    random,
    pid: options.pid ?? process.pid,
    signal: options.signal ?? new AbortController().signal,
    runPlugin:
      options.runPlugin ??
      (async (file, args) => (await import("./cli/spawn-program.js")).spawnPlugin(file, args, env)),
    runProgram:
      options.runProgram ??
      (async (file, args) =>
        (await import("./cli/spawn-program.js")).spawnProgram(file, args, { env, cwd: options.cwd })),
    ownsProcess: options.ownsProcess ?? false,
    ...(options.onCommand !== undefined && { onCommand: options.onCommand }),
    ...(options.onHandlesSignals !== undefined && { onHandlesSignals: options.onHandlesSignals }),
  };
  try {
    await dispatch(root, options.argv, host, createFactory);
    return 0;
  } catch (error) {
    if (host.signal.aborted && error === host.signal.reason) {
      options.onInterrupted?.();
      return INTERRUPTED;
    }
    if (host.signal.aborted && isAbort(error)) return 1;
    const { reportError } = await import("./cli/error-boundary.js");
    const report = reportError(error, streams.err.isTTY === true);
    if (report.text !== "") {
      const { paint } = await lookOf(streams.err, host.colours);
      streams.err.write(paint === undefined ? report.text : paint.error(report.text));
    }
    return report.code;
  }
}

/** The same streams; text for a terminal goes through `guardTerminal`. None is opened before it is used. */
const guarded = (streams: Streams, { codes }: Colours): Streams => ({
  get in() {
    return streams.in;
  },
  get out() {
    return guardTerminal(streams.out, codes);
  },
  get err() {
    return guardTerminal(streams.err, codes);
  },
});

/**
 * What bin/kubets.js calls: the real process, its streams and signals. Ends the process, or resolves to the exit code
 * while output is still on its way.
 */
export async function runProcess(proc: NodeJS.Process): Promise<number> {
  return new CommandProcess(proc).run();
}

/** A process that runs one command, and what happens to it meanwhile. */
class CommandProcess {
  readonly #proc: NodeJS.Process;
  readonly #ending = new AbortController();
  /** Undefined until the command is known. */
  #command: CommandConduct | undefined;
  /** The command ends what it does at a signal, or has others do so. */
  #waits = false;
  #ended: NodeJS.Signals | undefined;
  #wasInterrupted = false;
  #pipeClosed = false;
  #lost: NodeJS.ErrnoException | undefined;
  readonly #out = once(() =>
    watchedOutput(this.#proc.stdout, 1, (error) => {
      this.#lost = error;
      this.#endOnClosedPipe(error);
    }),
  );
  readonly #err = once(() => watchedOutput(this.#proc.stderr, 2, (error) => this.#endOnClosedPipe(error)));

  constructor(proc: NodeJS.Process) {
    this.#proc = proc;
  }

  async run(): Promise<number> {
    this.#handleSignals();
    // A raw terminal is given back before Node prints what has crashed.
    this.#proc.on("uncaughtExceptionMonitor", (error) => this.#ending.abort(error));
    const code = await this.#runCommand();
    return this.#end(await this.#reportLostOutput(code));
  }

  #handleSignals(): void {
    const proc = this.#proc;
    for (const signal of ENDING_SIGNALS) {
      // Windows has no SIGQUIT.
      if (signal === "SIGQUIT" && proc.platform === "win32") continue;
      proc.on(signal, () => {
        const secondCode = this.#command?.secondSignalCode;
        if (this.#ended !== undefined && secondCode !== undefined) proc.exit(secondCode);
        if (!this.#waits || this.#ended !== undefined) dieOf(proc, signal);
        this.#ended = signal;
        this.#ending.abort(new Error(signal));
      });
    }
    // As kubectl, which ignores the signal. Without a listener Node opens its debugger.
    if (proc.platform !== "win32") proc.on("SIGUSR1", () => undefined);
  }

  #endOnClosedPipe(error: NodeJS.ErrnoException): void {
    if (error.code !== "EPIPE" && error.code !== "EOF") return;
    // The reader of the output is gone: stop quietly, as a process killed by SIGPIPE does.
    this.#pipeClosed = true;
    this.#ending.abort(error);
    if (!this.#waits) this.#proc.exit(BROKEN_PIPE);
  }

  #runCommand(): Promise<number> {
    const [proc, out, err] = [this.#proc, this.#out, this.#err];
    return main({
      argv: proc.argv.slice(2),
      // Opening a stream takes time: only those that are used are opened.
      streams: {
        get in() {
          return proc.stdin;
        },
        get out() {
          return out();
        },
        get err() {
          return err();
        },
      },
      env: proc.env,
      cwd: proc.cwd(),
      ...programOf(proc),
      signal: this.#ending.signal,
      ownsProcess: true,
      // The process dies of the signal, as kubectl does.
      onInterrupted: () => (this.#wasInterrupted = true),
      onCommand: (command) => {
        this.#command = command;
        this.#waits = command.handled;
      },
      onHandlesSignals: () => (this.#waits = true),
    });
  }

  /** Says that output was lost which must arrive, and fails then. */
  async #reportLostOutput(code: number): Promise<number> {
    if (this.#lost === undefined || this.#pipeClosed || this.#command?.outputMustArrive !== true || code !== 0) {
      return code;
    }
    const { PathError } = await import("./base/files/path-error.js");
    this.#err().write(`error: ${new PathError("write", "/dev/stdout", this.#lost).message}\n`);
    return 1;
  }

  async #end(code: number): Promise<number> {
    const proc = this.#proc;
    const opened = [this.#out, this.#err].flatMap(({ made }) => (made === undefined ? [] : [made.value]));
    const signal = this.#ended;
    if (signal !== undefined && (this.#wasInterrupted || (code === 0 && !this.#keepsCodeAfter(signal)))) {
      await Promise.all(opened.map(flushed));
      dieOf(proc, signal);
    }
    proc.exitCode = this.#pipeClosed ? BROKEN_PIPE : code;
    // Taking everything down in order costs milliseconds, and there is nothing left to save once the output is written.
    if (opened.every(({ writableLength }) => writableLength === 0)) proc.exit();
    return proc.exitCode;
  }

  #keepsCodeAfter(signal: NodeJS.Signals): boolean {
    const keeps = this.#command?.ownExitCode ?? false;
    return typeof keeps === "boolean" ? keeps : keeps.includes(signal);
  }
}

/** Resolves once the stream has passed on what was written to it, or has failed. */
async function flushed(stream: Writable): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed || stream.errored) return;
  await new Promise<void>((done) => {
    stream.once("close", done);
    stream.write("", () => done());
  });
}

const BROKEN_PIPE = 141;
const INTERRUPTED = 130;
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
const SIGNAL_CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGQUIT: 131,
  SIGTERM: 143,
};

/**
 * Ends as the signal itself would have, so that a shell sees which one it was: bash ends a loop only after a program that died of SIGINT.
 * Linux spares the first process of a container, which exits with the signal's code, as on Windows.
 */
function dieOf(proc: NodeJS.Process, signal: NodeJS.Signals): never {
  proc.removeAllListeners(signal);
  if (proc.platform !== "win32") proc.kill(proc.pid, signal);
  proc.exit(SIGNAL_CODES[signal] ?? 1);
}

/** A link or a copy named kubectl makes the program call itself so. */
function programOf(proc: NodeJS.Process): { readonly program?: string } {
  return basename(calledAs(proc)).replace(/\.(js|mjs|exe|cmd)$/, "") === "kubectl" ? { program: "kubectl" } : {};
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.message.startsWith("SIG"));
}
