import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ClientConfig } from "../../../src/client/config/client-config.js";
import { createRestClient } from "../../../src/client/rest/create-rest-client.js";
import { openPortForward } from "../../../src/client/streaming/port-forward.js";
import type { MultiplexedConnection } from "../../../src/machinery/wire/streams/byte-stream.js";
import { portForwardHeaders } from "../../../src/machinery/wire/streams/port-forward.js";
import { eventually } from "../../helpers/eventually.js";
import { readAll, readText } from "../../machinery/wire/streams/read-all.js";
import { clientConfig } from "./client-config.js";
import { streamingServer } from "./streaming-server.js";

const PATH = "/api/v1/namespaces/default/pods/web/portforward";

/** What is forwarded comes back; what is said of port 81 is that nothing listens there. */
async function forward(connection: MultiplexedConnection): Promise<void> {
  for await (const incoming of connection.incoming) {
    const { streamtype, port } = incoming.headers;
    const stream = incoming.accept();
    void (async () => {
      if (streamtype === "error") {
        if (port === "81") await stream.write(Buffer.from("connection refused"));
      } else {
        for await (const chunk of stream) await stream.write(chunk);
      }
      await stream.end();
    })().catch(() => {});
  }
}

const rest = (server: string, own: Partial<ClientConfig> = {}) => createRestClient({ ...clientConfig(server), ...own });

/** One connection through the forwarded port: what comes back, and what the error stream says. */
async function through(connection: MultiplexedConnection, port: number, id: number, sent: Uint8Array) {
  const error = await connection.open(portForwardHeaders("error", port, id));
  void error.end();
  const data = await connection.open(portForwardHeaders("data", port, id));
  const [received, fault] = [readAll(data), readText(error)];
  await data.write(sent);
  await data.end();
  return { received: await received, fault: await fault };
}

describe.each([
  { way: "SPDY in a WebSocket", webSockets: true, asked: `GET ${PATH} websocket SPDY/3.1+portforward.k8s.io` },
  { way: "SPDY", webSockets: false, asked: `POST ${PATH} SPDY/3.1 portforward.k8s.io` },
])("a port-forward over $way", ({ webSockets, asked }) => {
  test("carries a hundred connections at once", async () => {
    await using server = await streamingServer({ forward });
    const connection = await openPortForward(rest(server.url), PATH, { webSockets });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, id) => {
        const sent = randomBytes(50_000 + id);
        const { received, fault } = await through(connection, 80, id, sent);
        return received.equals(sent) && fault === "";
      }),
    );
    expect(answers.every(Boolean)).toBe(true);
    expect(server.requests).toEqual([asked]);
    await connection.close();
    await eventually(async () => expect(server.open.size).toBe(0));
  });

  test("writes the reason of a failed connection to the error stream", async () => {
    await using server = await streamingServer({ forward });
    const connection = await openPortForward(rest(server.url), PATH, { webSockets });
    expect((await through(connection, 81, 1, Buffer.from("x"))).fault).toBe("connection refused");
    await connection.close();
  });

  test("ends when the server stops, and when the signal aborts", async () => {
    await using server = await streamingServer({ forward });
    const controller = new AbortController();
    const options = { webSockets, signal: controller.signal };
    const lost = await openPortForward(rest(server.url), PATH, options);
    for (const socket of server.open) socket.destroy();
    await lost.closed;
    await expect(lost.open({})).rejects.toThrow();
    const aborted = await openPortForward(rest(server.url), PATH, options);
    controller.abort();
    await aborted.closed;
    await eventually(async () => expect(server.open.size).toBe(0));
  });
});

test("a port-forward uses SPDY where the server refuses the WebSocket", async () => {
  const refuse = ({ headers }: { readonly headers: { readonly upgrade?: string | undefined } }): string | undefined =>
    headers.upgrade === "websocket" ? "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n" : undefined;
  await using server = await streamingServer({ forward, refuse });
  const connection = await openPortForward(rest(server.url), PATH, { webSockets: true });
  expect((await through(connection, 80, 1, Buffer.from("hello"))).received.toString()).toBe("hello");
  expect(server.requests).toHaveLength(2);
  await connection.close();
});

test("a port-forward names its protocol in the error when the server chooses none", async () => {
  const refuse = (): string => "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n";
  await using server = await streamingServer({ refuse });
  await expect(openPortForward(rest(server.url), PATH, { webSockets: false })).rejects.toThrow(
    'unable to negotiate protocol: client supports "portforward.k8s.io", server returned ""',
  );
});
