import { errorMessage } from "../../base/text/error-message.js";
import type { Timers } from "../../base/time/timers.js";
import { internalError } from "../../machinery/errors/status-error.js";
import { exitStatus, type TerminalSize } from "../../machinery/wire/streams/remote-command.js";
import type { ByteStream } from "../../machinery/wire/streams/byte-stream.js";
import type { ProcessStreams } from "../container-runtime.js";
import { HttpError } from "./http-error.js";
import { openSession, type Session, type SessionStreams } from "./session.js";
import type { UpgradeRequest } from "./upgrade.js";
import { isJsonObject } from "../../machinery/meta/json.js";

/** Reads the streams that a request to /exec or /attach asks for. Throws a 400 when it asks for none. */
export function streamsOf({ searchParams }: URL): SessionStreams {
  const asks = (name: string): boolean => searchParams.get(name) === "1";
  const tty = asks("tty");
  const streams = { stdin: asks("input"), stdout: asks("output"), stderr: asks("error") && !tty, tty };
  if (!streams.stdin && !streams.stdout && !streams.stderr) {
    throw new HttpError(400, "you must specify at least 1 of stdin, stdout, stderr");
  }
  return streams;
}

/**
 * Upgrades the connection, runs `program` with the client's streams, and reports its end on the error stream: the exit code, or
 * its failure, for which `failure` makes the text.
 */
export async function serveRemoteCommand(
  upgrade: UpgradeRequest,
  streams: SessionStreams,
  timers: Timers,
  program: (streams: ProcessStreams) => Promise<number>,
  failure: string,
): Promise<void> {
  const session = await openSession(upgrade, streams, timers);
  if (session === undefined) return;
  let status: unknown;
  let message = "";
  try {
    const code = await program(processStreams(session, streams));
    status = exitStatus(code);
    if (code !== 0) message = `command terminated with non-zero exit code: command terminated with exit code ${code}`;
  } catch (error) {
    ({ status, message } = internalError(`${failure}: ${errorMessage(error)}`));
  }
  if (session.gone.aborted) return;
  const words = session.hasStatus ? JSON.stringify(status) : message;
  if (words !== "") await session.error.write(Buffer.from(words)).catch(() => {});
  await session.finish();
}

function processStreams({ stdin, stdout, stderr, resize, gone }: Session, { tty }: SessionStreams): ProcessStreams {
  const writer = (stream: ByteStream) => (chunk: Uint8Array) => stream.write(chunk);
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout: writer(stdout) }),
    ...(stderr && { stderr: writer(stderr) }),
    tty,
    ...(tty && resize && { sizes: sizesOf(resize) }),
    signal: gone,
  };
}

async function* sizesOf(resize: ByteStream): AsyncGenerator<TerminalSize, void, undefined> {
  try {
    yield* terminalSizes(resize);
  } catch {
    // The client is gone.
  }
}

/** No size is longer. */
const LONGEST = 1024;

/** Reads a resize stream: JSON objects one after another, with or without line breaks. Ends at what is no size. */
async function* terminalSizes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TerminalSize, void, undefined> {
  let pending = "";
  for await (const chunk of chunks) {
    pending += Buffer.from(chunk).toString("latin1");
    for (let end = pending.indexOf("}"); end >= 0; end = pending.indexOf("}")) {
      const size = sizeOf(pending.slice(0, end + 1));
      if (size === undefined) return;
      yield size;
      pending = pending.slice(end + 1);
    }
    if (pending.length > LONGEST) return;
  }
}

function sizeOf(text: string): TerminalSize | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  // Go's decoder does not mind the case of names.
  const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name.toLowerCase(), field]));
  const { width, height } = fields;
  const valid = (one: unknown): one is number =>
    Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 0xffff;
  return valid(width) && valid(height) ? { width, height } : undefined;
}
