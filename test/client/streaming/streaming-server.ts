import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ByteStream, MultiplexedConnection } from "../../../src/machinery/wire/streams/byte-stream.js";
import { ChannelConnection } from "../../../src/machinery/wire/streams/channel-connection.js";
import { CHANNEL, CHANNEL_PROTOCOLS, exitStatus } from "../../../src/machinery/wire/streams/remote-command.js";
import { spdyConnection } from "../../../src/machinery/wire/spdy/spdy-connection.js";
import { offeredSubprotocols, webSocketAnswer } from "../../../src/machinery/wire/web-socket/handshake.js";
import { WebSocket } from "../../../src/machinery/wire/web-socket/web-socket.js";
import { webSocketDuplex } from "../../../src/machinery/wire/web-socket/web-socket-duplex.js";

/** The streams of a remote command at the server's end. */
export interface ServedCommand {
  readonly stdin: ByteStream;
  readonly stdout: ByteStream;
  readonly stderr: ByteStream;
  readonly resize: ByteStream;
  readonly error: ByteStream;
  /** Ends the bare connection. */
  cut(): void;
  readonly protocol: string;
  /** The target of the request. */
  readonly url: string;
}

export interface StreamingServerOptions {
  /** Runs a command; the number that it returns is its exit code, and what it throws the text of a failure. */
  readonly command?: (streams: ServedCommand) => Promise<number | undefined>;
  readonly forward?: (connection: MultiplexedConnection) => Promise<void>;
  /** Takes the bare connection after 101. */
  readonly raw?: (socket: Socket) => void;
  /** Answers an upgrade itself where it returns a text. */
  readonly refuse?: (request: IncomingMessage) => string | undefined;
}

export interface StreamingServer extends AsyncDisposable {
  readonly url: string;
  /** The requests that have come: method, protocol, subprotocols. */
  readonly requests: readonly string[];
  readonly headers: readonly IncomingMessage["headers"][];
  /** Sockets that are open. */
  readonly open: ReadonlySet<Socket>;
}

/** A server that answers every exec and port-forward. */
export async function streamingServer(options: StreamingServerOptions): Promise<StreamingServer> {
  const requests: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const open = new Set<Socket>();
  const server = createServer();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {}).once("close", () => open.delete(socket));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const offered = [
      ...offeredSubprotocols(request.headers),
      ...[request.headers["x-stream-protocol-version"] ?? []].flat(),
    ];
    requests.push(`${request.method} ${request.url} ${request.headers.upgrade} ${offered.join(" ")}`);
    headers.push(request.headers);
    const refusal = options.refuse?.(request);
    if (refusal !== undefined) return socket.end(refusal);
    if (head.length > 0) socket.unshift(head);
    serve(request, socket, options).catch(() => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    headers,
    open,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function serve(request: IncomingMessage, socket: Socket, options: StreamingServerOptions): Promise<void> {
  if (request.headers.upgrade?.toLowerCase() === "websocket") {
    const offered = offeredSubprotocols(request.headers);
    const [subprotocol = ""] = offered;
    answer(socket, webSocketAnswer("GET", request.headers, subprotocol));
    if (options.raw !== undefined) return options.raw(socket);
    const webSocket = new WebSocket(socket, { role: "server" });
    if (subprotocol.startsWith("SPDY/3.1+")) {
      return options.forward?.(spdyConnection(webSocketDuplex(webSocket), { role: "server" }));
    }
    const protocol = CHANNEL_PROTOCOLS.find(({ name }) => name === subprotocol);
    if (protocol === undefined) throw new Error("an unknown subprotocol");
    const connection = new ChannelConnection(webSocket, {
      protocol,
      readable: [CHANNEL.stdin, CHANNEL.resize],
      role: "server",
    });
    const streams = {
      stdin: connection.channel(CHANNEL.stdin),
      stdout: connection.channel(CHANNEL.stdout),
      stderr: connection.channel(CHANNEL.stderr),
      resize: connection.channel(CHANNEL.resize),
      error: connection.channel(CHANNEL.error),
    };
    await run(options, { ...streams, cut: () => socket.destroy(), protocol: subprotocol, url: request.url ?? "" });
    return connection.close();
  }
  const [protocol = ""] = String(request.headers["x-stream-protocol-version"]).split(", ");
  answer(socket, { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocol });
  if (options.raw !== undefined) return options.raw(socket);
  const connection = spdyConnection(socket, { role: "server" });
  if (protocol === "portforward.k8s.io") return options.forward?.(connection);
  const url = new URL(request.url ?? "/", "http://server");
  const wanted = new Set(["error", ...["stdin", "stdout", "stderr"].filter((one) => url.searchParams.has(one))]);
  if (url.searchParams.has("tty")) wanted.delete("stderr");
  if (url.searchParams.has("tty")) wanted.add("resize");
  const streams: Record<string, ByteStream> = {};
  for await (const incoming of connection.incoming) {
    const type = incoming.headers["streamtype"] ?? "";
    streams[type] = incoming.accept();
    wanted.delete(type);
    if (wanted.size === 0) break;
  }
  await run(options, {
    ...(streams as unknown as ServedCommand),
    cut: () => socket.destroy(),
    protocol,
    url: request.url ?? "",
  });
  await connection.close();
}

async function run({ command }: StreamingServerOptions, streams: ServedCommand): Promise<void> {
  const code = await command?.(streams);
  if (code === undefined) return;
  await Promise.all([streams.stdout?.end(), streams.stderr?.end()]);
  await streams.error.write(Buffer.from(JSON.stringify(exitStatus(code))));
  await streams.error.end();
}

function answer(socket: Socket, headers: Readonly<Record<string, string>>): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
}
