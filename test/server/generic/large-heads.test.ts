import { once } from "node:events";
import { connect } from "node:http2";
import { request as httpsRequest } from "node:https";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../../helpers/api-caller.js";
import { createTransport } from "../../../src/client/transport/create-transport.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { type Listener, listen } from "../../../src/server/generic/secure-listener.js";
import { newAuthority, openTls, servingCertificate } from "../../helpers/tls-peer.js";

const authority = newAuthority();
let listener: Listener;

beforeAll(async () => {
  listener = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: { ...servingCertificate(authority, "heads"), clientCa: authority.certificate },
    clock: systemClock,
    stopping: new AbortController().signal,
    handle: async (exchange) => exchange.respond(200, {}).end(Buffer.from(String(headLength(exchange.headers)))),
  });
});

afterAll(() => listener.close());

const headLength = (headers: Readonly<Record<string, string | undefined>>): number =>
  Object.entries(headers).reduce((sum, [name, value = ""]) => (name.startsWith("x-") ? sum + value.length : sum), 0);

/** An HTTP/2 client that is written by hand: Node's sends heads of 64 kB at most, and leaves at a GOAWAY. */
class RawClient {
  readonly closed: Promise<unknown>;
  #received = Buffer.alloc(0);

  private constructor(private readonly socket: TLSSocket) {
    socket.on("data", (chunk: Buffer) => (this.#received = Buffer.concat([this.#received, chunk])));
    socket.on("error", () => {});
    this.closed = once(socket, "close");
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    this.send(SETTINGS, 0, 0, Buffer.alloc(0));
  }

  static async open(): Promise<RawClient> {
    return new RawClient(await openTls(listener.port, { ALPNProtocols: ["h2"] }));
  }

  send(type: number, flags: number, stream: number, payload: Uint8Array): void {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    this.socket.write(Buffer.concat([head, payload]));
  }

  /** A GET whose head is this block, in frames of `length` bytes. */
  get(stream: number, block: Uint8Array, length = 16_384): void {
    for (let at = 0; at < block.length; at += length) {
      const flags = (at === 0 ? END_STREAM : 0) | (at + length >= block.length ? END_HEADERS : 0);
      this.send(at === 0 ? HEADERS : CONTINUATION, flags, stream, block.subarray(at, at + length));
    }
  }

  /** Waits for a frame. */
  async frame(type: number, stream = 0): Promise<Buffer> {
    for (;;) {
      for (let at = 0; at + 9 <= this.#received.length; ) {
        const end = at + 9 + this.#received.readUIntBE(at, 3);
        const isWanted = this.#received[at + 3] === type && this.#received.readUInt32BE(at + 5) === stream;
        if (isWanted && end <= this.#received.length) return this.#received.subarray(at + 9, end);
        at = end;
      }
      await once(this.socket, "data");
    }
  }

  /** The server keeps to its settings once they are acknowledged. */
  async acknowledge(): Promise<void> {
    await this.frame(SETTINGS);
    this.send(SETTINGS, ACK, 0, Buffer.alloc(0));
  }

  destroy(): void {
    this.socket.destroy();
  }
}

const [DATA, HEADERS, SETTINGS, GOAWAY, CONTINUATION] = [0, 1, 4, 7, 9];
const [END_STREAM, ACK, END_HEADERS] = [1, 1, 4];

/** HPACK: GET https://a/ */
const GET = Buffer.concat([Buffer.from([0x82, 0x87, 0x84]), literal(0x01, "a")]);

/** A field with an indexed name that is not kept; or with `0x40` and a name, one that is. */
function literal(first: number, ...texts: readonly string[]): Buffer {
  return Buffer.concat([
    Buffer.from([first]),
    ...texts.map((text) => Buffer.concat([length(text), Buffer.from(text)])),
  ]);
}

function length({ length }: string): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

const fields = (count: number, size: number): Buffer =>
  Buffer.concat([GET, ...Array.from({ length: count }, (_, at) => literal(0x00, `x-${at}`, "v".repeat(size)))]);

test("WEB-1: HTTP/2 accepts a request head of a megabyte", async () => {
  const client = await RawClient.open();
  await client.acknowledge();
  client.get(1, fields(20, 50_000), 2 ** 20);
  expect(String(await client.frame(DATA, 1))).toBe("1000000");
  client.destroy();
});

test("HTTP/2 answers 431 to a longer head in Go's words, and keeps the connection", async () => {
  const client = await RawClient.open();
  await client.acknowledge();
  client.get(1, fields(30, 50_000), 2 ** 20);
  expect(String(await client.frame(DATA, 1))).toBe("<h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>");
  // Few bytes on the wire are a long head where a field is in the table.
  const kept = literal(0x40, "x-kept", "v".repeat(4000));
  client.get(3, Buffer.concat([GET, kept, Buffer.alloc(300, 0xbe)]));
  expect(String(await client.frame(DATA, 3))).toContain("HTTP Error 431");
  client.get(5, fields(1, 10));
  expect(String(await client.frame(DATA, 5))).toBe("10");
  client.destroy();
});

test("an HTTP/2 connection that nghttp2 gives up for a field of more than 64 kB is closed", async () => {
  const client = await RawClient.open();
  client.get(1, fields(1, 70_000));
  const goaway = await client.frame(GOAWAY);
  expect([goaway.readUInt32BE(0), goaway.readUInt32BE(4)]).toEqual([1, COMPRESSION_ERROR]);
  await client.closed;
  expect([await offered(), await offered()]).toEqual(["http/1.1", "h2"]);
});

test("an HTTP/2 client whose head had too many frames may send it again over HTTP/1.1, and one without a large head stays", async () => {
  for (const protocols of [["h2", "http/1.1"], ["h2"]]) {
    const client = await RawClient.open();
    client.get(1, fields(4, 50_000));
    await client.closed;
    expect([await offered(...protocols), await offered()]).toEqual([protocols.at(-1), "h2"]);
  }
});

/** The protocol of a new connection. */
async function offered(...protocols: readonly string[]): Promise<string | false | null> {
  const ALPNProtocols = protocols.length > 0 ? [...protocols] : ["h2", "http/1.1"];
  const socket = await openTls(listener.port, { ALPNProtocols });
  socket.destroy();
  return socket.alpnProtocol;
}

const COMPRESSION_ERROR = 9;

test("an HTTP/2 connection whose head arrives slowly is not closed for its size", async () => {
  const client = await RawClient.open();
  const block = fields(1, 20_000);
  client.send(HEADERS, END_STREAM, 1, block.subarray(0, 10_000));
  // The server asks twice whether the connection is alive, while nothing is read.
  await client.frame(PING);
  const again = await RawClient.open();
  again.get(1, fields(1, 70_000));
  await again.closed;
  await offered();
  client.send(CONTINUATION, END_HEADERS, 1, block.subarray(10_000));
  expect(String(await client.frame(DATA, 1))).toBe("20000");
  client.destroy();
});

const PING = 6;

test("WEB-1: HTTP/1.1 accepts a head of a megabyte, and answers 431 to a longer one", async () => {
  const statusOf = (size: number): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x-${at}`, "v".repeat(size / 20)]));
      const options = { port: listener.port, rejectUnauthorized: false, agent: false, headers } as const;
      httpsRequest({ host: "127.0.0.1", ...options })
        .once("response", (response) => resolve(response.resume().statusCode))
        .once("error", reject)
        .end();
    });
  expect(await statusOf(1_000_000)).toBe(200);
  expect(await statusOf(1_060_000)).toBe(431);
});

test("our client uses HTTP/1.1 for a head that Node does not send over HTTP/2", async () => {
  const server = `https://127.0.0.1:${listener.port}`;
  const transport = createTransport({ server, tls: { insecureSkipVerify: true } }, { lasting: true });
  for (const [length, protocol] of [
    [10, "HTTP/2"],
    [100_000, "HTTP/1.1"],
    [10, "HTTP/2"],
  ] as const) {
    const { status, headers } = await call(transport, "GET", `/?${"x".repeat(length)}`);
    // Node's HTTP/1.1 server adds it.
    expect([status, headers["transfer-encoding"] ?? headers["connection"]]).toEqual([
      200,
      protocol === "HTTP/2" ? undefined : expect.any(String),
    ]);
  }
  await transport.close();
});

test("the server announces both limits of heads to Node's client", async () => {
  const session = connect(`https://127.0.0.1:${listener.port}`, { rejectUnauthorized: false });
  const [settings] = (await once(session, "remoteSettings")) as [{ maxFrameSize: number; maxHeaderListSize: number }];
  expect(settings).toMatchObject({ maxFrameSize: 2 ** 20, maxHeaderListSize: 4 * 2 ** 20 });
  session.destroy();
});
