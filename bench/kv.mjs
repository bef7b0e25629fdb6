// Measures disk storage below the API: writes from 1 to 256 writers, each after the answer of its last, beside the floor
// of a bare write and flush in the same run; and what objects cost in memory once a watch cache would have loaded them.
//   node --expose-gc bench/kv.mjs [DIRECTORY]
import { mkdirSync, mkdtempSync, openSync, closeSync, fdatasyncSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const SECONDS = 2;
const OBJECTS = 50_000;
const root = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), "kubets-kv-bench-"));
const { openSqliteKv, remove } = await bundled();
try {
  floor();
  for (const writers of [1, 8, 64, 256]) await writes(writers);
  for (const size of [630, 3000]) await memory(size);
} finally {
  rmSync(folder, { recursive: true, force: true });
  remove();
}

function floor() {
  const file = openSync(join(folder, "floor"), "w");
  const pages = Buffer.alloc(16 * 1024, 1);
  const samples = [];
  for (const end = performance.now() + 1000 * SECONDS; performance.now() < end; ) {
    const started = performance.now();
    writeSync(file, pages);
    fdatasyncSync(file);
    samples.push(performance.now() - started);
  }
  closeSync(file);
  report("floor: 16 KiB appended and flushed", samples);
}

async function writes(writers) {
  const kv = await openSqliteKv({ directory: join(folder, `writes-${writers}`) });
  const samples = [];
  const end = performance.now() + 1000 * SECONDS;
  const write = async (_, writer) => {
    const key = `/registry/configmaps/default/cm-${writer}`;
    let { revision } = await kv.create(key, value(630));
    while (performance.now() < end) {
      const started = performance.now();
      ({ revision } = await kv.update(key, value(630), revision));
      samples.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  await kv.close();
  report(`${writers} writers of 630 bytes`, samples);
}

async function memory(size) {
  const directory = join(folder, `memory-${size}`);
  const filling = await openSqliteKv({ directory });
  for (let at = 0; at < OBJECTS; at += 500) {
    const creates = Array.from({ length: 500 }, (_, more) =>
      filling.create(`/registry/pods/a/p-${at + more}`, value(size)),
    );
    await Promise.all(creates);
  }
  await filling.close();
  globalThis.gc?.();
  const before = process.memoryUsage();
  const started = performance.now();
  const kv = await openSqliteKv({ directory });
  const opened = performance.now();
  const { items } = await kv.list("");
  const loaded = performance.now();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const each = (bytes) => Math.round(bytes / items.length);
  process.stdout.write(
    `${items.length} objects of ${size} bytes: opened in ${(opened - started).toFixed(0)} ms, listed in ${(loaded - opened).toFixed(0)} ms, ` +
      `${each(heapUsed - before.heapUsed)} bytes of heap and ${each(external - before.external)} outside it for each\n`,
  );
  await kv.close();
}

function value(size) {
  return new Uint8Array(size).fill(97);
}

function report(what, samples) {
  samples.sort((a, b) => a - b);
  const at = (share) => `${samples[Math.floor(samples.length * share)].toFixed(2)} ms`;
  const rate = Math.round(samples.length / SECONDS);
  process.stdout.write(`${what}: ${rate}/s, p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}\n`);
}

/** The store and its thread, built from the sources as a build does; below node_modules, where the driver is found. */
async function bundled() {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, "kubets-kv-bench-"));
  writeFileSync(join(outdir, "package.json"), '{ "type": "module" }\n');
  const sources = join(root, "src/server/storage/sqlite");
  await build({
    entryPoints: [join(sources, "sqlite-kv.ts"), join(sources, "sqlite-worker.ts")],
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql"],
  });
  const { openSqliteKv } = await import(join(outdir, "sqlite-kv.js"));
  return { openSqliteKv, remove: () => rmSync(outdir, { recursive: true, force: true }) };
}
