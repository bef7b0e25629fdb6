// What the way through the main server costs a client of an aggregated API: the same server of one kind, asked directly and through the
// aggregator, in turn, by one administrator. Both servers are processes of their own.
//   npm run bench:aggregation
//   ROUNDS=5      rounds
//   SECONDS=4     of gets by 64 connections
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { callerOf, delays, poolOf, rate, times } from "../calls.mjs";
import { inTurn } from "../in-turn.mjs";
import { startProcess, targetOf } from "../server/processes.mjs";
import { median, percentile } from "../server/statistics.mjs";
import { tableText } from "../table.mjs";

const CONNECTIONS = 64;
const GETS = 400;
const EVENTS = 200;
const rounds = Number(process.env.ROUNDS ?? 5);
const milliseconds = Number(process.env.SECONDS ?? 4) * 1000;
const GADGETS = "/apis/gadgets.example.com/v1/namespaces/default/gadgets";
const serve = resolve(import.meta.dirname, "serve.mjs");
const folder = mkdtempSync(join(tmpdir(), "kubets-bench-aggregation-"));

const main = await startProcess(serve, ["main"]);
let behind;
try {
  behind = await startBehind();
  const target = targetOf(JSON.parse(main.ready.kubeconfig));
  const contenders = [
    { name: "direct", target: { ...target, port: behind.ready.port, ca: behind.authority } },
    { name: "through", target },
  ];
  await untilServed(contenders);
  const samples = await inTurn(contenders, rounds, measure);
  process.stdout.write(`node ${process.version}, ${cpus().length} cores, ${rounds} rounds, medians\n\n`);
  const rows = [["", "get p50", `gets/s, ${CONNECTIONS} connections`, "watch p50", "watch p99"]];
  const value = (name, key) => median(samples.get(name).map((sample) => sample[key]));
  for (const { name } of contenders) {
    const milli = (key) => `${value(name, key).toFixed(2)} ms`;
    rows.push([name, milli("get"), value(name, "gets").toFixed(0), milli("watch"), milli("late")]);
  }
  process.stdout.write(tableText(rows));
  const more = samples.get("through").map((sample, round) => sample.get - samples.get("direct")[round].get);
  const shares = (key) =>
    samples.get("through").map((sample, round) => sample[key] / samples.get("direct")[round][key]);
  process.stdout.write(
    `\nthrough the main server: ${median(more).toFixed(2)} ms more a get, ${median(shares("gets")).toFixed(2)} of the rate, ${median(shares("late")).toFixed(2)} times the p99 of a watch\n`,
  );
} finally {
  await behind?.stop();
  await main.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure({ target }) {
  const one = poolOf(target, 1);
  const many = poolOf(target, CONNECTIONS);
  const call = callerOf(one);
  try {
    const name = `one-${Math.random().toString(36).slice(2)}`;
    await call("POST", GADGETS, { metadata: { name }, spec: { text: "x".repeat(400) } });
    const get = median(await times(() => call("GET", `${GADGETS}/${name}`), GETS));
    const callMany = callerOf(many);
    const gets = await rate(() => callMany("GET", `${GADGETS}/${name}`), { callers: CONNECTIONS, milliseconds });
    const write = (turn) =>
      callMany("PATCH", `${GADGETS}/${name}`, { spec: { text: String(turn) } }, "application/merge-patch+json");
    const late = await delays({ call: callMany, pool: many, list: GADGETS, write }, EVENTS);
    return { get, gets, watch: median(late), late: percentile(late, 0.99) };
  } finally {
    await one.destroy();
    await many.destroy();
  }
}

/** Starts the server of gadgets, and registers it. */
async function startBehind() {
  const { newAuthority, servingCertificate } = await helpers();
  const authority = newAuthority();
  const { certificate, key } = servingCertificate(authority, "gadgets", ["gadgets.default.svc", "127.0.0.1"]);
  const files = { "main.conf": main.ready.kubeconfig, "tls.crt": certificate, "tls.key": key };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const paths = Object.keys(files).map((name) => join(folder, name));
  const server = await startProcess(serve, ["gadgets", ...paths]);
  const pool = poolOf(targetOf(JSON.parse(main.ready.kubeconfig)), 1);
  const call = callerOf(pool);
  await call("POST", "/api/v1/namespaces/default/services", {
    metadata: { name: "gadgets" },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  await call("POST", "/apis/apiregistration.k8s.io/v1/apiservices", {
    metadata: { name: "v1.gadgets.example.com" },
    spec: {
      group: "gadgets.example.com",
      version: "v1",
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      caBundle: Buffer.from(authority.certificate).toString("base64"),
      service: { namespace: "default", name: "gadgets", port: server.ready.port },
    },
  });
  await pool.close();
  return { ...server, authority: authority.certificate };
}

async function untilServed(contenders) {
  for (const { target } of contenders) {
    const pool = poolOf(target, 1);
    const call = callerOf(pool);
    for (let left = 100; ; left--) {
      try {
        await call("GET", GADGETS);
        break;
      } catch (error) {
        if (left === 0) throw error;
        await new Promise((done) => setTimeout(done, 100));
      }
    }
    await pool.close();
  }
}

/** What tests make certificates with. */
async function helpers() {
  const outfile = join(folder, "helpers.mjs");
  const entry = resolve(import.meta.dirname, "../../test/helpers/tls-peer.ts");
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  return import(outfile);
}
