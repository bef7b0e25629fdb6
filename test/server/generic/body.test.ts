import { once } from "node:events";
import { connect, createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readBody } from "../../../src/server/generic/transport/node-streams.js";

const server = createServer();
let client: ReturnType<typeof connect>;

beforeEach(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterEach(async () => {
  client.close();
  server.removeAllListeners("stream").close();
  await once(server, "close");
});

/** Sends `chunks` and answers what the server reads, though it asks only when `moment` has come. */
async function readLate(chunks: readonly string[], moment: (stream: ServerHttp2Stream) => Promise<unknown>) {
  const arrived = once(server, "stream") as Promise<[ServerHttp2Stream]>;
  const sent = client.request({ ":method": "POST", ":path": "/" }, { endStream: false });
  sent.on("error", () => {});
  for (const chunk of chunks) sent.write(chunk);
  sent.end();
  const [stream] = await arrived;
  stream.on("error", () => {});
  await moment(stream);
  const body = readBody(stream, 100).then((bytes) => Buffer.from(bytes).toString());
  return body.finally(() => stream.destroy());
}

test("an empty request body that ended before it was read is empty", async () => {
  expect(await readLate([], (stream) => once(stream, "end"))).toBe("");
});

test("a request body that waited to be read is complete", async () => {
  expect(await readLate(["one ", "two"], (stream) => once(stream, "readable"))).toBe("one two");
});

test("a request body of a client that has disconnected throws", async () => {
  const left = async (stream: ServerHttp2Stream) => {
    stream.destroy();
    await once(stream, "close");
  };
  await expect(readLate(["one"], left)).rejects.toThrow("the client is gone");
});
