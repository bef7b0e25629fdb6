// What clients see of one kubets server on each storage: creates by 64 connections, gets, patches, a list of 10,000 and how late events of a
// watch are. Servers and databases are processes of their own, and every storage flushes its writes but memory. Each round has a server and
// a store of its own for each storage, in turn; medians and ratios to etcd are printed.
//   npm run bench:storages
//   ROUNDS=3                   rounds
//   SECONDS=4                  of creates, gets and patches each
//   ONLY=disk,etcd,...         of: memory, disk, files, etcd, postgres; etcd is what the others are compared with
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { callerOf, delays, poolOf, rate, times } from "../calls.mjs";
import { inTurn } from "../in-turn.mjs";
import { startProcess, targetOf } from "../server/processes.mjs";
import { median, percentile } from "../server/statistics.mjs";
import { tableText } from "../table.mjs";

const CONNECTIONS = 64;
const LISTED = 10_000;
const rounds = Number(process.env.ROUNDS ?? 3);
const milliseconds = Number(process.env.SECONDS ?? 4) * 1000;
const load = { callers: CONNECTIONS, milliseconds };
const only = process.env.ONLY?.split(",");
const MAPS = "/api/v1/namespaces/default/configmaps";
const serve = resolve(import.meta.dirname, "serve.mjs");
const folder = mkdtempSync(join(tmpdir(), "kubets-bench-storages-"));
const { startEtcd, etcdMissing, startPostgres, postgresMissing, remove } = await helpers();

const storages = [
  { name: "memory", open: async () => ({ options: { storage: "memory" }, end: async () => {} }) },
  { name: "disk", open: async (dataDir) => ({ options: { storage: "disk", dataDir }, end: async () => {} }) },
  { name: "files", open: async (at) => ({ options: { storage: `files:${at}` }, end: async () => {} }) },
  { name: "etcd", missing: etcdMissing, open: onEtcd },
  { name: "postgres", missing: postgresMissing, open: onPostgres },
].filter(({ name }) => only === undefined || only.includes(name));

try {
  for (const { name, missing } of storages)
    if (missing !== undefined) process.stdout.write(`without ${name}: ${missing}\n`);
  const there = storages.filter(({ missing }) => missing === undefined);
  const samples = await inTurn(there, rounds, measure, { warmUp: false });
  process.stdout.write(
    `node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}), ${rounds} rounds, medians\n\n`,
  );
  const value = (name, key) => median(samples.get(name).map((sample) => sample[key]));
  const lines = [["", "create/s", "get/s", "patch/s", `list of ${LISTED}`, "watch p99"]];
  for (const { name } of there) {
    const ratio = (key) => (samples.has("etcd") ? ` (${(value(name, key) / value("etcd", key)).toFixed(2)} x)` : "");
    lines.push([
      name,
      ...["creates", "gets", "patches"].map((key) => `${value(name, key).toFixed(0)}${ratio(key)}`),
      `${value(name, "list").toFixed(0)} ms${ratio("list")}`,
      `${value(name, "watch").toFixed(1)} ms`,
    ]);
  }
  process.stdout.write(tableText(lines));
} finally {
  rmSync(folder, { recursive: true, force: true });
  remove();
}

async function measure({ name, open }) {
  const directory = mkdtempSync(join(folder, `${name}-`));
  const { options, end } = await open(directory);
  const server = await startProcess(serve, [JSON.stringify(options)]);
  const { port, ca, cert, key } = targetOf(JSON.parse(server.ready.kubeconfig));
  const pool = poolOf({ port, ca, cert, key }, CONNECTIONS);
  const call = callerOf(pool);
  const map = (id) => ({ metadata: { name: `map-${id}` }, data: { text: "x".repeat(400) } });
  let made = 0;
  try {
    for (let index = 0; index < 200; index++) await call("POST", MAPS, map(made++));
    const creates = await rate(() => call("POST", MAPS, map(made++)), load);
    const gets = await rate((turn) => call("GET", `${MAPS}/map-${turn % made}`), load);
    const patches = await rate(
      (turn) =>
        call("PATCH", `${MAPS}/map-${turn % made}`, { data: { turn: String(turn) } }, "application/merge-patch+json"),
      load,
    );
    while (made < LISTED) {
      await Promise.all(Array.from({ length: CONNECTIONS }, () => call("POST", MAPS, map(made++))));
    }
    const lists = await times(() => call("GET", `${MAPS}?limit=${LISTED}`), 5);
    const write = (turn) =>
      call("PATCH", `${MAPS}/map-0`, { data: { late: String(turn) } }, "application/merge-patch+json");
    const late = await delays({ call, pool, list: MAPS, write }, 200);
    return { creates, gets, patches, list: median(lists), watch: percentile(late, 0.99) };
  } finally {
    await pool.close();
    await server.stop();
    await end();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function onEtcd() {
  const etcd = await startEtcd();
  return { options: { storage: "etcd", etcd: { servers: [etcd.endpoint] } }, end: () => etcd.dispose() };
}

async function onPostgres() {
  const postgres = await startPostgres();
  return { options: { storage: await postgres.database("bench") }, end: () => postgres.dispose() };
}

/** The tests' own starts of etcd and PostgreSQL. */
async function helpers() {
  const outfile = resolve(import.meta.dirname, `../../node_modules/.cache/kubets-bench-storages-${process.pid}.mjs`);
  await build({
    stdin: {
      contents: 'export * from "./test/helpers/etcd.ts"; export * from "./test/helpers/postgres.ts";',
      resolveDir: resolve(import.meta.dirname, "../.."),
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql", "pg", "vitest", "@grpc/grpc-js"],
    logLevel: "error",
  });
  // Two modules have helpers of one name, which no bench needs.
  return { ...(await import(outfile)), remove: () => rmSync(outfile, { force: true }) };
}
