import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { USER_AGENT } from "../../../src/client/config/client-config.js";
import { createRestClient, type RestClientOptions } from "../../../src/client/rest/create-rest-client.js";
import type { RestClient, RestRequest } from "../../../src/client/rest/rest-client.js";
import { startTcpProxy, type TcpProxy } from "../../helpers/tcp-proxy.js";
import { type Authority, authority } from "../transport/certificates.js";

let ca: Authority;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  ca = await authority("ca");
});

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

/** client-go's own variables, in whole seconds. */
const SOON = { HTTP2_READ_IDLE_TIMEOUT_SECONDS: "1", HTTP2_PING_TIMEOUT_SECONDS: "1" };

async function listening(server: { listen(port: number, host: string): unknown; address(): unknown }): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server as unknown as NodeJS.EventEmitter, "listening");
  return (server.address() as AddressInfo).port;
}

/** A server that answers what begins a watch, and nothing else. */
async function startServer(): Promise<{ readonly port: number; readonly server: Server }> {
  const { cert, key } = await ca.issue([{ type: "ip", value: "127.0.0.1" }]);
  const server = createServer({ cert, key }, ({ url = "" }, response) => {
    if (url.includes("watch=true")) response.write("first\n");
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return { port: await listening(server), server };
}

/** Stands between until it is cut. */
async function relayTo(port: number): Promise<TcpProxy> {
  const relay = await startTcpProxy(port);
  open.push(relay);
  return relay;
}

function clientOf(port: number, options: RestClientOptions = {}): RestClient {
  const config = {
    server: `https://127.0.0.1:${port}`,
    tls: { insecureSkipVerify: false, caData: Buffer.from(ca.pem) },
    auth: {},
    disableCompression: false,
    timeout: 0,
    userAgent: USER_AGENT,
    namespace: "default",
    namespaceEnforced: false,
    cacheDir: "",
  };
  const client = createRestClient(config, { env: SOON, ...options });
  open.push(client);
  return client;
}

const WATCH: RestRequest = { method: "GET", path: "/api/v1/pods", query: { watch: "true" } };
const LOST = "http2: client connection lost";

async function begun(client: RestClient) {
  const { body } = await client.stream(WATCH);
  const chunks = body[Symbol.asyncIterator]();
  expect(Buffer.from((await chunks.next()).value ?? []).toString()).toBe("first\n");
  return chunks;
}

describe("the streams of a client over HTTP/1.1 whose network connection is dead", () => {
  test("all end when the server gives no sign of life", async () => {
    const { port } = await startServer();
    const relay = await relayTo(port);
    const client = clientOf(relay.port, { pooled: true });
    const streams = await Promise.all([begun(client), begun(client)]);
    relay.cut("silent");
    for (const chunks of streams) await expect(chunks.next()).rejects.toThrow(LOST);
  });

  test("do not end while the server accepts connections, even when it never answers", async () => {
    const { port, server } = await startServer();
    const client = clientOf(port, { pooled: true });
    const chunks = await begun(client);
    const next = chunks.next();
    // Each is a sign of life that was asked for.
    for (let asked = 0; asked < 3; asked++) await once(server, "connection");
    await client.close();
    await expect(next).rejects.not.toThrow(LOST);
  });

  test("end also when their request has not been answered yet", async () => {
    const { port } = await startServer();
    const relay = await relayTo(port);
    const client = clientOf(relay.port, { pooled: true });
    await begun(client);
    relay.cut("silent");
    await expect(client.stream(WATCH)).rejects.toThrow(/TLS handshake timeout|connection lost/);
  });
});

describe("a request over a dead network connection", () => {
  test.each([
    ["GET", `net/http: TLS handshake timeout - error from a previous attempt: ${LOST}`],
    ["POST", LOST],
  ])("by %s fails with client-go's message", async (method, message) => {
    const { port, server } = await startServer();
    const relay = await relayTo(port);
    const client = clientOf(relay.port);
    const asked = once(server, "request");
    const answer = client.request({ method, path: "/api/v1/pods" });
    const failed = expect(answer).rejects.toThrow(message);
    await asked;
    relay.cut("silent");
    await failed;
  });
});

describe("the end of a command", () => {
  test.each([
    ["a read", { method: "GET", path: "/api" }],
    ["a write", { method: "POST", path: "/api" }],
  ])("aborts %s that its client has under way", async (_, request) => {
    const { port, server } = await startServer();
    const ending = new AbortController();
    const client = clientOf(port, { ending: ending.signal });
    server.once("request", () => ending.abort(new Error("SIGTERM")));
    await expect(client.request(request)).rejects.toThrow("SIGTERM");
  });

  test("aborts requests that its client begins later, except for clean-up", async () => {
    const { port, server } = await startServer();
    const client = clientOf(port, { ending: AbortSignal.abort(new Error("SIGTERM")) });
    await expect(client.request({ method: "DELETE", path: "/api" })).rejects.toThrow("SIGTERM");
    const asked = once(server, "request");
    const cleaning = client.request({ method: "DELETE", path: "/api", outlives: true }).catch(() => undefined);
    await asked;
    await client.close();
    await cleaning;
  });
});
