import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import ForeignWebSocket, { WebSocketServer } from "ws";
import { randomBelow } from "../../../../src/base/numbers/random-below.js";
import { acceptKey, webSocketAnswer } from "../../../../src/machinery/wire/web-socket/handshake.js";
import { WebSocket } from "../../../../src/machinery/wire/web-socket/web-socket.js";
import { webSocketDuplex } from "../../../../src/machinery/wire/web-socket/web-socket-duplex.js";
import { eventually } from "../../../helpers/eventually.js";
import { seededRandom } from "../../../helpers/seeded-random.js";
import { connectedSockets } from "../streams/connected-sockets.js";
import { readAll } from "../streams/read-all.js";

const random = seededRandom("masks");

/** The messages that come, whole. */
async function messages(webSocket: WebSocket): Promise<{ text: boolean; data: Buffer }[]> {
  const whole: { text: boolean; data: Buffer }[] = [];
  let parts: Buffer[] = [];
  for await (const { text, first, last, data } of webSocket.pieces()) {
    if (first) parts = [];
    parts.push(data);
    if (last) whole.push({ text, data: Buffer.concat(parts) });
  }
  return whole;
}

/** A server of this project, to which the client of another library connects. */
async function serving(serve: (webSocket: WebSocket) => Promise<void>): Promise<{ url: string; close(): void }> {
  const server = createServer();
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const [subprotocol] = (request.headers["sec-websocket-protocol"] ?? "").split(", ");
    const answer = webSocketAnswer("GET", request.headers, subprotocol);
    const lines = Object.entries(answer).map(([name, value]) => `${name}: ${value}`);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
    if (head.length > 0) socket.unshift(head);
    void serve(new WebSocket(socket, { role: "server" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const SIZES = [0, 1, 125, 126, 1000, 65_535, 65_536, 300_001];

describe("our WebSocket server with another library's client", () => {
  test.each(SIZES)("exchanges messages of %i bytes", async (size) => {
    const server = await serving(async (webSocket) => {
      for (const { text, data } of await messages(webSocket)) received.push({ text, data });
    });
    const received: { text: boolean; data: Buffer }[] = [];
    const echo = await serving(async (webSocket) => {
      for await (const piece of webSocket.pieces()) {
        await webSocket.send([piece.data], piece.text ? "text" : "binary");
        if (piece.last) await webSocket.close();
      }
    });
    const sent = randomBytes(size);
    const client = new ForeignWebSocket(server.url);
    await once(client, "open");
    client.send(sent);
    client.send(sent.toString("hex"));
    client.close(1000);
    await once(client, "close");
    expect(received.map(({ text }) => text)).toEqual([false, true]);
    expect(received[0]?.data.equals(sent)).toBe(true);
    expect(received[1]?.data.toString()).toBe(sent.toString("hex"));
    const answered = new ForeignWebSocket(echo.url);
    const parts: Buffer[] = [];
    answered.on("message", (data: Buffer) => parts.push(data));
    answered.on("open", () => answered.send(sent));
    const [code] = (await once(answered, "close")) as [number];
    expect([code, Buffer.concat(parts).equals(sent)]).toEqual([1000, true]);
    server.close();
    echo.close();
  });

  test("answers pings while messages are read, and joins fragments to one message", async () => {
    let received: { text: boolean; data: Buffer }[] = [];
    const server = await serving(async (webSocket) => {
      received = await messages(webSocket);
    });
    const client = new ForeignWebSocket(server.url, { perMessageDeflate: false });
    await once(client, "open");
    client.send("one ", { fin: false });
    client.ping("there?");
    const [payload] = (await once(client, "pong")) as [Buffer];
    client.send("message", { fin: true });
    client.close();
    await once(client, "close");
    expect(payload.toString()).toBe("there?");
    expect(received.map(({ data }) => data.toString())).toEqual(["one message"]);
    server.close();
  });
});

describe("our WebSocket client with another library's server", () => {
  async function connected(url: string): Promise<WebSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    const key = randomBytes(16).toString("base64");
    socket.write(
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(head.toString()).toContain(acceptKey(key));
    socket.pause();
    socket.unshift(head.subarray(head.indexOf("\r\n\r\n") + 4));
    return new WebSocket(socket, { role: { client: random } });
  }

  test("exchanges messages of every length, and closes in order", async () => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(server, "listening");
    server.on("connection", (peer) => {
      peer.on("message", (data: Buffer, binary) => {
        peer.send(data, { binary });
        if (data.length === SIZES.at(-1)) peer.close(1000);
      });
    });
    const client = await connected(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const sent = SIZES.map((size) => randomBytes(size));
    const receiving = messages(client);
    for (const data of sent) await client.send([data.subarray(0, 3), data.subarray(3)]);
    const received = await receiving;
    expect(received.every(({ data }, index) => data.equals(sent[index] ?? Buffer.alloc(0)))).toBe(true);
    expect([received.length, client.fault]).toEqual([SIZES.length, undefined]);
    server.close();
  });

  test.each([
    [1001, "bye", "websocket: close 1001 (going away): bye"],
    [1011, "", "websocket: close 1011 (internal server error)"],
    [4000, "own", "websocket: close 4000: own"],
  ])("reports close code %i as an error", async (code, reason, message) => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(server, "listening");
    server.on("connection", (peer) => peer.close(code, reason));
    const client = await connected(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(messages(client)).rejects.toThrow(message);
    server.close();
  });
});

describe("a WebSocket connection ends with an error at frames", () => {
  const key = "00000000";
  test.each<["server" | "client", string, string, string]>([
    ["server", "without a mask", "8201 61", "websocket: bad MASK"],
    ["client", "with a mask", `8281 ${key} 61`, "websocket: bad MASK"],
    ["client", "with reserved bits", "c201 61", "websocket: RSV1 set"],
    ["client", "of an unknown kind", "8301 61", "websocket: bad opcode 3"],
    ["client", "of an unknown control kind", "8b00", "websocket: bad opcode 11"],
    ["client", "that go on with no message", "8001 61", "websocket: continuation after FIN"],
    ["client", "that begin a message in another", "0201 61 8201 61", "websocket: data before FIN"],
    ["client", "of control, longer than 125 bytes", "897e 0100", "websocket: len > 125 for control"],
    ["client", "of control, in fragments", "0900", "websocket: FIN not set on control"],
    ["client", "of 2^63 bytes", "827f ffffffffffffffff", "read limit exceeded"],
    ["client", "that break off in the head", "827e", "websocket: close 1006 (abnormal closure): unexpected EOF"],
    ["client", "that break off in the data", "8205 6161", "websocket: close 1006 (abnormal closure): unexpected EOF"],
    ["client", "of HTTP", Buffer.from("HTTP/1.1 200 OK\r\n\r\n").toString("hex"), "RSV1 set, FIN not set on control"],
  ])("%s: %s", async (role, _, hex, message) => {
    await using sockets = await connectedSockets();
    const webSocket = new WebSocket(sockets.server, { role: role === "server" ? role : { client: random } });
    sockets.client.end(Buffer.from(hex.replaceAll(" ", ""), "hex"));
    await expect(messages(webSocket)).rejects.toThrow(message);
    await webSocket.closed;
    expect(webSocket.fault?.message).toContain(message);
  });

  test("two thousand WebSocket connections of random bytes end without an unhandled error", async () => {
    const generated = seededRandom("web sockets");
    const below = (bound: number): number => randomBelow(generated, bound);
    const frames = ["820161", "8900", "020161", "800161", "880203e8", "827e0003616161", "8a00", "8181000000ff61"];
    for (let count = 0; count < 2000; count += 50) {
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          await using sockets = await connectedSockets();
          const role = below(2) === 0 ? "server" : { client: random };
          const webSocket = new WebSocket(sockets.server, { role });
          const parts = Array.from({ length: 1 + below(8) }, () => {
            const bytes = Buffer.from(frames[below(frames.length)] ?? "", "hex");
            if (below(3) === 0) bytes[below(bytes.length)] = below(256);
            return bytes;
          });
          sockets.client.resume().end(Buffer.concat(parts));
          await messages(webSocket).catch(() => {});
          await webSocket.closed;
        }),
      );
    }
  });
});

describe("a WebSocket connection", () => {
  test("that is not read makes its peer wait", async () => {
    await using sockets = await connectedSockets();
    const [near, far] = [
      new WebSocket(sockets.client, { role: { client: random } }),
      new WebSocket(sockets.server, { role: "server" }),
    ];
    let sent = 0;
    const sending = (async () => {
      for (; sent < 40_000_000; sent += 100_000) await near.send([Buffer.alloc(100_000)]);
      await near.close();
    })();
    await eventually(async () => {
      const before = sent;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect([before > 0, sent]).toEqual([true, before]);
    });
    expect(sent).toBeLessThan(20_000_000);
    let length = 0;
    for await (const { data } of far.pieces()) length += data.length;
    await sending;
    expect(length).toBe(40_000_000);
  });

  test("whose peer does not answer breaks after its deadline", async () => {
    await using sockets = await connectedSockets();
    const webSocket = new WebSocket(sockets.client, {
      role: { client: random },
      heartbeat: { period: 10, deadline: 50 },
    });
    await expect(messages(webSocket)).rejects.toThrow("i/o timeout");
  });

  test("that one end closes is closed for both", async () => {
    await using sockets = await connectedSockets();
    const [near, far] = [
      new WebSocket(sockets.client, { role: { client: random } }),
      new WebSocket(sockets.server, { role: "server" }),
    ];
    const reading = messages(far);
    await near.send([Buffer.from("last")]);
    await near.close();
    expect((await reading).map(({ data }) => data.toString())).toEqual(["last"]);
    await far.closed;
    await expect(near.send([])).rejects.toThrow("the connection is closed");
  });

  test("carries 50 MB of another protocol unchanged through its messages, and ends", async () => {
    await using sockets = await connectedSockets();
    const near = webSocketDuplex(new WebSocket(sockets.client, { role: { client: random } }));
    const far = webSocketDuplex(new WebSocket(sockets.server, { role: "server" }));
    near.resume();
    const block = randomBytes(1_000_003);
    const hash = createHash("sha256");
    const writing = (async () => {
      for (let count = 0; count < 50; count++) {
        hash.update(block);
        if (!near.write(block)) await once(near, "drain");
      }
      near.end();
    })();
    const received = createHash("sha256").update(await readAll(far as AsyncIterable<Buffer>));
    await writing;
    expect(received.digest("hex")).toBe(hash.digest("hex"));
    await eventually(async () => expect([near.destroyed, far.destroyed]).toEqual([true, true]));
  });
});
