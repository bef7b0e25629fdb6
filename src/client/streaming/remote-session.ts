import type { ByteStream } from "../../machinery/wire/streams/byte-stream.js";
import { ChannelConnection } from "../../machinery/wire/streams/channel-connection.js";
import {
  CHANNEL,
  CHANNEL_PROTOCOLS,
  encodeTerminalSize,
  remoteCommandError,
  STREAM_TYPE,
  V1,
  V2,
  V3,
} from "../../machinery/wire/streams/remote-command.js";
import type { OpenedSpdy } from "./open-spdy.js";
import type { OpenedWebSocket } from "./open-web-socket.js";
import type { RemoteCommandStreams } from "./remote-command.js";

/** The streams of a remote command, over whatever protocol. */
export interface RemoteSession {
  readonly error: ByteStream;
  readonly stdin: ByteStream | undefined;
  readonly stdout: ByteStream | undefined;
  readonly stderr: ByteStream | undefined;
  readonly resize: ByteStream | undefined;
  /** The error that the content of the error stream stands for. Not called for an empty stream. */
  decode(message: Uint8Array): Error | undefined;
  /** Why the connection broke, in client-go's words. */
  reasonOf(fault: Error): string;
  close(): Promise<void>;
}

/** The session in the channels of a WebSocket with protocol 5. */
export function webSocketSession({ webSocket, reasonOf }: OpenedWebSocket): RemoteSession {
  const [protocol] = CHANNEL_PROTOCOLS;
  if (protocol === undefined) throw new Error("there is no protocol");
  const readable = [CHANNEL.stdout, CHANNEL.stderr, CHANNEL.error];
  const connection = new ChannelConnection(webSocket, { protocol, readable, role: "client" });
  return {
    error: connection.channel(CHANNEL.error),
    stdin: connection.channel(CHANNEL.stdin),
    stdout: connection.channel(CHANNEL.stdout),
    stderr: connection.channel(CHANNEL.stderr),
    resize: connection.channel(CHANNEL.resize),
    decode: remoteCommandError,
    reasonOf: (fault) => {
      // What the channels find wrong is no fault of the WebSocket.
      if (fault !== webSocket.fault) return fault.message;
      return `${connection.inMessage ? "read message" : "next reader"}: ${reasonOf(fault)}`;
    },
    close: () => connection.close(),
  };
}

/** The session in streams of a SPDY connection, all opened before any is used, as servers expect it. */
export async function spdySession(
  { connection, protocol, reasonOf }: OpenedSpdy,
  wanted: RemoteCommandStreams,
): Promise<RemoteSession> {
  const plain = [V1, V2, V3, ""].includes(protocol);
  const open = (type: string, needed: boolean): Promise<ByteStream> | undefined =>
    needed ? connection.open({ [STREAM_TYPE]: type }) : undefined;
  try {
    // They are sent in this order. A terminal has one output, and its size has a stream since protocol 3.
    const [error, stdin, stdout, stderr, resize] = await Promise.all([
      connection.open({ [STREAM_TYPE]: "error" }),
      open("stdin", wanted.stdin !== undefined),
      open("stdout", wanted.stdout !== undefined),
      open("stderr", wanted.stderr !== undefined && !wanted.tty),
      open("resize", wanted.tty && ![V1, V2, ""].includes(protocol)),
    ]);
    return {
      error,
      stdin,
      stdout,
      stderr,
      resize,
      decode: plain
        ? (message) => new Error(`error executing remote command: ${Buffer.from(message).toString("utf8")}`)
        : remoteCommandError,
      reasonOf,
      close: () => connection.close(),
    };
  } catch (error) {
    void connection.close();
    throw error instanceof Error ? new Error(reasonOf(error), { cause: error }) : error;
  }
}

/** Copies the streams until the command has ended and its output is written. */
export async function runSession(session: RemoteSession, streams: RemoteCommandStreams): Promise<void> {
  const { tty } = streams;
  const leaving: (() => void)[] = [];
  const message = readMessage(session.error);
  try {
    if (tty && streams.sizes !== undefined && session.resize !== undefined) {
      void send(mapped(streams.sizes, encodeTerminalSize), session.resize, leaving).catch(() => {});
    }
    if (streams.stdin !== undefined && session.stdin !== undefined) {
      const { stdin } = session;
      // The program may end without reading all of its input.
      const finish = (): Promise<void> => stdin.end();
      void send(streams.stdin, stdin, leaving).then(finish, finish);
    }
    await Promise.all([
      copyOutput(session.stdout, streams.stdout),
      copyOutput(session.stderr, tty ? undefined : streams.stderr),
    ]);
    const { bytes, fault } = await message;
    if (fault !== undefined) {
      throw new Error(`error reading from error stream: ${session.reasonOf(fault)}`, { cause: fault });
    }
    const error = bytes.length > 0 ? session.decode(bytes) : undefined;
    if (error !== undefined) throw error;
  } finally {
    for (const leave of leaving) leave();
    void session.close();
  }
}

/** Writes what comes from a source. `leaving` gets the function that leaves the source. */
async function send(source: AsyncIterable<Uint8Array>, target: ByteStream, leaving: (() => void)[]): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  // The source may answer only when its next piece comes.
  leaving.push(() => void Promise.resolve(iterator.return?.()).catch(() => {}));
  for (;;) {
    const { done, value } = await iterator.next();
    if (done === true) return;
    await target.write(value);
  }
}

async function* mapped<T, U>(source: AsyncIterable<T>, map: (value: T) => U): AsyncGenerator<U> {
  for await (const value of source) yield map(value);
}

/** Throws what the writer throws. That the connection broke is for the error stream to say. */
async function copyOutput(
  stream: ByteStream | undefined,
  write: ((chunk: Uint8Array) => Promise<void>) | undefined,
): Promise<void> {
  if (stream === undefined) return;
  const iterator = stream[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<Uint8Array>;
    try {
      next = await iterator.next();
    } catch {
      return;
    }
    if (next.done === true) return;
    await write?.(next.value);
  }
}

/** A Status is short; more than this of the error stream is dropped. */
const LARGEST_MESSAGE = 4 * 1024 * 1024;

async function readMessage(
  stream: ByteStream,
): Promise<{ readonly bytes: Uint8Array; readonly fault: Error | undefined }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length <= LARGEST_MESSAGE) chunks.push(chunk);
    }
  } catch (error) {
    return { bytes: new Uint8Array(), fault: error instanceof Error ? error : new Error(String(error)) };
  }
  return { bytes: Buffer.concat(chunks), fault: undefined };
}
