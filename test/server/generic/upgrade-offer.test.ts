import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { http1UpgradeExchange, upgradeResponse } from "../../../src/server/generic/transport/http1-upgrade.js";
import type { Exchange } from "../../../src/server/request/exchange.js";

/** Sends a request for another protocol to a server with one handler. */
async function ask(
  headers: Readonly<Record<string, string>>,
  handle: (exchange: Exchange) => Promise<void>,
): Promise<{ status: number; headers: IncomingMessage["headers"]; socket: Socket | undefined; close(): void }> {
  const stopping = new AbortController();
  const server = createServer();
  server.on("upgrade", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const response = upgradeResponse(incoming, socket);
    void handle(http1UpgradeExchange(incoming, response, head, stopping.signal));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const outgoing = request({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, headers, agent: false });
  outgoing.end();
  const [answer, socket] = (await Promise.race([once(outgoing, "upgrade"), once(outgoing, "response")])) as [
    IncomingMessage,
    Socket | undefined,
  ];
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    socket,
    close: () => {
      answer.destroy();
      socket?.destroy();
      server.close();
    },
  };
}

const SPDY = { connection: "Upgrade", upgrade: "SPDY/3.1" };

describe("a request to upgrade the connection", () => {
  test("gives its handler the raw connection, with the handler's headers", async () => {
    let ended = false;
    const { status, headers, socket, close } = await ask(SPDY, async (exchange) => {
      const connection = exchange.upgrade?.accept({ "x-stream-protocol-version": "v4.channel.k8s.io" });
      exchange.signal.addEventListener("abort", () => (ended = exchange.responded));
      connection?.pipe(connection);
    });
    expect([status, headers]).toEqual([
      101,
      { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" },
    ]);
    socket?.write("there and back");
    const [echo] = (await once(socket as Socket, "data")) as [Buffer];
    expect(echo.toString()).toBe("there and back");
    socket?.destroy();
    await expect.poll(() => ended).toBe(true);
    close();
  });

  test("passes on what the client has sent early", async () => {
    const { socket, close } = await ask(SPDY, async (exchange) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      const connection = exchange.upgrade?.accept({});
      connection?.pipe(connection);
    });
    socket?.write("early");
    const [echo] = (await once(socket as Socket, "data")) as [Buffer];
    expect(echo.toString()).toBe("early");
    close();
  });

  test("to a WebSocket offers the handler both a WebSocket and the connection", async () => {
    let offers: unknown;
    const { status, close } = await ask(
      { connection: "keep-alive, Upgrade", upgrade: "websocket" },
      async (exchange) => {
        offers = [exchange.upgrade?.protocol, exchange.webSocket !== undefined];
        await exchange.respond(403, {}).end();
      },
    );
    expect([status, offers]).toEqual([403, ["websocket", true]]);
    close();
  });

  test("is answered as a plain request when the handler does not accept", async () => {
    const { status, close } = await ask(SPDY, async (exchange) => {
      expect([exchange.upgrade?.protocol, exchange.webSocket]).toEqual(["SPDY/3.1", undefined]);
      await exchange.respond(400, {}).end(Buffer.from("no"));
    });
    expect(status).toBe(400);
    close();
  });
});
