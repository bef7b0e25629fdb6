// Measures the client library beside @kubernetes/client-node and client-go: what an import takes, and what an informer of all
// ConfigMaps costs, each in a fresh process that follows one kubets server (memory storage, a process of its own) over HTTPS.
// Every round runs each contender once, in turn, so that a machine that drifts drifts for all of them; medians are printed.
//   npm run bench:library
//   ROUNDS=3               rounds of each measure
//   BEFORE=FOLDER          another build's dist/, measured as one more contender; paired ratios to it are printed
//   ONLY=import,sync,...   of: import, sync (of few objects), live, backlog, many (sync of many objects)
//   FEW=10000 MANY=100000  objects of the two syncs
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { NODE_24, node24 } from "../node-24.mjs";
import { PairedRatios } from "../paired-ratios.mjs";
import { startProcess, targetOf } from "../server/processes.mjs";
import { median } from "../server/statistics.mjs";
import { findContenders, goVersion, REFERENCE } from "./contenders.mjs";
import { FollowerProcess } from "./follower-process.mjs";
import { importTime } from "./import-time.mjs";
import { Report } from "./report.mjs";

const rounds = Number(process.env.ROUNDS ?? 3);
const only = process.env.ONLY?.split(",");
const FEW = Number(process.env.FEW ?? 10_000);
const MANY = Number(process.env.MANY ?? 100_000);
const OURS = "kubets";
const BEFORE = "before";
const root = resolve(import.meta.dirname, "../..");
const builds = { [OURS]: join(root, "dist") };
if (process.env.BEFORE !== undefined) builds[BEFORE] = resolve(process.env.BEFORE);

const IMPORTS = 20;
const IMPORT_GOAL_MS = 25;
const SPEED = { [OURS]: { ratio: 3 } };
const MEMORY = { [OURS]: { ratio: 0.5 } };
/** Changes of each round. Those that are held back fit into the server's history of them. */
const LIVE_CHANGES = 6000;
const HELD_CHANGES = 10_000;
/** How many objects the changes are of. */
const CHANGED_OBJECTS = 2000;

const folder = mkdtempSync(join(tmpdir(), "kubets-bench-library-"));
const report = new Report();
const ratios = new PairedRatios();
let changes = 0;
const wanted = (name) => only === undefined || only.includes(name);
const note = (text) => process.stderr.write(`${text}\n`);

const started = performance.now();
try {
  const contenders = findContenders(builds, folder);
  const go = contenders.some(({ name }) => name === "client-go") ? `${goVersion()}, ` : "";
  process.stdout.write(
    `node ${process.version}, ${go}${cpus().length} cores (${cpus()[0]?.model}), ${rounds} rounds, medians; ratios over 1 are faster, or more memory\n` +
      "Lists of client-node and in pages come as JSON in gzip, streaming lists and watches as JSON, those of client-go as protobuf.\n\n",
  );
  if (wanted("import")) await imports();
  if (["sync", "live", "backlog", "many"].some(wanted)) await informers(contenders);
  process.stdout.write(report.text());
  if (!ratios.isEmpty) process.stdout.write(`\n${ratios.text()}`);
  process.stdout.write(`\n${((performance.now() - started) / 1000).toFixed(0)} s in all\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function imports() {
  const nodes = [process.execPath];
  if (!process.version.startsWith("v24.")) {
    try {
      nodes.unshift(node24());
    } catch (error) {
      note(`without Node 24: ${error.message}`);
    }
  }
  for (const node of nodes) {
    const version = node === process.execPath ? process.version : `v${NODE_24}`;
    note(`import, node ${version}`);
    const specifiers = { [REFERENCE]: "@kubernetes/client-node" };
    for (const [name, dist] of Object.entries(builds)) specifiers[name] = join(dist, "index.js");
    const contenders = Object.entries(specifiers).map(([name, specifier]) => ({ name, specifier }));
    const samples = await inTurn(contenders, IMPORTS, ({ specifier }) => importTime(node, specifier, root));
    beside(`import, node ${version}`, "time", samples);
    report.add(`import, node ${version}`, {
      samples,
      unit: "ms",
      kind: "time",
      reference: REFERENCE,
      ...(version.startsWith("v24.") && { goals: { [OURS]: { below: IMPORT_GOAL_MS } } }),
      more: (name) => `least ${Math.min(...samples.get(name)).toFixed(1)} ms of ${IMPORTS} processes`,
    });
  }
}

async function informers(contenders) {
  const server = await startProcess(join(import.meta.dirname, "serve.mjs"), [builds[OURS]]);
  const writer = await startProcess(join(import.meta.dirname, "writer.mjs"));
  const target = targetOf(JSON.parse(server.ready.kubeconfig));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, server.ready.kubeconfig);
  const write = async (op, message = {}) => (await writer.ask({ op, target, ...message })).result;
  const fill = async (from, to) => {
    note(`filling with ${to - from} objects`);
    await write("create", { from, to });
    return write("list");
  };
  const cluster = { server, kubeconfig, write };

  await write("namespaces");
  const few = await fill(0, FEW);
  if (wanted("sync")) await sync(contenders, cluster, few, { warmUp: true });
  if (wanted("live")) await live(contenders, cluster, few);
  if (wanted("backlog")) await backlog(contenders, cluster, few);
  if (wanted("many")) await sync(contenders, cluster, await fill(FEW, MANY), { warmUp: false });
  await server.stop();
  await writer.kill();
}

/** From the start of the informer until its handler was called for every object. */
async function sync(contenders, { server, kubeconfig }, { objects, bytes }, warmUp) {
  const measure = async ({ name, argv }) => {
    note(`sync of ${objects}, ${name}`);
    const before = await server.usage();
    const follower = await FollowerProcess.start(argv, kubeconfig, objects);
    await follower.stop();
    return { ...follower.synced, serverCpu: ((await server.usage()).cpu - before.cpu) / 1000 };
  };
  const samples = await inTurn(contenders, rounds, measure, warmUp);
  const size = (name, figure) => `${(median(figures(samples, figure).get(name)) / 1e6).toFixed(0)} MB`;
  const add = (what, figure, row) => addFigure(`${what}, ${objects} objects`, samples, figure, row);
  const list = `${objects} objects (a list of ${(bytes / 1e6).toFixed(1)} MB)`;
  addFigure(`time to sync ${list}`, samples, "milliseconds", {
    unit: "ms",
    kind: "time",
    goals: SPEED,
    more: (name) => `the server ${median(figures(samples, "serverCpu").get(name)).toFixed(0)} ms CPU`,
  });
  add("CPU time of the sync", "cpu", { unit: "ms", kind: "time", goals: SPEED });
  const memory = { unit: "MB", kind: "memory", goals: MEMORY, scale: 1e-6 };
  const more = (name) => `${size(name, "settledRss")} after a collection`;
  add("RSS when synced", "rss", { ...memory, more });
  add("heap after a collection", "heap", memory);
}

/** The writer is what limits the rate, so that CPU time is what tells contenders apart. */
async function live(contenders, { kubeconfig, write }, { objects }) {
  const measure = async ({ name, argv }) => {
    note(`live changes, ${name}`);
    const follower = await FollowerProcess.start(argv, kubeconfig, objects);
    const { counted } = await follower.count(LIVE_CHANGES);
    const [cost] = await Promise.all([counted, change(write, LIVE_CHANGES)]);
    await follower.stop();
    return eventsOf(LIVE_CHANGES, cost);
  };
  const samples = await inTurn(contenders, rounds, measure, { warmUp: false });
  addFigure(`events per CPU second, ${LIVE_CHANGES} changes as they are made`, samples, "perCpuSecond", {
    unit: "/s",
    kind: "rate",
    goals: SPEED,
    more: (name) => `${median(figures(samples, "perSecond").get(name)).toFixed(0)} changes/s were made`,
  });
}

/** The contenders are suspended while the changes are made, and then read them one after the other as fast as each can. */
async function backlog(contenders, { kubeconfig, write }, { objects }) {
  const samples = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const held = [];
    for (const { name, argv } of contenders) {
      const follower = await FollowerProcess.start(argv, kubeconfig, objects);
      held.push({ name, follower, ...(await follower.count(HELD_CHANGES)) });
      follower.suspend();
    }
    note(`changes that are held back, round ${round + 1}`);
    await change(write, HELD_CHANGES);
    for (const { name, follower, counted } of round % 2 === 0 ? held : held.toReversed()) {
      follower.resume();
      samples.get(name).push(eventsOf(HELD_CHANGES, await counted));
      await follower.stop();
    }
  }
  const what = `${HELD_CHANGES} changes that were held back`;
  addFigure(`events per second, ${what}`, samples, "perSecond", { unit: "/s", kind: "rate", goals: SPEED });
  addFigure(`events per CPU second, ${what}`, samples, "perCpuSecond", { unit: "/s", kind: "rate", goals: SPEED });
}

function change(write, count) {
  return write("update", { count, objects: Math.min(CHANGED_OBJECTS, FEW), mark: `change-${changes++}` });
}

function eventsOf(count, { milliseconds, cpu }) {
  return { perSecond: (count * 1000) / milliseconds, perCpuSecond: (count * 1000) / cpu };
}

/** Adds one figure of all samples to the report, and to the ratios to the build before. */
function addFigure(what, samples, figure, { scale = 1, ...row }) {
  const scaled = new Map([...figures(samples, figure)].map(([name, own]) => [name, own.map((value) => value * scale)]));
  report.add(what, { samples: scaled, reference: REFERENCE, ...row });
  beside(what, row.kind, scaled);
}

function figures(samples, figure) {
  return new Map([...samples].map(([name, own]) => [name, own.map((sample) => sample[figure])]));
}

/** Sets our samples beside those of the build before, if that is measured. */
function beside(what, kind, samples) {
  if (builds[BEFORE] === undefined) return;
  const [ours, before] = [OURS, BEFORE].map((name) => samples.get(name));
  if (kind === "rate") ratios.addRate(what, ours, before);
  else ratios.add(what, kind, ours, before);
}
