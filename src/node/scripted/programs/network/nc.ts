import { deferred } from "../../../../base/async/deferred.js";
import type { ByteStream } from "../../../../machinery/wire/streams/byte-stream.js";
import { byteStreamOf } from "../../../../machinery/wire/streams/duplexes.js";
import { BytePipe } from "../../../byte-pipe.js";
import { ConnectError, ForeignHostError, NameError } from "../../../network/pod-network.js";
import type { Program, ProgramIo } from "../../program.js";
import { gnuProgram, type ParsedOptions, ProgramFailure, UsageError } from "../gnu-program.js";
import { reach, standsInFor, TimeLimitError, timeLimit } from "./reach.js";

const USAGE = "Usage: nc [-lkvzn] [-p PORT] [-w SECONDS] [-e PROG] [HOST] [PORT]";

/** nc: connects to a port, or with -l accepts connections to the pod's port, and copies bytes in both directions. */
export const nc: Program = gnuProgram({ letters: "lkvznp:w:e:Nq:46", usage: USAGE }, async (io, options) => {
  const { has, operands, value } = options;
  if (has("l")) {
    const port = portNumber(value("p") ?? operands.at(-1));
    return has("k") && value("e") !== undefined ? serveAll(io, options, port) : serveOne(io, options, port);
  }
  const [host, port] = operands;
  if (host === undefined || port === undefined) throw new UsageError();
  return connect(io, options, host, portNumber(port));
});

function portNumber(text: string | undefined): number {
  if (text === undefined) throw new UsageError();
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > LAST_PORT) throw new ProgramFailure(`bad port '${text}'`);
  return port;
}

const LAST_PORT = 65_535;

async function connect(io: ProgramIo, options: ParsedOptions, host: string, port: number): Promise<number> {
  const limit = timeLimit(io, Number(options.value("w") ?? 0));
  let tried = host;
  const onAddress = (address: string): void => void (tried = address);
  try {
    const { connection, address } = await reach(io, host, port, { signal: limit.signal, onAddress });
    if (options.has("v")) await io.stderr.write(`${host} (${address}:${port}) open\n`);
    if (options.has("z")) connection.destroy();
    else await pass(io, byteStreamOf(connection), options.value("e"));
    return 0;
  } catch (error) {
    if (standsInFor(io, error, `${host}:${port}`)) return 0;
    if (error instanceof NameError || error instanceof ForeignHostError) throw new ProgramFailure(error.message);
    if (error instanceof TimeLimitError) throw new ProgramFailure("timed out");
    if (!(error instanceof ConnectError)) throw error;
    throw new ProgramFailure(`can't connect to remote host (${tried}): ${error.message}`);
  } finally {
    limit.cancel();
  }
}

/** Takes one connection, and ends with it. */
async function serveOne(io: ProgramIo, options: ParsedOptions, port: number): Promise<number> {
  const limit = timeLimit(io, Number(options.value("w") ?? 0));
  const served = deferred<void>();
  limit.signal.addEventListener("abort", () => served.reject(new ProgramFailure("timed out")), { once: true });
  let isTaken = false;
  listen(io, port, async (connection) => {
    if (isTaken) return connection.destroy();
    isTaken = true;
    limit.cancel();
    await pass(io, connection, options.value("e")).then(served.resolve, served.reject);
  });
  await served.promise;
  return 0;
}

/** Runs the program of -e for each connection, until a signal ends it. */
async function serveAll(io: ProgramIo, options: ParsedOptions, port: number): Promise<number> {
  listen(io, port, (connection) => pass(io, connection, options.value("e")));
  return new Promise((resolve) => io.signal.addEventListener("abort", () => resolve(0), { once: true }));
}

function listen(io: ProgramIo, port: number, answer: (connection: ByteStream) => void | Promise<void>): void {
  try {
    io.listen(port, answer);
  } catch {
    throw new ProgramFailure("bind: Address already in use");
  }
}

/** Passes on what comes from both sides until both have finished, or lets a program do it. */
async function pass(io: ProgramIo, connection: ByteStream, program: string | undefined): Promise<void> {
  if (program !== undefined) return passProgram(io, connection, program);
  const sent = (async () => {
    for await (const chunk of io.stdin) await connection.write(chunk);
    await connection.end();
  })();
  // The other end may be gone: what it has sent is read all the same.
  const ended = sent.catch(() => {});
  for await (const chunk of connection) await io.stdout.write(chunk);
  // An end that sends nothing may finish at once, and still wait for what comes. Nobody waits for a person who types.
  if (io.terminal === undefined) await ended;
  await connection.end();
}

async function passProgram(io: ProgramIo, connection: ByteStream, program: string): Promise<void> {
  const stdin = new BytePipe();
  const output = (chunk: Uint8Array): Promise<void> => connection.write(chunk);
  const child = io.spawn(["sh", "-c", program], { stdin, stdout: output, stderr: output });
  void (async () => {
    try {
      for await (const chunk of connection) await stdin.write(chunk);
    } catch {
      // The program reads no more, or the connection broke.
    }
    stdin.end();
  })();
  await child.exited;
  await connection.end();
}
