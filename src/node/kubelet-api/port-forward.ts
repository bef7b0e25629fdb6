import { errorMessage } from "../../base/text/error-message.js";
import type { Timers } from "../../base/time/timers.js";
import { ChannelConnection } from "../../machinery/wire/streams/channel-connection.js";
import {
  type ByteStream,
  joinStreams,
  type IncomingStream,
  type MultiplexedConnection,
} from "../../machinery/wire/streams/byte-stream.js";
import {
  PORT,
  PORT_FORWARD_PROTOCOL,
  REQUEST_ID,
  TUNNELLED_PORT_FORWARD_PROTOCOL,
} from "../../machinery/wire/streams/port-forward.js";
import { type ChannelProtocol, CHANNEL_PROTOCOLS, V4 } from "../../machinery/wire/streams/remote-command.js";
import { spdyConnection } from "../../machinery/wire/spdy/spdy-connection.js";
import { webSocketDuplex } from "../../machinery/wire/web-socket/web-socket-duplex.js";
import { HttpError } from "./http-error.js";
import { acceptSpdy, acceptWebSocket, asksForWebSocket, type UpgradeRequest } from "./upgrade.js";

/** How long a client may take to open the second of two streams. */
const CREATION_MS = 30_000;
/** How long a client may still write once the pod has closed its side: what containerd waits. */
const ENDING_MS = 1000;
/** Each port has two channels, whose numbers are a byte. */
const MOST_PORTS = 127;

/** A pod whose ports a client forwards. */
export interface ForwardTarget {
  /** As errors name the pod. */
  readonly name: string;
  dial(port: number): Promise<ByteStream>;
}

/** Upgrades the connection and forwards connections to ports of a pod until the client is gone. */
export async function servePortForward(upgrade: UpgradeRequest, target: ForwardTarget, timers: Timers): Promise<void> {
  if (!asksForWebSocket(upgrade)) {
    acceptSpdy(upgrade, [PORT_FORWARD_PROTOCOL], PORT_FORWARD_PROTOCOL);
    return forwardStreams(spdyConnection(upgrade.socket, { role: "server" }), target, timers);
  }
  const offered = upgrade.request.headers["sec-websocket-protocol"] ?? "";
  if (offered.includes(TUNNELLED_PORT_FORWARD_PROTOCOL)) {
    const { webSocket } = acceptWebSocket(upgrade, [{ name: TUNNELLED_PORT_FORWARD_PROTOCOL }]);
    return forwardStreams(spdyConnection(webSocketDuplex(webSocket), { role: "server" }), target, timers);
  }
  return forwardChannels(upgrade, target, timers);
}

/** An error stream and a data stream of one forwarded connection. */
interface Pair {
  error?: ByteStream;
  data?: ByteStream;
  port: number;
  readonly cancelTimeout: () => void;
}

async function forwardStreams(connection: MultiplexedConnection, target: ForwardTarget, timers: Timers): Promise<void> {
  const pairs = new Map<string, Pair>();
  const unnamed = { error: 0, data: 0 };
  for await (const stream of connection.incoming) {
    const valid = streamOf(stream);
    if (valid === undefined) {
      stream.refuse();
      continue;
    }
    // Very old clients name no request: their streams come in pairs.
    const id = stream.headers[REQUEST_ID] ?? `#${(unnamed[valid.type] += 1)}`;
    const pair = pairs.get(id) ?? newPair(id, pairs, timers);
    if (pair[valid.type] !== undefined) {
      stream.refuse();
      await pair.error
        ?.write(Buffer.from(`error processing stream for request ${id}: ${valid.type} stream already assigned`))
        .catch(() => {});
      continue;
    }
    pair[valid.type] = stream.accept();
    if (valid.type === "data") pair.port = valid.port;
    if (pair.error === undefined || pair.data === undefined) continue;
    pairs.delete(id);
    pair.cancelTimeout();
    void forward(pair.port, pair.data, pair.error, target, timers);
  }
  for (const { cancelTimeout } of pairs.values()) cancelTimeout();
}

function newPair(id: string, pairs: Map<string, Pair>, timers: Timers): Pair {
  const expire = (): void => {
    pairs.delete(id);
    const { error, data } = pair;
    data?.destroy();
    void error?.write(Buffer.from(`(request=${id}) timed out waiting for streams`)).catch(() => {});
    void error?.end();
  };
  const pair: Pair = { port: 0, cancelTimeout: timers.start(CREATION_MS, expire) };
  pairs.set(id, pair);
  return pair;
}

function streamOf({ headers }: IncomingStream): { readonly type: "error" | "data"; readonly port: number } | undefined {
  const port = portNumber(headers[PORT] ?? "");
  const type = headers["streamtype"];
  return port !== undefined && (type === "error" || type === "data") ? { type, port } : undefined;
}

const portNumber = (text: string): number | undefined => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
};

async function forward(
  port: number,
  data: ByteStream,
  error: ByteStream,
  target: ForwardTarget,
  timers: Timers,
): Promise<void> {
  let pod: ByteStream;
  try {
    pod = await target.dial(port);
  } catch (reason) {
    const message = errorMessage(reason);
    await error
      .write(Buffer.from(`error forwarding port ${port} to pod ${target.name}, uid : ${message}`))
      .catch(() => {});
    await error.end();
    data.destroy();
    return;
  }
  await joinUntilPodEnds(data, pod, timers);
  await Promise.all([data.end(), error.end()]);
}

/** A client of channels does not learn that the pod has closed its side, and would never close its own. */
async function joinUntilPodEnds(data: ByteStream, pod: ByteStream, timers: Timers): Promise<void> {
  let cancel = (): void => {};
  await joinStreams(data, pod, (from) => {
    if (from !== pod) return;
    cancel = timers.start(ENDING_MS, () => {
      data.destroy();
      pod.destroy();
    });
  });
  cancel();
}

const CHANNEL_NAMES = new Set(["", V4, `v4.base64.channel.k8s.io`]);

/** The form of clients without SPDY: the query names the ports, each of which has a channel for data and one for errors. */
async function forwardChannels(upgrade: UpgradeRequest, target: ForwardTarget, timers: Timers): Promise<void> {
  const ports = queryPorts(upgrade.url);
  const known: readonly ChannelProtocol[] = CHANNEL_PROTOCOLS.filter(({ name }) => CHANNEL_NAMES.has(name));
  const { webSocket, protocol } = acceptWebSocket(upgrade, known);
  const readable = ports.map((_, index) => index * 2);
  const connection = new ChannelConnection(webSocket, { protocol, readable, role: "server" });
  await Promise.all(
    ports.map(async (port, index) => {
      const [data, error] = [connection.channel(index * 2), connection.channel(index * 2 + 1)];
      // Both channels begin with the port, little-endian.
      const head = Uint8Array.of(port & 0xff, port >> 8);
      await data.write(head).catch(() => {});
      await error.write(head).catch(() => {});
      await forward(port, data, error, target, timers);
    }),
  );
  await connection.close();
}

function queryPorts({ searchParams }: URL): readonly number[] {
  const texts = searchParams.getAll("port");
  if (texts.length === 0) throw new HttpError(400, 'query parameter "port" is required');
  const ports = texts.flatMap((text) => {
    if (text === "") throw new HttpError(400, 'query parameter "port" cannot be empty');
    return text.split(",").map((one) => {
      if (/^0+$/.test(one)) throw new HttpError(400, `port "${text}" must be > 0`);
      const port = portNumber(one);
      if (port !== undefined) return port;
      const reason = /^\d+$/.test(one) ? "value out of range" : "invalid syntax";
      throw new HttpError(
        400,
        `unable to parse "${text}" as a port: strconv.ParseUint: parsing ${JSON.stringify(one)}: ${reason}`,
      );
    });
  });
  if (ports.length > MOST_PORTS)
    throw new HttpError(400, `at most ${MOST_PORTS} ports can be forwarded by one WebSocket`);
  return ports;
}
