import { once } from "node:events";
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { surroundingsOf } from "../../../src/client/surroundings.js";
import type { TransportConfig } from "../../../src/client/transport/endpoint.js";
import { http2Transport } from "../../../src/client/transport/http2.js";
import type { PulseTimes } from "../../../src/client/transport/peer-pulse.js";
import type { Transport, TransportResponse } from "../../../src/client/transport/transport.js";
import { deferred } from "../../../src/base/async/deferred.js";
import { type Authority, authority } from "./certificates.js";

let ca: Authority;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  ca = await authority("my-ca");
});

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** An HTTP/2 server, and the sessions that it has. */
async function serve(handle: OnStream, options: SecureServerOptions = {}) {
  const { cert, key } = await ca.issue([{ type: "ip", value: "127.0.0.1" }]);
  const server: Http2SecureServer = createSecureServer({ cert, key, ...options });
  const sessions: ServerHttp2Session[] = [];
  server.on("session", (session) => sessions.push(session.on("error", () => {}))).on("sessionError", () => {});
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    handle(stream, headers);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  open.push({
    close: () => {
      for (const session of sessions) session.destroy();
      server.close();
    },
  });
  return { port, sessions, ...client(port) };
}

function client(port: number, pulse?: PulseTimes) {
  const config: TransportConfig = {
    server: `https://127.0.0.1:${port}`,
    tls: { insecureSkipVerify: false, caData: Buffer.from(ca.pem) },
  };
  const transport: Transport = http2Transport(config, surroundingsOf({}), pulse ? { pulse } : {});
  open.push(transport);
  const get = (path: string, signal?: AbortSignal) =>
    transport.send({ method: "GET", path, headers: { accept: "*/*" }, ...(signal && { signal }) });
  return { transport, get };
}

async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const answer: OnStream = (stream) => {
  stream.respond({ ":status": 200 });
  stream.end("hi");
};
/** Begins an answer that goes on. */
const begin: OnStream = (stream) => {
  stream.respond({ ":status": 200 });
  stream.write("first");
};

async function firstOf({ body }: TransportResponse) {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  expect(Buffer.from(first.value ?? []).toString()).toBe("first");
  return chunks;
}

test("HTTP/2 sends method, path, headers and body, and keeps several values of a header apart", async () => {
  let sent: IncomingHttpHeaders = {};
  const { transport } = await serve((stream, headers) => {
    sent = headers;
    stream.respond({ ":status": 201, warning: ["one", "two"], "x-once": "a" } as never);
    stream.pipe(stream);
  });
  const response = await transport.send({
    method: "POST",
    path: "/a%2Fb//c?d=%27",
    headers: { "content-type": "text/plain", "x-user": "jürgen" },
    repeatedHeaders: { "x-group": ["g", "h"] },
    body: Buffer.from("hello"),
  });
  expect(await textOf(response)).toBe("hello");
  expect(response).toMatchObject({ status: 201, headers: { warning: ["one", "two"], "x-once": "a" } });
  expect(sent).toMatchObject({
    ":method": "POST",
    ":path": "/a%2Fb//c?d=%27",
    "content-type": "text/plain",
    "content-length": "5",
    "x-group": "g, h",
  });
  expect(Buffer.from(String(sent["x-user"]), "latin1").toString()).toBe("jürgen");
});

test("HTTP/2 decompresses gzip", async () => {
  const { get } = await serve((stream) => {
    stream.respond({ ":status": 200, "content-encoding": "gzip" });
    stream.end(gzipSync("packed"));
  });
  expect(await textOf(await get("/"))).toBe("packed");
});

test("HTTP/2 requests share a connection, and those that the server does not accept there use another one", async () => {
  const { get, sessions } = await serve(begin, { settings: { maxConcurrentStreams: 2 } });
  for (let count = 1; count <= 5; count++) {
    await firstOf(await get("/"));
    expect(sessions).toHaveLength(Math.ceil(count / 2));
  }
});

test("an HTTP/2 request that the server refuses to begin is sent once more", async () => {
  let asked = 0;
  const { get } = await serve((stream, headers) => (++asked === 1 ? stream.close(7) : answer(stream, headers)));
  expect(await textOf(await get("/"))).toBe("hi");
  expect(asked).toBe(2);
});

test("an HTTP/2 request that the server always refuses to begin fails after as many tries as in Go", async () => {
  let asked = 0;
  const { get } = await serve((stream) => {
    asked += 1;
    stream.close(7);
  });
  await expect(get("/")).rejects.toThrow("REFUSED_STREAM; received from peer");
  expect(asked).toBe(7);
});

test("after a GOAWAY new HTTP/2 requests use another connection, and those under way go on", async () => {
  const { get, sessions } = await serve((stream, headers) =>
    (headers[":path"] === "/long" ? begin : answer)(stream, headers),
  );
  const long = await get("/long");
  const chunks = await firstOf(long);
  sessions[0]?.goaway();
  expect(await textOf(await get("/"))).toBe("hi");
  expect(sessions).toHaveLength(2);
  const [first] = sessions;
  expect(first?.destroyed).toBe(false);
  await chunks.return?.(undefined);
});

test.each<[string, (stream: ServerHttp2Stream) => void, string]>([
  [
    "the server resets",
    (stream) => stream.destroy(new Error("no")),
    "stream error: stream ID 1; INTERNAL_ERROR; received from peer",
  ],
  ["the connection ends", (stream) => stream.session?.destroy(), "unexpected EOF"],
])("an HTTP/2 stream that %s fails with Go's message", async (_, end, message) => {
  const { get } = await serve((stream, headers) => {
    begin(stream, headers);
    setImmediate(() => end(stream));
  });
  const failed = async () => textOf(await get("/"));
  await expect(failed()).rejects.toThrow(message);
});

describe("aborting over HTTP/2 rejects with the signal's reason", () => {
  test("a request that waits for its connection", async () => {
    const silent = createServer(
      (socket) => void socket.on("error", () => {}).once("data", () => controller.abort(new Error("enough"))),
    );
    const controller = new AbortController();
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { get } = client((silent.address() as AddressInfo).port);
    await expect(get("/", controller.signal)).rejects.toThrow("enough");
  });

  test("a request that waits for its answer", async () => {
    const controller = new AbortController();
    const { get } = await serve(() => controller.abort(new Error("enough")));
    await expect(get("/", controller.signal)).rejects.toThrow("enough");
  });

  test("a stream, and the server sees the end", async () => {
    const closed = deferred<number>();
    const controller = new AbortController();
    const { get } = await serve((stream, headers) => {
      begin(stream, headers);
      stream.once("close", () => closed.resolve(stream.rstCode ?? 0));
    });
    const chunks = await firstOf(await get("/", controller.signal));
    controller.abort(new Error("enough"));
    await expect(chunks.next()).rejects.toThrow("enough");
    expect(await closed.promise).toBe(8);
  });
});

test("closing the HTTP/2 transport ends its streams", async () => {
  const { get, transport } = await serve(begin);
  const chunks = await firstOf(await get("/"));
  await transport.close();
  await expect(chunks.next()).rejects.toThrow("the transport was closed");
});

describe("an HTTP/2 connection that receives nothing", () => {
  const SHORT = { silence: 60, patience: 300 };

  /** Stands between: `stall` passes on nothing more, as a router does that forgot the connection. */
  async function relay(port: number) {
    const sockets: Socket[] = [];
    const between = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      sockets.push(
        near.on("error", () => {}),
        far.on("error", () => {}),
      );
      near.pipe(far).pipe(near);
    });
    between.listen(0, "127.0.0.1");
    await once(between, "listening");
    open.push({
      close: () => {
        for (const socket of sockets) socket.destroy();
        between.close();
      },
    });
    const stall = (): void => {
      for (const socket of sockets) socket.unpipe().pause();
    };
    return { port: (between.address() as AddressInfo).port, stall };
  }

  test("ends all of its streams when the server does not answer a PING any more", async () => {
    const server = await serve(begin);
    const between = await relay(server.port);
    const { get } = client(between.port, SHORT);
    const streams = [await firstOf(await get("/a")), await firstOf(await get("/b"))];
    between.stall();
    for (const chunks of streams) await expect(chunks.next()).rejects.toThrow("http2: client connection lost");
  });

  test("stays open while the server answers pings", async () => {
    let pings = 0;
    let stream: ServerHttp2Stream | undefined;
    const server = await serve((opened, headers) => {
      begin(opened, headers);
      stream = opened;
      opened.session?.on("ping", () => {
        pings += 1;
        if (pings === 3) stream?.end("last");
      });
    });
    const { get } = client(server.port, SHORT);
    const chunks = await firstOf(await get("/"));
    expect(Buffer.from((await chunks.next()).value ?? []).toString()).toBe("last");
    expect(pings).toBe(3);
  });

  test("is replaced for the next request, which opens a new connection", async () => {
    const server = await serve(begin);
    const between = await relay(server.port);
    const { get } = client(between.port, SHORT);
    const chunks = await firstOf(await get("/a"));
    between.stall();
    await expect(chunks.next()).rejects.toThrow("connection lost");
    await firstOf(await get("/b"));
  });
});
