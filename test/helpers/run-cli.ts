import { spawn } from "node:child_process";
import { PassThrough, Readable } from "node:stream";
import type { RunProgram } from "../../src/cli/connect/factory.js";
import { type MainOptions, main } from "../../src/main.js";

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliSurroundings
  extends Partial<
    Pick<MainOptions, "env" | "cwd" | "platform" | "clock" | "signal" | "program" | "runPlugin" | "runProgram">
  > {
  readonly stdin?: string;
  /** What a person types: as `stdin`, which pretends to be a terminal. */
  readonly typed?: string;
  /** Pretends that stdout and stderr are a terminal of 80 columns, or of as many as it says. */
  readonly terminal?: boolean | number;
}

/** A command line that runs until it is stopped. */
export interface RunningCli {
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Stops it as Ctrl-C does, and gives back all that it wrote. */
  interrupt(): Promise<CliResult>;
}

/** Runs a command line in this process, called kubectl unless told otherwise, and gives back what it wrote. */
export function runCli(argv: readonly string[], surroundings?: CliSurroundings): Promise<CliResult> {
  return begin(argv, surroundings).ended;
}

/** Begins a command line of the same kind. */
export function startCli(argv: readonly string[], surroundings?: Omit<CliSurroundings, "signal">): RunningCli {
  const stopping = new AbortController();
  const { stdout, stderr, ended } = begin(argv, { ...surroundings, signal: stopping.signal });
  return {
    stdout,
    stderr,
    interrupt() {
      stopping.abort(new Error("SIGINT"));
      return ended;
    },
  };
}

function begin(
  argv: readonly string[],
  { typed, stdin = typed ?? "", terminal = false, ...surroundings }: CliSurroundings = {},
) {
  const out = new PassThrough();
  const err = new PassThrough();
  let stdout = "";
  let stderr = "";
  out.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  err.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const columns = terminal === true ? 80 : terminal;
  if (columns !== false) for (const stream of [out, err]) Object.assign(stream, { isTTY: true, columns });
  const input = Object.assign(Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]), { isTTY: typed !== undefined });
  const run = async (): Promise<CliResult> => {
    const code = await main({
      argv,
      streams: { in: input, out, err },
      env: { HOME: "/nonexistent", KUBECONFIG: "/nonexistent/config" },
      cwd: process.cwd(),
      platform: "linux",
      program: "kubectl",
      runProgram: piped(out, err, surroundings),
      ...surroundings,
    });
    await new Promise(setImmediate);
    return { code, stdout, stderr };
  };
  return { stdout: () => stdout, stderr: () => stderr, ended: run() };
}

/** Programs that are started write into the streams of the command. */
function piped(out: PassThrough, err: PassThrough, { env, cwd }: CliSurroundings): RunProgram {
  return (file, args) =>
    new Promise((resolve, reject) => {
      const child = spawn(file, [...args], { env: { ...env }, cwd, stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.pipe(out, { end: false });
      child.stderr.pipe(err, { end: false });
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code: code ?? -1, signal: signal ?? undefined }));
    });
}
