import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { GatedWriter } from "../../../../src/machinery/wire/streams/gated-writer.js";

test("a stream writer whose peer reads at once still lets other work of the event loop run", async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const writer = new GatedWriter(stream);
  let turns = 0;
  const other = setInterval(() => turns++, 1);
  for (let count = 0; count < 200_000 && turns === 0; count++) await writer.write([Buffer.alloc(64 * 1024)]);
  clearInterval(other);
  expect(turns).toBe(1);
});

test("a stream writer rejects a write after a failure with that failure, before the stream is destroyed", async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error("reset")) });
  stream.on("error", () => {});
  const writer = new GatedWriter(stream);
  await expect(
    (async () => {
      for (let count = 0; count < 1000; count++) await writer.write([Buffer.alloc(1000)]);
    })(),
  ).rejects.toThrow("reset");
});

test("several writes to a stream wait together, and go on when its buffer is empty", async () => {
  const held: (() => void)[] = [];
  const stream = new Writable({ highWaterMark: 1000, write: (_chunk, _encoding, done) => void held.push(done) });
  const writer = new GatedWriter(stream);
  const writes = [1, 2, 3].map(() => writer.write([Buffer.alloc(300_000)]));
  let over = 0;
  for (const write of writes) void write.then(() => over++);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(over).toBe(0);
  while (stream.writableLength > 0) {
    held.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(writes);
});

test("a stream writer reports when the stream no longer needs the memory of a write", async () => {
  const held: (() => void)[] = [];
  const stream = new Writable({ write: (_chunk, _encoding, done) => void held.push(done) });
  const writer = new GatedWriter(stream);
  let sent = false;
  await writer.write([Buffer.alloc(10), Buffer.alloc(10)], () => (sent = true));
  held.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toBe(false);
  held.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toBe(true);
});
