// Measures one kubets server (HTTPS, disk storage that flushes every write) with load clients in processes of their own
// beside it, against what Node costs at least: bare TLS servers that answer the same bytes. Every round runs each
// contender once, in turn, so that a machine that drifts drifts for all of them; medians are printed.
//   npm run bench:server
//   ROUNDS=5            rounds of each measure
//   BEFORE=FOLDER       another build's dist/, measured as one more contender; paired ratios to it are printed
//   ONLY=get,list,...   of: ready, get, list, watch, pods, tables, documents, create, patch, access, tokens, memory, custom, definitions; patches are measured beside creates
//   MANY=50000          objects of each kind for the memory figures
import { cpus, tmpdir } from "node:os";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { accessOfUsers } from "./access.mjs";
import { PairedRatios } from "../paired-ratios.mjs";
import { besideConfigMaps, memoryOfDefinitions, readyWithDefinitions } from "./custom-resources.mjs";
import { memoryOfDocuments, timeOfDocuments } from "./documents.mjs";
import { startProcess, startServer } from "./processes.mjs";
import { Report } from "./report.mjs";
import { tokensOfAccounts } from "./tokens.mjs";
import { median, percentile } from "./statistics.mjs";
import { tablesOfPods } from "./tables.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const only = process.env.ONLY?.split(",");
const OURS = "kubets";
const builds = { [OURS]: resolve(import.meta.dirname, "../../dist") };
if (process.env.BEFORE !== undefined) builds.before = resolve(process.env.BEFORE);

const SIZE = 630;
const LIST = 10_000;
const WATCHERS = 100;
const UPDATES = 1000;
const WATCHED_NAMESPACE = "kube-node-lease";
const WATCHED_OBJECTS = 100;
const WRITERS = 16;
const FIXED_RATE = 100;
const GET_MS = 1000;
const CREATES = 2000;
const PATCHES = 2000;
/** More than there are connections: no two patches under way are of one object. */
const PATCHED_OBJECTS = 500;
const CONTENDED_PATCHES = 500;
const MANY = Number(process.env.MANY ?? 50_000);
const POD_SIZE = 3000;
/** A machine that is too slow makes fewer objects. */
const FILL_SECONDS = 45;
/** Time for what was in flight, and for what only waits to be collected. */
const SETTLE_MS = 5000;
const IDLE_MS = 45_000;

/** kube-apiserver 1.20 and etcd 3.4 on two cores, measured elsewhere: for orientation. */
const ORIENTATION = {
  get: { 8: 3900, 64: 6000 },
  create: { 8: 2300, 64: 3400 },
  patch: { 8: 1400, 64: 1260 },
  list: 120,
  cachedList: 85,
  watch: 21_700,
  steadyWatch: 26,
  ready: 3800,
  idle: 367,
  after: 1800,
};

const folder = mkdtempSync(join(tmpdir(), "kubets-bench-server-"));
const report = new Report();
const ratios = new PairedRatios();
const wanted = (name) => only === undefined || only.includes(name);
const note = (text) => process.stderr.write(`${text}\n`);

const started = performance.now();
try {
  process.stdout.write(
    `node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}), ${rounds} rounds, medians\n\n`,
  );
  if (wanted("ready")) await processStart();
  if (["get", "list", "watch"].some(wanted)) await load();
  if (wanted("pods")) await podLists();
  const paired = { builds, folder, rounds, report, beside, note };
  if (wanted("tables")) await tablesOfPods(paired);
  if (wanted("documents")) {
    await timeOfDocuments(paired);
    await memoryOfDocuments(paired);
  }
  if (["create", "patch"].some(wanted)) await writes();
  const custom = { dist: builds[OURS], folder, rounds, report, note };
  if (wanted("custom")) await besideConfigMaps(custom);
  if (wanted("definitions")) {
    await readyWithDefinitions(custom);
    await memoryOfDefinitions(custom);
  }
  if (wanted("access")) await accessOfUsers(paired);
  if (wanted("tokens")) await tokensOfAccounts(paired);
  if (wanted("memory")) await memory();
  process.stdout.write(report.text());
  if (!ratios.isEmpty) process.stdout.write(`\n${ratios.text()}`);
  process.stdout.write(`\n${((performance.now() - started) / 1000).toFixed(0)} s in all\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function processStart() {
  let start = 0;
  const contenders = Object.entries(builds).map(([name, dist]) => ({ name, dist }));
  const samples = await inTurn(contenders, rounds, async ({ dist }) => {
    const server = await startServer(dist, join(folder, `ready-${start++}`));
    await pause(500);
    const idle = (await server.usage()).rss / 1e6;
    await server.stop();
    return { ready: server.readyAfter, idle };
  });
  const add = (what, figure, row) => {
    for (const { name } of contenders)
      report.add({ what, who: name, value: medians(samples.get(name))[figure], ...row });
  };
  add("process start to ready", "ready", { unit: "ms", apiserver: ORIENTATION.ready });
  add("RSS idle", "idle", { unit: "MB", apiserver: ORIENTATION.idle });
  beside("process start to ready", samples, { ready: "time" });
  beside("RSS idle", samples, { idle: "memory" });
}

async function load() {
  const contenders = [];
  const clients = { load: await startProcess("load.mjs"), writer: await startProcess("load.mjs") };
  for (const [name, dist] of Object.entries(builds)) {
    const server = await startServer(dist, join(folder, `load-${name}`));
    contenders.push({ name, server, target: server.target });
    note(`filling ${name}`);
    await fillForLoad(clients.writer, server.target);
  }
  for (const kind of ["https", "http2"]) {
    const server = await startProcess("floor.mjs", [kind, join(folder, `load-${OURS}`, "pki.json")]);
    const name = kind === "https" ? "floor" : "floor, http2 server";
    contenders.push({ name, server, floor: true, target: { ...contenders[0].target, port: server.ready.port } });
  }
  if (wanted("get")) for (const connections of [8, 64]) await gets(clients.load, contenders, connections);
  if (wanted("list")) await lists(clients.load, contenders, "");
  if (wanted("list")) await lists(clients.load, contenders, "?resourceVersion=0");
  if (wanted("watch"))
    await watches(
      clients,
      contenders.filter(({ floor }) => !floor),
    );
  const held = new Map();
  for (const { name, server, floor } of contenders) {
    if (floor) continue;
    const value = (await server.usage()).rss / 1e6;
    held.set(name, [{ value }]);
    report.add({ what: "RSS after load", who: name, value, unit: "MB", apiserver: ORIENTATION.after });
  }
  beside("RSS after load (one pair)", held, { value: "memory" });
  for (const { server } of contenders) await server.stop();
  for (const client of Object.values(clients)) await client.kill();
}

async function fillForLoad(client, target) {
  const fill = { op: "fill", target, object: "configMap", size: SIZE, connections: WRITERS };
  await client.ask({ ...fill, namespace: "default", prefix: "listed", count: LIST });
  await client.ask({ ...fill, namespace: WATCHED_NAMESPACE, prefix: "watched", count: WATCHED_OBJECTS });
}

async function gets(client, contenders, connections) {
  note(`get, ${connections} connections`);
  const path = "/api/v1/namespaces/default/configmaps/listed-00042";
  await teachFloors(client, contenders, path);
  const samples = await inTurn(contenders, rounds, async ({ server, target }) => {
    const before = await server.usage();
    const { result } = await client.ask({ op: "get", target, path, connections, milliseconds: GET_MS });
    const cpu = (await server.usage()).cpu - before.cpu;
    return { ...result, cpu: cpu / result.count, clientBusy: result.clientCpu / 1000 / GET_MS };
  });
  const floor = samples.get("floor").map(({ perSecond }) => perSecond);
  beside(`get, ${connections} connections`, samples, { perSecond: "rate", p99: "tail" });
  for (const { name } of contenders) {
    const own = samples.get(name);
    const { perSecond, p50, p99, cpu, clientBusy } = medians(own);
    report.add({
      what: `get, ${connections} connections`,
      who: name,
      value: perSecond,
      unit: "/s",
      ofFloor: median(own.map((sample, round) => sample.perSecond / floor[round])),
      apiserver: ORIENTATION.get[connections],
      ...(name === OURS && { must: { times: 3, ofFloor: 0.4 }, goal: { ofFloor: 0.6 } }),
      more: `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${cpu.toFixed(0)} us CPU each, client ${(clientBusy * 100).toFixed(0)} % busy`,
    });
  }
}

async function lists(client, contenders, query) {
  note(`list ${query}`);
  const path = `/api/v1/namespaces/default/configmaps${query}`;
  await teachFloors(client, contenders, path);
  let size = 0;
  const samples = await inTurn(contenders, rounds, async ({ server, target }) => {
    const before = await server.usage();
    const { result } = await client.ask({ op: "list", target, path, times: 5 });
    size = result.size;
    return { took: median(result.took), cpu: ((await server.usage()).cpu - before.cpu) / 5000 };
  });
  const floor = samples.get("floor").map(({ took }) => took);
  beside(`list of ${LIST}${query}`, samples, { took: "time" });
  const apiserver = query === "" ? ORIENTATION.list : ORIENTATION.cachedList;
  for (const { name } of contenders) {
    const own = samples.get(name);
    report.add({
      what: `list of ${LIST} (${(size / 1e6).toFixed(1)} MB)${query}`,
      who: name,
      value: median(own.map(({ took }) => took)),
      unit: "ms",
      ofFloor: median(own.map(({ took }, round) => took / floor[round])),
      apiserver,
      ...(name === OURS && { must: { times: 5 }, goal: { ofFloor: 1.5 } }),
      more: `${median(own.map(({ cpu }) => cpu)).toFixed(1)} ms CPU each`,
    });
  }
}

/** One list in each media type, from the same server in turn. Protobuf is made of an object once, at its first list. */
async function podLists() {
  const mediaTypes = { JSON: "application/json", protobuf: "application/vnd.kubernetes.protobuf" };
  const client = await startProcess("load.mjs");
  for (const [name, dist] of Object.entries(builds)) {
    const server = await startServer(dist, join(folder, `pods-${name}`));
    const { target } = server;
    note(`filling ${name} with pods`);
    const fill = { op: "fill", target, object: "pod", size: POD_SIZE, connections: WRITERS, seconds: FILL_SECONDS };
    const { result: filled } = await client.ask({ ...fill, namespace: "default", prefix: "pod", count: LIST });
    const contenders = Object.entries(mediaTypes).map(([media, accept]) => ({ name: media, accept }));
    const sizes = {};
    const first = {};
    const samples = await inTurn(contenders, rounds, async ({ name: media, accept }) => {
      const path = "/api/v1/namespaces/default/pods";
      const { result } = await client.ask({ op: "list", target, path, accept, times: 3 });
      sizes[media] = result.size;
      first[media] ??= result.took[0];
      return median(result.took);
    });
    for (const { name: media } of contenders) {
      report.add({
        what: `list of ${filled.made} pods`,
        who: `${name}, ${media}`,
        value: median(samples.get(media)),
        unit: "ms",
        more: `${(sizes[media] / 1e6).toFixed(1)} MB, the first ${first[media].toFixed(0)} ms`,
      });
    }
    await server.stop();
  }
  await client.kill();
}

async function watches(clients, contenders) {
  const fast = await inTurn(contenders, rounds, (contender) => watchOnce(clients, contender, UPDATES, 0));
  beside(`watch, ${WATCHERS} x ${UPDATES} updates`, fast, { perSecond: "rate", p99: "tail" });
  for (const { name } of contenders) {
    const { perSecond, p99, cpu, updates } = medians(fast.get(name));
    report.add({
      what: `watch, ${WATCHERS} x ${UPDATES} updates`,
      who: name,
      value: perSecond,
      unit: "/s",
      apiserver: ORIENTATION.watch,
      ...(name === OURS && { must: { times: 4 }, goal: { times: 8 } }),
      more: `p99 ${p99.toFixed(1)} ms (kube-apiserver 59), ${cpu.toFixed(2)} us CPU an event, ${updates.toFixed(0)} updates/s`,
    });
  }
  const seconds = 3;
  const steady = await inTurn(contenders, builds.before === undefined ? Math.min(rounds, 3) : rounds, (contender) =>
    watchOnce(clients, contender, FIXED_RATE * seconds, FIXED_RATE),
  );
  beside(`watch at ${FIXED_RATE} updates/s`, steady, { p99: "tail" });
  for (const { name } of contenders) {
    const { p50, p99, cpu } = medians(steady.get(name));
    report.add({
      what: `watch p99 at ${FIXED_RATE} updates/s`,
      who: name,
      value: p99,
      unit: "ms",
      apiserver: ORIENTATION.steadyWatch,
      ...(name === OURS && { must: { below: ORIENTATION.steadyWatch } }),
      more: `p50 ${p50.toFixed(2)} ms, ${cpu.toFixed(2)} us CPU an event`,
    });
  }
}

async function watchOnce({ load: watcher, writer }, { server, target }, count, perSecond) {
  note(`watch ${count} ${perSecond}`);
  const collection = `/api/v1/namespaces/${WATCHED_NAMESPACE}/configmaps`;
  const { result: one } = await writer.ask({ op: "fetchOnce", target, path: `${collection}?limit=1` });
  const { resourceVersion } = JSON.parse(Buffer.from(one.body, "base64")).metadata;
  const path = `${collection}?watch=true&resourceVersion=${resourceVersion}`;
  await watcher.ask({ op: "watch", target, path, count: WATCHERS, expected: count });
  const before = await server.usage();
  const update = { op: "update", target, namespace: WATCHED_NAMESPACE, prefix: "watched", objects: WATCHED_OBJECTS };
  const written = await writer.ask({ ...update, count, size: SIZE, connections: WRITERS, perSecond });
  const seen = await watcher.ask({ op: "watched" });
  const { cpu } = await server.usage();
  await watcher.ask({ op: "stopWatching" });
  return { ...delays(written.result, seen.result), cpu: (cpu - before.cpu) / (count * WATCHERS) };
}

/** From a write's acknowledgement to each watcher's event of it; an event that overtakes its acknowledgement has none. */
function delays({ started: first, acknowledged }, { versions, times }) {
  const acknowledgedAt = new Map(acknowledged);
  const waits = [];
  let last = 0n;
  for (const [watcher, seen] of versions.entries()) {
    for (const [index, version] of seen.entries()) {
      const at = acknowledgedAt.get(version);
      if (at === undefined) throw new Error(`a watcher saw version ${version}, which nobody wrote`);
      const time = times[watcher][index];
      if (time > last) last = time;
      waits.push(Math.max(0, Number(time - at) / 1e6));
    }
    if (new Set(seen).size !== acknowledged.length) throw new Error("a watcher did not see every write once");
  }
  waits.sort((a, b) => a - b);
  const seconds = Number(last - first) / 1e9;
  return {
    perSecond: waits.length / seconds,
    updates: acknowledged.length / seconds,
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
  };
}

async function writes() {
  const client = await startProcess("load.mjs");
  const contenders = [];
  for (const [name, dist] of Object.entries(builds)) {
    const server = await startServer(dist, join(folder, `writes-${name}`));
    contenders.push({ name, server, target: server.target });
    const fill = { op: "fill", target: server.target, object: "configMap", size: SIZE, connections: WRITERS };
    await client.ask({ ...fill, namespace: "default", prefix: "patched", count: PATCHED_OBJECTS });
  }
  const server = await startProcess("floor.mjs", ["https", join(folder, `writes-${OURS}`, "pki.json")]);
  contenders.push({ name: "floor", server, floor: true, target: { ...contenders[0].target, port: server.ready.port } });
  for (const connections of [8, 64]) await writesWith(client, contenders, connections);
  await reportMemoryAfterWrites(contenders.filter((contender) => !contender.floor));
  for (const contender of contenders) await contender.server.stop();
  await client.kill();
}

async function writesWith(client, contenders, connections) {
  note(`create and patch, ${connections} connections`);
  let call = 100;
  const measured = async ({ server, target }, message) => {
    const before = await server.usage();
    const { result } = await client.ask({ ...message, target, namespace: "default", connections });
    const cpu = (await server.usage()).cpu - before.cpu;
    return { ...result, cpu: cpu / result.count, clientBusy: result.clientCpu / 1000 / result.milliseconds };
  };
  const samples = await inTurn(contenders, rounds, async (contender) => {
    const mark = `c${connections}-${call++}`;
    const create = await measured(contender, { op: "create", prefix: mark, count: CREATES, size: SIZE });
    if (contender.floor || !wanted("patch")) return { create };
    const patch = { op: "patch", prefix: "patched", mark };
    return {
      create,
      patch: await measured(contender, { ...patch, objects: PATCHED_OBJECTS, count: PATCHES }),
      contended: await measured(contender, { ...patch, objects: 1, count: CONTENDED_PATCHES }),
    };
  });
  const floor = samples.get("floor").map(({ create }) => create.perSecond);
  const of = (kind) => new Map([...samples].map(([name, own]) => [name, own.map((sample) => sample[kind])]));
  beside(`create, ${connections} connections`, of("create"), { perSecond: "rate", p99: "tail" });
  for (const { name } of contenders) {
    reportWrites(`create, ${connections} connections`, name, {
      own: samples.get(name).map(({ create }) => create),
      of: { ofFloor: floor },
      apiserver: ORIENTATION.create[connections],
      must: { times: 2, ofFloor: 0.3 },
      goal: { times: 3 },
    });
  }
  if (!wanted("patch")) return;
  beside(`merge patch, ${connections} connections`, of("patch"), { perSecond: "rate", p99: "tail" });
  beside(`merge patch of one object, ${connections} connections`, of("contended"), { perSecond: "rate", p99: "tail" });
  const servers = contenders.filter((contender) => !contender.floor);
  const patches = (kind, what, wanted) => {
    for (const { name } of servers) {
      const of = { ofCreate: samples.get(name).map(({ create }) => create.perSecond) };
      reportWrites(what, name, { own: samples.get(name).map((sample) => sample[kind]), of, ...wanted });
    }
  };
  patches("patch", `merge patch of ${PATCHED_OBJECTS} objects, ${connections} connections`, {
    apiserver: ORIENTATION.patch[connections],
    must: { ofCreate: 0.7 },
    goal: { ofCreate: 0.9 },
  });
  patches("contended", `merge patch of one object, ${connections} connections`, {});
}

/** `of` names what the rate of each round is compared with. */
function reportWrites(what, who, { own, of, apiserver, must, goal }) {
  const { perSecond, p50, p99, cpu, clientBusy } = medians(own);
  const ratios = Object.entries(of).map(([name, rates]) => [
    name,
    median(own.map((sample, round) => sample.perSecond / rates[round])),
  ]);
  const ofCreate = ratios.find(([name]) => name === "ofCreate");
  const shown = ofCreate === undefined ? "" : `${ofCreate[1].toFixed(2)} of create, `;
  report.add({
    what,
    who,
    value: perSecond,
    unit: "/s",
    apiserver,
    ...Object.fromEntries(ratios),
    ...(who === OURS && { must, goal }),
    more: `${shown}p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${cpu.toFixed(0)} us CPU each, client ${(clientBusy * 100).toFixed(0)} % busy`,
  });
}

/** Memory of all servers at the same moments after the same writes. */
async function reportMemoryAfterWrites(servers) {
  const held = `${PATCHED_OBJECTS + 2 * (rounds + 1) * CREATES} ConfigMaps held`;
  const add = async (what) => {
    const samples = new Map();
    for (const { name, server } of servers) {
      const value = (await server.usage()).rss / 1e6;
      samples.set(name, [{ value }]);
      const must = name === OURS && { must: { below: 300 } };
      report.add({ what: `${what}, ${held}`, who: name, value, unit: "MB", ...must });
    }
    beside(`${what} (one pair)`, samples, { value: "memory" });
  };
  await pause(SETTLE_MS);
  await add(`RSS ${SETTLE_MS / 1000} s after writes`);
  // V8 looks for old garbage, and gives its pages back, when nothing has happened for a while.
  await pause(IDLE_MS - SETTLE_MS);
  await add(`RSS ${IDLE_MS / 1000} s after writes`);
}

async function memory() {
  const dataDir = join(folder, "memory");
  const client = await startProcess("load.mjs");
  const server = await startServer(builds[OURS], dataDir);
  const fill = { op: "fill", target: server.target, namespace: "default", prefix: "many", connections: WRITERS };
  const bounds = { count: MANY, seconds: FILL_SECONDS };
  note("filling for memory");
  const { result: configMaps } = await client.ask({ ...fill, ...bounds, object: "configMap", size: SIZE });
  const { result: pods } = await client.ask({ ...fill, ...bounds, object: "pod", size: POD_SIZE });
  await pause(SETTLE_MS);
  const measured = { who: OURS, unit: "MB", must: { below: 600 }, goal: { below: 400 } };
  const what = `RSS, ${configMaps.made} ConfigMaps and ${pods.made} pods`;
  report.add({ ...measured, what, value: (await server.usage()).rss / 1e6 });
  await server.stop();
  const again = await startServer(builds[OURS], dataDir);
  await pause(SETTLE_MS);
  const more = `ready after ${again.readyAfter.toFixed(0)} ms`;
  report.add({ ...measured, what: "the same, started again", value: (await again.usage()).rss / 1e6, more });
  await again.stop();
  await client.kill();
}

/** Sets our samples beside those of the build before, if that is measured: `figures` says of what kind each is. */
function beside(what, samples, figures) {
  if (builds.before === undefined) return;
  for (const [figure, kind] of Object.entries(figures)) {
    const [ours, before] = [OURS, "before"].map((name) => samples.get(name).map((sample) => sample[figure]));
    if (kind === "rate") ratios.addRate(what, ours, before);
    else ratios.add(kind === "tail" ? `${what}: p99` : what, kind, ours, before);
  }
}

/** The floors answer from now on what the server answers to this path. */
async function teachFloors(client, contenders, path) {
  const { target } = contenders.find(({ name }) => name === OURS);
  const { result } = await client.ask({ op: "fetchOnce", target, path });
  for (const { server, floor } of contenders) if (floor) await server.ask({ op: "answer", ...result });
}

function medians(samples) {
  return Object.fromEntries(Object.keys(samples[0]).map((key) => [key, median(samples.map((sample) => sample[key]))]));
}

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}
