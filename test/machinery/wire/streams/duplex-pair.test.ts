import { once } from "node:events";
import { expect, test } from "vitest";
import { duplexPair } from "../../../../src/machinery/wire/streams/duplex-pair.js";

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

test("two in-process stream ends carry bytes in both directions", async () => {
  const [one, other] = duplexPair();
  one.write("to ");
  one.end("the other");
  other.end("back");
  expect(await Promise.all([textOf(one), textOf(other)])).toEqual(["back", "to the other"]);
});

test("an in-process stream end can write after the other has ended its direction", async () => {
  const [one, other] = duplexPair();
  one.end();
  // Reading by an iterator would destroy it at its end.
  await once(other.resume(), "end");
  other.end("still");
  expect(await textOf(one)).toBe("still");
});

test("an in-process stream end waits while the other does not read, and goes on when it does", async () => {
  const [one, other] = duplexPair();
  const chunk = Buffer.alloc(64 * 1024, "a");
  let written = 0;
  const writing = (async () => {
    for (; written < 64; written++) if (!one.write(chunk)) await once(one, "drain");
    one.end();
  })();
  await new Promise(setImmediate);
  expect(written).toBeLessThan(8);
  expect((await textOf(other)).length).toBe(64 * chunk.length);
  await writing;
});

test("an in-process stream copies what is written, so that the writer may reuse its buffer", async () => {
  const [one, other] = duplexPair();
  const buffer = Buffer.from("first");
  one.write(buffer, () => buffer.fill("x"));
  one.end();
  expect(await textOf(other)).toBe("first");
});

test("destroying an in-process stream end closes the other, which first reads what was sent", async () => {
  const [one, other] = duplexPair();
  one.write("last words");
  await new Promise(setImmediate);
  one.destroy();
  const closed = once(other, "close");
  expect(await textOf(other)).toBe("last words");
  await closed;
  expect(other.destroyed).toBe(true);
});
