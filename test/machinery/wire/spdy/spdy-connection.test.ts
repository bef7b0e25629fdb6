import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { ByteStream, MultiplexedConnection } from "../../../../src/machinery/wire/streams/byte-stream.js";
import { spdyConnection } from "../../../../src/machinery/wire/spdy/spdy-connection.js";
import { eventually } from "../../../helpers/eventually.js";
import { connectedSockets } from "../streams/connected-sockets.js";
import { readAll, readText } from "../streams/read-all.js";

interface Ends extends AsyncDisposable {
  readonly client: MultiplexedConnection;
  readonly server: MultiplexedConnection;
  /** Cuts the connection at the client's end, without a word. */
  cut(): void;
  readonly sent: () => number;
}

async function ends(): Promise<Ends> {
  const sockets = await connectedSockets();
  const client = spdyConnection(sockets.client, { role: "client" });
  const server = spdyConnection(sockets.server, { role: "server" });
  return {
    client,
    server,
    cut: () => sockets.client.destroy(),
    sent: () => sockets.client.bytesWritten,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([client.close(), server.close()]);
      await sockets[Symbol.asyncDispose]();
    },
  };
}

/** Takes the next stream that the other end opens. */
async function accept(connection: MultiplexedConnection): Promise<{ stream: ByteStream; headers: object }> {
  const { value } = await connection.incoming[Symbol.asyncIterator]().next();
  if (value === undefined) throw new Error("the connection ended");
  return { stream: value.accept(), headers: value.headers };
}

async function streamBetween({ client, server }: Ends): Promise<{ near: ByteStream; far: ByteStream }> {
  const [near, { stream: far }] = await Promise.all([client.open({ streamType: "data" }), accept(server)]);
  return { near, far };
}

const text = (value: string): Uint8Array => Buffer.from(value);

describe("an SPDY stream between two ends", () => {
  test("carries its headers, with lower-case names", async () => {
    await using both = await ends();
    const [, { headers }] = await Promise.all([
      both.client.open({ streamType: "error", port: "80" }),
      accept(both.server),
    ]);
    expect(headers).toEqual({ streamtype: "error", port: "80" });
  });

  test("ends each direction separately", async () => {
    await using both = await ends();
    const { near, far } = await streamBetween(both);
    await near.write(text("question"));
    await near.end();
    expect(await readText(far)).toBe("question");
    await far.write(text("answer"));
    await far.end();
    expect(await readText(near)).toBe("answer");
  });

  test("refuses a write after its own end, and after the other end has closed", async () => {
    await using both = await ends();
    const { near, far } = await streamBetween(both);
    await near.end();
    await expect(near.write(text("more"))).rejects.toThrow("the stream was ended");
    near.destroy();
    expect(await readText(far)).toBe("");
    await eventually(async () => {
      await expect(far.write(text("late"))).rejects.toThrow("Stream reset");
    });
  });

  test("that the server opens appears as the client's incoming stream", async () => {
    await using both = await ends();
    const [near, { stream: far }] = await Promise.all([both.server.open({ name: "x" }), accept(both.client)]);
    await near.write(text("from the server"));
    await near.end();
    expect(await readText(far)).toBe("from the server");
  });

  test("cannot be opened when the other end refuses it", async () => {
    await using both = await ends();
    const opening = both.client.open({});
    const { value } = await both.server.incoming[Symbol.asyncIterator]().next();
    value?.refuse();
    await expect(opening).rejects.toThrow("Stream reset");
    expect((await streamBetween(both)).near).toBeDefined();
  });

  test("yields what had arrived before the connection broke, and then an error", async () => {
    await using both = await ends();
    const { near, far } = await streamBetween(both);
    await near.write(text("half a sen"));
    await pause(20);
    both.cut();
    const chunks: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of far) chunks.push(chunk);
    })();
    await expect(reading).rejects.toThrow("unexpected EOF");
    expect(Buffer.concat(chunks).toString()).toBe("half a sen");
    await expect(far.write(text("x"))).rejects.toThrow();
  });

  test("ends without an error when the other end closes the connection, as servers end commands", async () => {
    await using both = await ends();
    const { near, far } = await streamBetween(both);
    await far.write(text("the last word"));
    void both.server.close();
    expect(await readText(near)).toBe("the last word");
    await both.client.closed;
    expect(both.client.fault).toBeUndefined();
  });

  test("whose reader leaves does not hold back other streams", async () => {
    await using both = await ends();
    const left = await streamBetween(both);
    const other = await streamBetween(both);
    await left.near.write(text("first"));
    for await (const chunk of left.far) {
      expect(chunk.length).toBe(5);
      break;
    }
    for (let count = 0; count < 100; count++) await left.near.write(Buffer.alloc(100_000));
    await other.near.write(text("through"));
    await other.near.end();
    expect(await readText(other.far)).toBe("through");
  });
});

describe("large amounts of data on an SPDY connection", () => {
  test("make the writer wait while the other end does not read", async () => {
    await using both = await ends();
    const { near, far } = await streamBetween(both);
    let written = 0;
    const writing = (async () => {
      for (let count = 0; count < 400; count++) {
        await near.write(Buffer.alloc(100_000));
        written += 100_000;
      }
      await near.end();
    })();
    await eventually(async () => {
      const before = written;
      await pause(100);
      expect(written).toBe(before);
    });
    expect(written).toBeLessThan(20_000_000);
    expect((await readAll(far)).length).toBe(40_000_000);
    await writing;
  });

  test("of 100 MB arrive unchanged, in constant memory", async () => {
    await using both = await ends();
    const { near, far } = await streamBetween(both);
    const block = randomBytes(1_000_003);
    const [sent, received] = [createHash("sha256"), createHash("sha256")];
    const before = process.memoryUsage();
    let most = 0;
    const writing = (async () => {
      for (let count = 0; count < 100; count++) {
        sent.update(block);
        await near.write(block);
      }
      await near.end();
    })();
    let length = 0;
    for await (const chunk of far) {
      received.update(chunk);
      length += chunk.length;
      most = Math.max(most, process.memoryUsage.rss() - before.rss);
    }
    await writing;
    expect(length).toBe(100_000_300);
    expect(received.digest("hex")).toBe(sent.digest("hex"));
    expect(most).toBeLessThan(100e6);
  });

  test("on a hundred streams at once reach their own readers", async () => {
    await using both = await ends();
    const echoing = (async () => {
      for await (const incoming of both.server.incoming) {
        const stream = incoming.accept();
        void (async () => {
          for await (const chunk of stream) await stream.write(chunk);
          await stream.end();
        })();
      }
    })();
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const stream = await both.client.open({ number: String(index) });
        const sent = randomBytes(20_000 + index);
        const reading = readAll(stream);
        await stream.write(sent);
        await stream.end();
        return (await reading).equals(sent);
      }),
    );
    expect(answers.every(Boolean)).toBe(true);
    await both.client.close();
    await echoing;
  });
});

describe("an SPDY connection", () => {
  test("ends for both sides when one closes it", async () => {
    await using both = await ends();
    await both.client.close();
    await both.server.closed;
    await expect(both.server.open({})).rejects.toThrow("the connection is closed");
    await expect(both.client.open({})).rejects.toThrow("the connection is closed");
  });

  test("rejects streams that are being opened when it breaks", async () => {
    await using both = await ends();
    const opening = both.client.open({});
    await pause(10);
    both.cut();
    await expect(opening).rejects.toThrow("unexpected EOF");
  });

  test("sends pings, which the other end answers", async () => {
    await using sockets = await connectedSockets();
    const client = spdyConnection(sockets.client, { role: "client", pingPeriod: 10 });
    const [first] = (await once(sockets.server, "data")) as [Buffer];
    expect(first.subarray(0, 12).toString("hex")).toBe("800300060000000400000001");
    await client.close();
  });
});
