// The decoder of watches beside the shortest code that could do it (split at newlines, JSON.parse), which loses integers
// beyond 2^53 and does not tell what is no event. Rounds in turn, so that a machine that drifts drifts for both.
//   node bench/client/watch-decoder.mjs            (ROUNDS=9 by default)
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { median } from "../server/statistics.mjs";

const rounds = Number(process.env.ROUNDS ?? 9);
const folder = mkdtempSync(join(tmpdir(), "kubets-bench-"));
const outfile = join(folder, "watch-events.mjs");
await build({
  entryPoints: [resolve(import.meta.dirname, "../../src/client/dynamic/watch-events.ts")],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  logLevel: "error",
});
const { watchBatches } = await import(pathToFileURL(outfile));
rmSync(folder, { recursive: true });

const event = (index, padding) => {
  const metadata = {
    name: `pod-${index}`,
    namespace: "default",
    uid: `3f2a-0b1e-${index}`,
    resourceVersion: `${index}`,
  };
  const spec = { nodeName: "n1", containers: [{ name: "c", image: "nginx:1.27", ports: [{ containerPort: 80 }] }] };
  const status = { phase: "Running", podIP: "10.0.0.1", message: "x".repeat(padding) };
  const object = { kind: "Pod", apiVersion: "v1", metadata, spec, status };
  return `${JSON.stringify({ type: "MODIFIED", object })}\n`;
};

process.stdout.write(`node ${process.version}, ${rounds} rounds, medians in events a second\n\n`);
for (const [what, count, padding, chunk] of [
  ["small events, 64 KiB chunks", 100_000, 0, 65_536],
  ["2 KiB events, 64 KiB chunks", 30_000, 1700, 65_536],
  ["small events, a chunk for each", 100_000, 0, 0],
]) {
  const chunks = chunksOf(
    Array.from({ length: count }, (_, index) => event(index, padding)),
    chunk,
  );
  const rates = { ours: [], plain: [] };
  for (let round = 0; round < rounds; round++) {
    rates.ours.push(await rate(ours, chunks, count));
    rates.plain.push(await rate(plain, chunks, count));
  }
  const ratio = median(rates.ours.map((one, round) => one / rates.plain[round]));
  const [mine, other] = [median(rates.ours), median(rates.plain)].map((one) => Math.round(one).toString().padStart(8));
  process.stdout.write(`${what.padEnd(32)} ours ${mine}   split and parse ${other}   ratio ${ratio.toFixed(2)}\n`);
}

function chunksOf(lines, size) {
  if (size === 0) return lines.map((line) => Buffer.from(line));
  const all = Buffer.from(lines.join(""));
  const chunks = [];
  for (let at = 0; at < all.length; at += size) chunks.push(all.subarray(at, at + size));
  return chunks;
}

async function* body(chunks) {
  yield* chunks;
}

async function rate(decode, chunks, count) {
  const started = performance.now();
  const decoded = await decode(body(chunks));
  if (decoded !== count) throw new Error(`${decoded} events of ${count}`);
  return (count / (performance.now() - started)) * 1000;
}

async function ours(chunks) {
  let count = 0;
  for await (const events of watchBatches(chunks)) count += events.length;
  return count;
}

async function plain(chunks) {
  let count = 0;
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (JSON.parse(line).type !== undefined) count++;
  }
  return count;
}
