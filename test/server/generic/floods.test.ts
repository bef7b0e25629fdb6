import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Cluster } from "../../../src/cluster/index.js";
import { buildWriter } from "../../durability/writer-process.js";
import { eventually } from "../../helpers/eventually.js";
import { openTls } from "../../helpers/tls-peer.js";
import { http2Client, type WireClient } from "../../helpers/wire-client.js";
import type { Reach, Usage } from "../back-pressure/server-process.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MEGABYTE = 2 ** 20;
const OBJECTS = 1500;
const OBJECT_BYTES = 4000;
/** What the server may hold more than before, once the sender has gone. */
const MOST_GROWTH = 80;
/** Requests of another client that must be answered while the sender sends. */
const SERVED = 50;

let program: Awaited<ReturnType<typeof buildWriter>>;
let child: ChildProcess;
let server: Reach;
let other: WireClient;

beforeAll(async () => {
  program = await buildWriter("server-process", "test/server/back-pressure");
  child = fork(program.script, { execArgv: ["--expose-gc"] });
  [server] = (await once(child, "message")) as [Reach];
  other = http2Client(server as Cluster);
  const create = (name: string) =>
    other.send({
      method: "POST",
      path: MAPS,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name }, data: { text: "a".repeat(OBJECT_BYTES) } }),
    });
  for (let from = 0; from < OBJECTS; from += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => create(`map-${from + index}`)));
  }
}, 120_000);

afterAll(async () => {
  other.close();
  child.send("stop");
  await once(child, "exit");
  await program.remove();
});

async function resident(): Promise<number> {
  child.send("usage");
  const [usage] = (await once(child, "message")) as [Usage];
  return usage.resident / MEGABYTE;
}

/** Sends until the other client was served so often; then the server must have given back what it held. */
async function besideOther(send: (goesOn: () => boolean) => Promise<void>): Promise<void> {
  const before = await resident();
  let served = 0;
  const sending = send(() => served < SERVED);
  while (served < SERVED) {
    const { status } = await other.send({ path: `${MAPS}/map-1` });
    expect(status).toBe(200);
    served += 1;
  }
  await sending;
  await eventually(async () => expect((await resident()) - before).toBeLessThan(MOST_GROWTH));
}

const turn = (): Promise<void> => new Promise(setImmediate);

function open(): ClientHttp2Session {
  const session = connect(server.url, { ca: server.caCertificate });
  return session.on("error", () => {});
}

test("thousands of list requests that are reset at once leave no work and no memory behind", async () => {
  await besideOther(async (goesOn) => {
    let session = open();
    for (let sent = 0; sent < 5000 || goesOn(); sent++) {
      // The server closes a connection that resets too often.
      if (session.destroyed || session.closed) session = open();
      const stream = session.request({ ":path": MAPS, authorization: `Bearer ${server.token}` });
      stream.on("error", () => {}).end();
      setImmediate(() => stream.close(8));
      if (sent % 10 === 9) await turn();
      if (sent > 50_000) break;
    }
    session.destroy();
  });
});

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));
const PING = frame(6, 0, 0, Buffer.alloc(8));
/** ":method GET", ":scheme https", ":path /", as indexed fields. */
const BLOCK = Buffer.from([0x82, 0x87, 0x84]);
/** A field without indexing, "x: <100 bytes>". */
const FIELD = Buffer.concat([Buffer.from([0x00, 0x01, 0x78, 100]), Buffer.alloc(100, "y")]);

/** Writes frames until they are not wanted any more, or the server closes the connection. */
async function flood(goesOn: () => boolean, first: Buffer, chunk: (index: number) => Buffer, reads: boolean) {
  let socket: TLSSocket | undefined;
  for (let index = 0; goesOn(); ) {
    if (socket === undefined || socket.destroyed) {
      socket = await openTls(Number(new URL(server.url).port), { ALPNProtocols: ["h2"] });
      socket.on("error", () => {});
      if (reads) socket.resume();
      else socket.pause();
      socket.write(Buffer.concat([PREFACE, SETTINGS, first]));
      index = 0;
    }
    const opened: TLSSocket = socket;
    const isFull = !opened.write(chunk(index++));
    // One that does not read is not written to either, once the buffers between are full.
    if (isFull)
      await Promise.race([once(opened, "drain").catch(() => {}), new Promise((wait) => setTimeout(wait, 20))]);
    else await turn();
  }
  socket?.destroy();
}

describe("other clients are served, in bounded memory, during a flood of", () => {
  const many = (one: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => one));
  const none = Buffer.alloc(0);
  const headers = (stream: number, flags: number): Buffer => frame(1, flags, stream, BLOCK);
  const rows: readonly (readonly [string, Buffer, (index: number) => Buffer, boolean])[] = [
    ["PING frames", none, () => many(PING, 500), true],
    ["PING frames of a client that does not read", none, () => many(PING, 500), false],
    ["SETTINGS frames", none, () => many(SETTINGS, 500), true],
    ["SETTINGS frames of a client that does not read", none, () => many(SETTINGS, 500), false],
    ["CONTINUATION frames", headers(1, 0x1), () => frame(9, 0, 1, many(FIELD, 20)), true],
    ["empty CONTINUATION frames", headers(1, 0x1), () => many(frame(9, 0, 1, none), 200), true],
    [
      "streams that are reset at once",
      none,
      (index) =>
        Buffer.concat(
          Array.from({ length: 50 }, (_, at) => {
            const stream = 2 * (index * 50 + at) + 1;
            return Buffer.concat([headers(stream, 0x5), frame(3, 0, stream, Buffer.from([0, 0, 0, 8]))]);
          }),
        ),
      true,
    ],
    ["streams whose bodies never end", none, (index) => headers(2 * index + 1, 0x4), true],
  ];

  test.each(rows)("%s", (_, first, chunk, reads) => besideOther((goesOn) => flood(goesOn, first, chunk, reads)));

  test("connections that are reset while most of their streams wait for the first to begin", () =>
    besideOther(async (goesOn) => {
      const port = Number(new URL(server.url).port);
      const streams = Array.from({ length: 200 }, (_, index) => headers(2 * index + 1, 0x5));
      while (goesOn()) {
        const socket = connectTcp(port, "127.0.0.1").on("error", () => {});
        const secure = connectTls({ socket, ca: server.caCertificate, ALPNProtocols: ["h2"] }).on("error", () => {});
        await once(secure, "secureConnect");
        secure.write(Buffer.concat([PREFACE, SETTINGS, ...streams]), () => socket.resetAndDestroy());
        await once(socket, "close");
      }
    }));

  test("list requests whose client opens no flow-control window", () =>
    besideOther(async (goesOn) => {
      const sessions: ClientHttp2Session[] = [];
      for (let index = 0; index < 5; index++) {
        const session = connect(server.url, { ca: server.caCertificate, settings: { initialWindowSize: 0 } });
        sessions.push(session.on("error", () => {}));
        for (let sent = 0; sent < 100; sent++) {
          session
            .request({ ":path": MAPS, authorization: `Bearer ${server.token}` })
            .on("error", () => {})
            .end();
        }
      }
      while (goesOn()) await turn();
      for (const session of sessions) session.destroy();
    }));
});
