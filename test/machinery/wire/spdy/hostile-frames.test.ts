import { once } from "node:events";
import type { Socket } from "node:net";
import { constants, createDeflate } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { MultiplexedConnection } from "../../../../src/machinery/wire/streams/byte-stream.js";
import { controlFrame, dataHead, RESET, TYPE } from "../../../../src/machinery/wire/spdy/frame-reader.js";
import { headerDictionary } from "../../../../src/machinery/wire/spdy/header-block.js";
import { spdyConnection } from "../../../../src/machinery/wire/spdy/spdy-connection.js";
import { eventually } from "../../../helpers/eventually.js";
import { randomBelow } from "../../../../src/base/numbers/random-below.js";
import { seededRandom } from "../../../helpers/seeded-random.js";
import { connectedSockets } from "../streams/connected-sockets.js";
import { readAll } from "../streams/read-all.js";

/** A server's end, and the bare socket of its peer. */
interface Peer extends AsyncDisposable {
  readonly server: MultiplexedConnection;
  readonly socket: Socket;
  /** Everything that the server has sent. */
  readonly heard: () => Buffer;
}

async function peer(): Promise<Peer> {
  const sockets = await connectedSockets();
  const server = spdyConnection(sockets.server, { role: "server" });
  const chunks: Buffer[] = [];
  sockets.client.on("data", (chunk: Buffer) => chunks.push(chunk));
  return {
    server,
    socket: sockets.client,
    heard: () => Buffer.concat(chunks),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await sockets[Symbol.asyncDispose]();
    },
  };
}

/** A header block as zlib compresses it, the first of its connection. */
async function compressed(block: Buffer): Promise<Buffer> {
  const deflate = createDeflate({ dictionary: headerDictionary() });
  const chunks: Buffer[] = [];
  deflate.on("data", (chunk: Buffer) => chunks.push(chunk));
  deflate.write(block);
  await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
  deflate.destroy();
  return Buffer.concat(chunks);
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const headerBlock = (headers: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat([
    uint32(Object.keys(headers).length),
    ...Object.entries(headers).flatMap(([name, value]) => [
      uint32(name.length),
      Buffer.from(name),
      uint32(value.length),
      Buffer.from(value),
    ]),
  ]);

/** No headers, in a zlib stream that has begun. */
const NO_HEADERS_AGAIN = Buffer.from("000400fbff00000000000000ffff", "hex");

const synStream = (id: number, block: Uint8Array, flags = 0): Buffer =>
  controlFrame(TYPE.synStream, flags, id, 0, Buffer.alloc(2), block);

const opening = async (id = 1, flags = 0): Promise<Buffer> =>
  synStream(id, await compressed(headerBlock({ streamtype: "data" })), flags);

const head = (type: number, length: number): Buffer => {
  const frame = controlFrame(type, 0);
  frame.writeUInt32BE(length, 4);
  return frame;
};

describe("an SPDY connection ends with an error at a frame with", () => {
  test.each<[string, () => Buffer | Promise<Buffer>, string]>([
    ["data of stream zero", () => dataHead(0, 5, false), "stream id zero"],
    ["another version", () => Buffer.from("800200060000000400000001", "hex"), "unsupported version 2"],
    ["HTTP", () => Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), ""],
    ["a control frame of 16 MB", () => head(TYPE.synStream, 0xffffff), "the control frame is too long"],
    ["a ping of two bytes", () => controlFrame(TYPE.ping, 0, Buffer.alloc(2)), "the control frame is too short"],
    ["settings that claim more than they hold", () => controlFrame(TYPE.settings, 0, 1000), "too short"],
    ["a header block that is no zlib", () => synStream(1, Buffer.from("garbage")), "incorrect header check"],
    ["headers that inflate to 10 MB", async () => synStream(1, await compressed(Buffer.alloc(1e7))), "too long"],
    ["four thousand million headers", async () => synStream(1, await compressed(uint32(0xffffffff))), "breaks off"],
    [
      "a header of four thousand million bytes",
      async () => synStream(1, await compressed(Buffer.concat([uint32(1), uint32(0xffffffff)]))),
      "breaks off",
    ],
    ["an empty header block", () => synStream(1, Buffer.alloc(0)), "breaks off"],
    [
      "windows larger than the protocol allows",
      () => Buffer.concat(Array.from({ length: 3 }, () => controlFrame(TYPE.windowUpdate, 0, 0, 0x7fffffff))),
      "the window is too large",
    ],
  ])("%s", async (_, frame, reason) => {
    await using both = await peer();
    both.socket.write(await frame());
    if (reason === "") both.socket.end();
    await both.server.closed;
    expect(both.server.fault?.message).toContain(reason);
  });

  test("a part missing because the connection closed", async () => {
    await using both = await peer();
    both.socket.end(Buffer.concat([await opening(), dataHead(1, 100, true), Buffer.from("only this")]));
    const { value } = await both.server.incoming[Symbol.asyncIterator]().next();
    await expect(readAll(value?.accept() ?? [])).rejects.toThrow("unexpected EOF");
    await both.server.closed;
    expect(both.server.fault?.message).toBe("unexpected EOF");
  });
});

describe("an SPDY connection survives frames", () => {
  test.each<[string, Buffer]>([
    ["of unknown types", Buffer.concat([head(99, 300_000), Buffer.alloc(300_000)])],
    ["of data of unknown streams", Buffer.concat([dataHead(77, 5, true), Buffer.from("hello")])],
    ["that reset unknown streams", controlFrame(TYPE.rstStream, 0, 9, 5)],
    ["that enlarge unknown windows", controlFrame(TYPE.windowUpdate, 0, 9, 0x7fffffff)],
    ["with settings", controlFrame(TYPE.settings, 0, 1, 4, 100)],
    ["with empty data", Buffer.concat(Array.from({ length: 1000 }, () => dataHead(5, 0, false)))],
  ])("%s", async (_, frame) => {
    await using both = await peer();
    both.socket.write(Buffer.concat([frame, await opening(), dataHead(1, 2, true), Buffer.from("ok")]));
    const { value } = await both.server.incoming[Symbol.asyncIterator]().next();
    expect((await readAll(value?.accept() ?? [])).toString()).toBe("ok");
    expect(both.server.fault).toBeUndefined();
  });

  test("that arrive one byte at a time", async () => {
    await using both = await peer();
    const bytes = Buffer.concat([await opening(), dataHead(1, 3, true), Buffer.from("abc")]);
    for (const byte of bytes) {
      both.socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { value } = await both.server.incoming[Symbol.asyncIterator]().next();
    expect(value?.headers).toEqual({ streamtype: "data" });
    expect((await readAll(value?.accept() ?? [])).toString()).toBe("abc");
  });

  test("of one byte each, twenty thousand of them", async () => {
    await using both = await peer();
    const frame = Buffer.concat([dataHead(1, 1, false), Buffer.from("x")]);
    both.socket.write(await opening());
    for (let count = 0; count < 200; count++)
      both.socket.write(Buffer.concat(Array.from({ length: 100 }, () => frame)));
    both.socket.write(dataHead(1, 0, true));
    const { value } = await both.server.incoming[Symbol.asyncIterator]().next();
    expect((await readAll(value?.accept() ?? [])).length).toBe(20_000);
  });

  test("of the longest data, which arrive in pieces", async () => {
    await using both = await peer();
    both.socket.write(Buffer.concat([await opening(), dataHead(1, 0xffffff, true)]));
    const { value } = await both.server.incoming[Symbol.asyncIterator]().next();
    const stream = value?.accept() ?? [];
    both.socket.write(Buffer.alloc(1000));
    for await (const chunk of stream) {
      expect(chunk.length).toBe(1000);
      break;
    }
  });

  test("with a ping, which it answers, and with an answer to no ping", async () => {
    await using both = await peer();
    both.socket.write(Buffer.concat([controlFrame(TYPE.ping, 0, 8), controlFrame(TYPE.ping, 0, 5)]));
    await eventually(async () => expect(both.heard().length).toBe(12));
    expect(both.heard()).toEqual(controlFrame(TYPE.ping, 0, 5));
  });

  test.each<[string, number[]]>([
    ["of the server's parity", [2]],
    ["that was there before", [3, 3]],
    ["before one that was there", [3, 1]],
  ])("that open a stream with a number %s, which it resets", async (_, ids) => {
    await using both = await peer();
    const block = await compressed(headerBlock({}));
    both.socket.write(Buffer.concat(ids.map((id, index) => synStream(id, index === 0 ? block : NO_HEADERS_AGAIN))));
    const reset = controlFrame(TYPE.rstStream, 0, ids.at(-1) ?? 0, RESET.protocolError);
    await eventually(async () => expect(both.heard().equals(reset)).toBe(true));
  });

  test("with a goaway, after which it ends in order", async () => {
    await using both = await peer();
    both.socket.write(Buffer.concat([await opening(), controlFrame(TYPE.goAway, 0, 0, 0)]));
    const { value } = await both.server.incoming[Symbol.asyncIterator]().next();
    expect((await readAll(value?.accept() ?? [])).length).toBe(0);
    await both.server.closed;
    expect(both.server.fault).toBeUndefined();
  });
});

describe("an SPDY peer that sends without reading", () => {
  test("may open only a limited number of streams", async () => {
    await using both = await peer();
    both.socket.write(synStream(1, await compressed(headerBlock({}))));
    for (let id = 3; id < 2 * 4200; id += 2) both.socket.write(synStream(id, NO_HEADERS_AGAIN));
    const refused = controlFrame(TYPE.rstStream, 0, 2 * 4199 + 1, RESET.refusedStream);
    await eventually(async () => expect(both.heard().subarray(-16).equals(refused)).toBe(true));
    expect(both.heard().length).toBe(16 * (4200 - 4096));
  });

  test("is no longer read while it leaves answers to its pings unread", async () => {
    const sockets = await connectedSockets();
    const server = spdyConnection(sockets.server, { role: "server" });
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => controlFrame(TYPE.ping, 0, 1)));
    let sent = 0;
    const flooding = (async () => {
      while (!sockets.client.destroyed) {
        sent += pings.length;
        if (!sockets.client.write(pings))
          await Promise.race([once(sockets.client, "drain"), once(sockets.client, "close")]);
      }
    })();
    await eventually(async () => {
      const before = sent;
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(sent).toBe(before);
    });
    expect(sockets.server.writableLength).toBeLessThan(20e6);
    await sockets[Symbol.asyncDispose]();
    await server.closed;
    await flooding;
  });

  test("receives with flow control only as much as its window allows", async () => {
    await using both = await peer();
    both.socket.write(Buffer.concat([controlFrame(TYPE.settings, 0, 1, 7, 1000), await opening()]));
    const { value } = await both.server.incoming[Symbol.asyncIterator]().next();
    const stream = value?.accept();
    const writing = stream?.write(Buffer.alloc(2500));
    await eventually(async () => expect(both.heard().length).toBeGreaterThan(1000));
    const before = both.heard().length;
    both.socket.write(controlFrame(TYPE.windowUpdate, 0, 1, 600));
    await eventually(async () => expect(both.heard().length).toBe(before + 608));
    both.socket.write(controlFrame(TYPE.windowUpdate, 0, 1, 900));
    await writing;
    const length = before + 608 + 908;
    await eventually(async () => expect(both.heard().length).toBe(length));
    both.socket.write(Buffer.concat([dataHead(1, 40_000, true), Buffer.alloc(40_000)]));
    await readAll(stream ?? []);
    const updates = [0, 1].map((id) => controlFrame(TYPE.windowUpdate, 0, id, 40_000));
    await eventually(async () => expect(both.heard().subarray(length).equals(Buffer.concat(updates))).toBe(true));
  });
});

test("two thousand SPDY connections of random bytes end without an unhandled error", async () => {
  const random = seededRandom("frames");
  const below = (bound: number): number => randomBelow(random, bound);
  const start = [
    await opening(),
    controlFrame(TYPE.ping, 0, 1),
    dataHead(1, 10, false),
    controlFrame(TYPE.headers, 0, 1),
  ];
  for (let count = 0; count < 2000; count += 50) {
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        await using both = await peer();
        const parts = Array.from({ length: 1 + below(6) }, () => {
          const whole = start[below(start.length)] ?? Buffer.alloc(0);
          const bytes = Buffer.from(below(3) === 0 ? random.bytes(1 + below(64)) : whole);
          // A changed byte in a frame that is right otherwise.
          if (below(2) === 0) bytes[below(bytes.length)] = below(256);
          return bytes;
        });
        both.socket.end(Buffer.concat(parts));
        void (async () => {
          for await (const incoming of both.server.incoming) await readAll(incoming.accept()).catch(() => {});
        })();
        await both.server.closed;
      }),
    );
  }
});
