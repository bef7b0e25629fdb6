import { isIP, Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { CommandFiles } from "../../../../base/files/command-files.js";
import type { Random } from "../../../../base/numbers/random.js";
import type { Clock } from "../../../../base/time/clock.js";
import { ConnectError, ForeignHostError, NameError } from "../../../network/pod-network.js";
import type { Program, ProgramIo, ProgramOutput } from "../../program.js";
import { containerFiles } from "./container-files.js";

/** One command line of kubectl in a container, with everything that it may use. */
export interface KubectlCall {
  /** Without the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly files: CommandFiles;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Connects to the API of the cluster. Rejects for every other host, in Go's words and with the error's `code`. */
  readonly connect: (host: string, port: number, signal?: AbortSignal) => Promise<Socket>;
  readonly clock: Clock;
  readonly random: Random;
  readonly pid: number;
  /** Aborts when the container's program ends. */
  readonly signal: AbortSignal;
}

/** Runs a command line and resolves with its exit code. */
export type RunKubectl = (call: KubectlCall) => Promise<number>;

/** What a command that runs counts against its container's memory, in bytes. */
const COMMAND_BYTES = 4 * 1024 * 1024;

/**
 * kubectl in a container: this program's own command line, which `load` loads when it is called for the first time. It has the files, the
 * environment and the streams of the container, and reaches the API alone, as a client of the Service "kubernetes".
 */
export const kubectl =
  (load: () => Promise<RunKubectl>, random: Random): Program =>
  async (io) => {
    io.memory.take(COMMAND_BYTES);
    const run = await load();
    const ending = new AbortController();
    const outputs = [io.stdout, io.stderr].map((target) => outputTo(target, (error) => ending.abort(error)));
    const [stdout, stderr] = outputs as [Writable, Writable];
    const stdin = Readable.from(io.stdin, { objectMode: false });
    const code = await run({
      argv: io.args,
      env: io.env,
      cwd: io.cwd,
      files: await containerFiles(io),
      stdin,
      stdout,
      stderr,
      connect: (host, port, signal) => connectApi(io, host, port, signal),
      clock: io.clock,
      random,
      pid: io.pid,
      signal: AbortSignal.any([io.signal, ending.signal]),
    });
    stdin.destroy();
    await Promise.all(outputs.map(flushed));
    return code;
  };

/** What fails to be written ends the command: its reader has gone. */
function outputTo(target: ProgramOutput, failed: (error: Error) => void): Writable {
  const output = new Writable({
    write: (chunk: Uint8Array, _, done) => void target.write(chunk).then(() => done(), done),
  });
  return output.on("error", failed);
}

/** Resolves once all is written; rejects with why it is not. */
async function flushed(output: Writable): Promise<void> {
  output.end();
  await finished(output);
}

async function connectApi(io: ProgramIo, host: string, port: number, signal?: AbortSignal): Promise<Socket> {
  let address: string | undefined;
  try {
    [address] = (await io.network.lookup(host)).addresses;
    if (address === undefined) throw new NameError(host);
    if (await io.network.isApi(address, port)) {
      const connection = await io.network.connect(address, port, signal);
      if (connection instanceof Socket) return connection;
    }
    // The container's network says how it refuses the address; kubectl sends nothing to what answers there.
    (await io.network.connect(address, port, signal)).destroy();
    throw new ConnectError("Connection refused");
  } catch (error) {
    if (error instanceof ConnectError) {
      const [text, code] = CONNECT_FAILURES[error.message];
      throw failure(`dial tcp ${address ?? host}:${port}: connect: ${text}`, code);
    }
    if (!(error instanceof NameError || error instanceof ForeignHostError)) throw error;
    if (isIP(host) !== 0) throw failure(`dial tcp ${host}:${port}: connect: network is unreachable`, "ENETUNREACH");
    throw failure(`dial tcp: lookup ${host} on ${io.network.dnsAddress}:53: no such host`, "ENOTFOUND");
  }
}

const CONNECT_FAILURES = {
  "Connection refused": ["connection refused", "ECONNREFUSED"],
  "No route to host": ["no route to host", "EHOSTUNREACH"],
  "Connection timed out": ["connection timed out", "ETIMEDOUT"],
} as const satisfies Readonly<Record<ConnectError["message"], readonly [text: string, code: string]>>;

const failure = (message: string, code: string): Error => Object.assign(new Error(message), { code });
