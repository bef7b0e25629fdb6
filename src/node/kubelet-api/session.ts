import type { Duplex } from "node:stream";
import type { Timers } from "../../base/time/timers.js";
import { ChannelConnection } from "../../machinery/wire/streams/channel-connection.js";
import type { ByteStream, MultiplexedConnection } from "../../machinery/wire/streams/byte-stream.js";
import {
  CHANNEL,
  CHANNEL_PROTOCOLS,
  type StreamType,
  V1,
  V2,
  V3,
  V4,
} from "../../machinery/wire/streams/remote-command.js";
import { spdyConnection } from "../../machinery/wire/spdy/spdy-connection.js";
import { acceptSpdy, acceptWebSocket, asksForWebSocket, type UpgradeRequest } from "./upgrade.js";

/** The streams of an exec or attach that a client has opened, over SPDY or a WebSocket. */
export interface Session {
  readonly stdin: ByteStream | undefined;
  readonly stdout: ByteStream | undefined;
  readonly stderr: ByteStream | undefined;
  readonly resize: ByteStream | undefined;
  /** Takes a Status in JSON, or plain text in protocols before 4. */
  readonly error: ByteStream;
  readonly hasStatus: boolean;
  /** Aborts when the connection is over. */
  readonly gone: AbortSignal;
  /** Tells the client that nothing more will be written, and closes when the client has read everything. */
  finish(): Promise<void>;
}

/** The streams that a request asks for. */
export interface SessionStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** How long a client may take to read the last output: 15 minutes, as kubelets wait. */
const FINISH_MS = 15 * 60_000;
/** How long a client may take to open its streams over SPDY. */
const CREATION_MS = 30_000;

const SPDY_PROTOCOLS = [V4, V3, V2, V1];

/** Upgrades the connection and waits for the streams. Throws an HttpError before the upgrade; undefined when the streams do not arrive. */
export async function openSession(
  upgrade: UpgradeRequest,
  streams: SessionStreams,
  timers: Timers,
): Promise<Session | undefined> {
  return asksForWebSocket(upgrade) ? webSocketSession(upgrade, streams, timers) : spdySession(upgrade, streams, timers);
}

async function webSocketSession(upgrade: UpgradeRequest, streams: SessionStreams, timers: Timers): Promise<Session> {
  const { webSocket, protocol } = acceptWebSocket(upgrade, CHANNEL_PROTOCOLS);
  const readable = streams.stdin ? [CHANNEL.stdin, CHANNEL.resize] : [CHANNEL.resize];
  const connection = new ChannelConnection(webSocket, { protocol, readable, role: "server" });
  const gone = goneSignal(connection.closed);
  const channel = (asked: boolean, number: number): ByteStream | undefined =>
    asked ? connection.channel(number) : undefined;
  const error = connection.channel(CHANNEL.error);
  const [stdout, stderr] = [channel(streams.stdout, CHANNEL.stdout), channel(streams.stderr, CHANNEL.stderr)];
  // The client learns that the session has begun.
  await (stdout ?? stderr ?? error).write(new Uint8Array()).catch(() => {});
  return {
    stdin: channel(streams.stdin, CHANNEL.stdin),
    stdout,
    stderr,
    resize: channel(true, CHANNEL.resize),
    error,
    hasStatus: protocol.status,
    gone,
    async finish() {
      await drained(upgrade.socket, gone, timers);
      await connection.close();
    },
  };
}

async function spdySession(
  upgrade: UpgradeRequest,
  streams: SessionStreams,
  timers: Timers,
): Promise<Session | undefined> {
  const protocol = acceptSpdy(upgrade, SPDY_PROTOCOLS, V1);
  const connection = spdyConnection(upgrade.socket, { role: "server" });
  const resizes = streams.tty && (protocol === V4 || protocol === V3);
  const wanted: StreamType[] = [
    "error",
    ...(streams.stdin ? (["stdin"] as const) : []),
    ...(streams.stdout ? (["stdout"] as const) : []),
    ...(streams.stderr ? (["stderr"] as const) : []),
    ...(resizes ? (["resize"] as const) : []),
  ];
  const opened = await openedStreams(connection, wanted, timers);
  const error = opened?.get("error");
  if (opened === undefined || error === undefined) {
    await connection.close();
    return undefined;
  }
  const gone = goneSignal(connection.closed);
  const [stdin, stdout, stderr, resize] = (["stdin", "stdout", "stderr", "resize"] as const).map((type) =>
    opened.get(type),
  );
  return {
    stdin,
    stdout,
    stderr,
    resize,
    error,
    hasStatus: protocol === V4,
    gone,
    async finish() {
      for (const stream of [stdin, resize]) stream?.destroy();
      await Promise.all([stdout?.end(), stderr?.end(), error.end()]);
      await until(connection.closed, timers, FINISH_MS);
      await connection.close();
    },
  };
}

/** Waits until the client has opened so many streams; undefined when it does not, or is gone. */
async function openedStreams(
  connection: MultiplexedConnection,
  wanted: readonly StreamType[],
  timers: Timers,
): Promise<ReadonlyMap<string, ByteStream> | undefined> {
  const opened = new Map<string, ByteStream>();
  const incoming = connection.incoming[Symbol.asyncIterator]();
  const expired = new Promise<undefined>((resolve) => {
    const cancel = timers.start(CREATION_MS, () => resolve(undefined));
    void connection.closed.then(() => cancel());
  });
  while (opened.size < wanted.length) {
    const next = await Promise.race([incoming.next(), expired]);
    if (next === undefined || next.done === true) return undefined;
    const type = next.value.headers["streamtype"] ?? "";
    if (opened.has(type) || !(wanted as readonly string[]).includes(type)) next.value.refuse();
    else opened.set(type, next.value.accept());
  }
  void refuseFurther(incoming);
  return opened;
}

async function refuseFurther(incoming: AsyncIterator<{ refuse(): void }>): Promise<void> {
  for (let next = await incoming.next(); next.done !== true; next = await incoming.next()) next.value.refuse();
}

function goneSignal(closed: Promise<void>): AbortSignal {
  const gone = new AbortController();
  void closed.then(() => gone.abort(new Error("the client is gone")));
  return gone.signal;
}

/** Resolves with `promise`, or after that time. */
function until(promise: Promise<void>, timers: Timers, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = timers.start(milliseconds, resolve);
    void promise.then(() => {
      cancel();
      resolve();
    });
  });
}

/** Resolves when a socket has passed on everything that was written. */
function drained(socket: Duplex, gone: AbortSignal, timers: Timers): Promise<void> {
  const empty = new Promise<void>((resolve) => {
    if (socket.writableLength === 0 || gone.aborted) return resolve();
    socket.once("drain", resolve);
    // A socket below its high-water mark does not announce that it is empty.
    if (!socket.writableNeedDrain) socket.write(Buffer.alloc(0), () => resolve());
    gone.addEventListener("abort", () => resolve(), { once: true });
  });
  return until(empty, timers, FINISH_MS);
}
