import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { byteStreamOf } from "../../../../src/machinery/wire/streams/duplexes.js";
import { joinStreams } from "../../../../src/machinery/wire/streams/byte-stream.js";
import { connectedSockets, type SocketPair } from "./connected-sockets.js";
import { readAll, readText } from "./read-all.js";

/** Two connections, of which the near ends are joined: what goes in at one far end comes out at the other. */
async function joined() {
  const pairs: readonly SocketPair[] = await Promise.all([0, 1].map(() => connectedSockets({ halfOpen: true })));
  const [one, other] = pairs as [SocketPair, SocketPair];
  const done = joinStreams(byteStreamOf(one.server), byteStreamOf(other.server));
  return {
    left: byteStreamOf(one.client),
    right: byteStreamOf(other.client),
    sockets: { left: one.client, right: other.client },
    done,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(pairs.map((pair) => pair[Symbol.asyncDispose]()));
    },
  };
}

describe("two connected byte streams", () => {
  test("carry bytes both ways, and end each direction separately", async () => {
    await using both = await joined();
    const sent = randomBytes(3_000_000);
    void both.left.write(sent);
    void both.left.end();
    expect((await readAll(both.right)).equals(sent)).toBe(true);
    await both.right.write(Buffer.from("an answer after the end of the question"));
    await both.right.end();
    expect(await readText(both.left)).toBe("an answer after the end of the question");
    expect(await both.done).toBeUndefined();
  });

  test("end together when one breaks", async () => {
    await using both = await joined();
    const reading = readAll(both.right).catch((error: unknown) => error);
    both.sockets.left.resetAndDestroy();
    expect((await both.done)?.message).toContain("ECONNRESET");
    await reading;
    await expect.poll(() => both.sockets.right.readableEnded || both.sockets.right.destroyed).toBe(true);
  });

  test("make the writer wait while the other end does not read", async () => {
    await using both = await joined();
    let written = 0;
    const writing = (async () => {
      for (; written < 40_000_000; written += 100_000) await both.left.write(Buffer.alloc(100_000));
      await both.left.end();
    })();
    await expect
      .poll(async () => {
        const before = written;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return written === before && written < 30_000_000;
      })
      .toBe(true);
    expect((await readAll(both.right)).length).toBe(40_000_000);
    await writing;
  });
});

describe("a socket as a byte stream", () => {
  test("rejects a write once the other end is closed, with the reason", async () => {
    await using sockets = await connectedSockets();
    const stream = byteStreamOf(sockets.client);
    sockets.server.resetAndDestroy();
    await expect(
      (async () => {
        for (;;) await stream.write(Buffer.alloc(100_000));
      })(),
    ).rejects.toThrow(/ECONNRESET|EPIPE|closed/);
    await stream.end();
  });

  test("discards input after its reader has left, so that the other end does not wait", async () => {
    await using sockets = await connectedSockets();
    const [near, far] = [byteStreamOf(sockets.client), byteStreamOf(sockets.server)];
    await near.write(Buffer.from("x"));
    for await (const chunk of far) {
      expect(chunk.length).toBe(1);
      break;
    }
    for (let count = 0; count < 200; count++) await near.write(Buffer.alloc(100_000));
    await near.end();
  });
});
