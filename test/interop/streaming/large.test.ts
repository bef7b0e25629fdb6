import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ByteStream } from "../../../src/machinery/wire/streams/byte-stream.js";
import type { ScriptedImage } from "../../../src/node/scripted/image.js";
import { programUnderTest } from "../../helpers/program-under-test.js";
import { pod, type StreamingCluster, streamingCluster } from "../../helpers/streaming-cluster.js";

const SIZE = 200_000_000;
/** How many bytes a client may grow by, beyond the same command without bytes. */
const MOST_GROWTH = 30 * 2 ** 20;

const missing = process.platform === "linux" ? undefined : "only Linux says how much memory a process had at most";
if (missing !== undefined) process.stdout.write(`memory of large streams is not measured: ${missing}\n`);

const PIECE = 64 * 1024;
/** A prime number of bytes, so that a lost or swapped piece changes the checksum. */
const PERIOD = 1_048_573;
const PATTERN = Buffer.from(Array.from({ length: PERIOD + PIECE }, (_, at) => ((at % PERIOD) * 40_503) >>> 9));

function* content(size: number): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < size; at += PIECE) {
    const from = at % PERIOD;
    yield PATTERN.subarray(from, from + Math.min(PIECE, size - at));
  }
}

async function checksum(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}

/** Port 80 sends the content; port 81 takes bytes to their end and sends their checksum. */
const image: ScriptedImage = {
  // A copy is written into the container: more than its files may be without a capacity.
  capacity: 2 * SIZE,
  files: {
    "/data/full": { size: SIZE, read: () => content(SIZE), write: () => undefined },
    "/data/empty": { size: 0, read: () => content(0), write: () => undefined },
  },
  ports: { 80: sendContent, 81: sendChecksum },
};

async function sendContent(connection: ByteStream): Promise<void> {
  for (const piece of content(SIZE)) await connection.write(piece);
  await connection.end();
}

async function sendChecksum(connection: ByteStream): Promise<void> {
  await connection.write(Buffer.from(await checksum(connection)));
  await connection.end();
}

let folder: string;
let streaming: StreamingCluster;
const expected: Record<"full" | "empty", string> = { full: "", empty: "" };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-large-"));
  streaming = await streamingCluster([pod("web", [{ name: "c", image: "large" }])], { large: image });
  writeFileSync(join(folder, "kubeconfig"), streaming.cluster.kubeconfig());
  await pipeline(Readable.from(content(SIZE)), createWriteStream(join(folder, "full")));
  writeFileSync(join(folder, "empty"), "");
  expected.full = await checksum(content(SIZE));
  expected.empty = await checksum(content(0));
});

afterAll(async () => {
  await streaming[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe.skipIf(missing !== undefined)(
  `${SIZE / 1e6} MB arrive as they were sent, and the client grows by less than 30 MB`,
  () => {
    it("exec, out of a container", () =>
      growsLittle(async (which) => {
        const client = start("exec", "web", "--", "cat", `/data/${which}`);
        const peak = peakOf(client);
        const found = await checksum(client.stdout ?? []);
        return { found, peak: await peak };
      }));

    it("exec, into a container", () =>
      growsLittle(async (which) => {
        const client = start("exec", "-i", "web", "--", "sha256sum");
        const text = readText(client);
        const sending = pipeline(createReadStream(join(folder, which)), client.stdin as NodeJS.WritableStream);
        const peak = peakOf(client);
        await sending;
        return { found: (await text).slice(0, 64), peak: await peak };
      }));

    it("cp, out of a container", () =>
      growsLittle(async (which) => {
        const copy = join(folder, "copy");
        const peak = await peakOf(start("cp", `web:data/${which}`, copy));
        return { found: await checksum(createReadStream(copy)), peak };
      }));

    it("cp, into a container", () =>
      growsLittle(async (which) => {
        const peak = await peakOf(start("cp", join(folder, which), "web:/tmp/copy"));
        const asked = start("exec", "web", "--", "sha256sum", "/tmp/copy");
        return { found: (await readText(asked)).slice(0, 64), peak };
      }));

    it("port-forward, out of a pod", () =>
      growsLittle(async (which) => {
        const { client, port } = await forward(80);
        const peak = peakOf(client);
        const found = which === "full" ? await checksum(connect(port, "127.0.0.1")) : expected.empty;
        client.kill("SIGINT");
        return { found, peak: await peak };
      }));

    it("port-forward, into a pod", () =>
      growsLittle(async (which) => {
        const { client, port } = await forward(81);
        const peak = peakOf(client);
        const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
        const answer = new Promise<string>((resolve) => {
          let text = "";
          socket.on("data", (chunk) => (text += chunk.toString())).on("end", () => resolve(text));
        });
        await pipeline(createReadStream(join(folder, which)), socket);
        const found = await answer;
        client.kill("SIGINT");
        return { found, peak: await peak };
      }));
  },
);

/** Moves nothing, then everything. */
async function growsLittle(
  move: (which: "full" | "empty") => Promise<{ readonly found: string; readonly peak: number }>,
): Promise<void> {
  const idle = await move("empty");
  expect(idle.found).toBe(expected.empty);
  expect(idle.peak).toBeGreaterThan(0);
  const full = await move("full");
  expect(full.found).toBe(expected.full);
  expect(full.peak - idle.peak).toBeLessThan(MOST_GROWTH);
}

function start(...words: readonly string[]): ChildProcess {
  const [file = "", ...args] = [...programUnderTest, ...words];
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  return spawn(file, args, { env: { ...env, HOME: folder, KUBECONFIG: join(folder, "kubeconfig") } });
}

/** Starts a port-forward of a port, and finds the local one. */
async function forward(remote: number): Promise<{ readonly client: ChildProcess; readonly port: number }> {
  const client = start("port-forward", "pod/web", `:${remote}`);
  const port = await new Promise<number>((resolve, reject) => {
    client.once("exit", (code) => reject(new Error(`the port-forward ended with ${code}`)));
    client.stdout?.on("data", (chunk: Buffer) => {
      const [, local] = /^Forwarding from 127\.0\.0\.1:(\d+)/m.exec(chunk.toString()) ?? [];
      if (local !== undefined) resolve(Number(local));
    });
  });
  return { client, port };
}

async function readText({ stdout }: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of stdout ?? []) text += chunk;
  return text;
}

/** The bytes that a process had resident at most, once it has ended. */
async function peakOf(client: ChildProcess): Promise<number> {
  let peak = 0;
  const sample = (): void => {
    try {
      const [, found] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${client.pid}/status`, "utf8")) ?? [];
      if (found !== undefined) peak = Number(found) * 1024;
    } catch {
      // The process is gone.
    }
  };
  sample();
  const sampling = setInterval(sample, 10);
  if (client.exitCode === null && client.signalCode === null) await new Promise((ended) => client.once("exit", ended));
  clearInterval(sampling);
  return peak;
}
