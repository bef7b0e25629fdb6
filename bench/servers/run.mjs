// Compares a server of one's own in kubets with one that is built on Go's k8s.io/apiserver: the same kind, Note, in memory and with TLS, and
// all rights for everybody. Ours runs by Node and as an executable. The time from exec until /readyz answers 200, a second server in the
// same process, resident memory, and requests per second by the same client. Every round runs each server once, in turn, so that a machine
// that drifts drifts for all of them; medians and the ratios to the Go server are printed.
//   npm run bench:servers
//   ROUNDS=5              rounds of each measure
//   ONLY=ready,rates,...  of: ready (with memory), own (ready with a certificate of the server's own), second, rates
import { cpus, tmpdir } from "node:os";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { goVersion } from "../library/contenders.mjs";
import { Http1Connection, requestBytes } from "../server/http1-connection.mjs";
import { kinds } from "../server/objects.mjs";
import { servingCertificate } from "../serving-certificate.mjs";
import { startProcess } from "../server/processes.mjs";
import { median } from "../server/statistics.mjs";
import { EXECUTABLE, findContenders, REFERENCE } from "./contenders.mjs";
import { Report } from "./report.mjs";
import { jsonOf, ServerProcess } from "./server-process.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const only = process.env.ONLY?.split(",");
const SIZE = 600;
const GETS = 1000;
const GET_MS = 1000;
const CREATES = 2000;
/** From the first answer until memory is read. */
const SETTLE_MS = 500;
const MEMORY = { must: { below: 55 }, goal: { below: 50 } };
const READY = { must: { atMost: 1 }, goal: { atMost: 0.8 }, judges: (name) => name === EXECUTABLE };
const SECOND = { must: { below: 30 } };

const folder = mkdtempSync(join(tmpdir(), "kubets-bench-servers-"));
const report = new Report();
/** Makes the names of each call's objects its own; of two digits. */
let call = 10;
const wanted = (name) => only === undefined || only.includes(name);
const note = (text) => process.stderr.write(`${text}\n`);

const started = performance.now();
try {
  const contenders = findContenders(folder);
  const go = contenders.some(({ name }) => name === REFERENCE) ? `${goVersion()}, ` : "";
  process.stdout.write(
    `node ${process.version}, ${go}${cpus().length} cores (${cpus()[0]?.model}), ${rounds} rounds, medians\n\n`,
  );
  const certificate = await servingCertificate(folder);
  if (wanted("ready")) await starts(contenders, certificate);
  if (wanted("own")) await startsWithOwnCertificate(contenders);
  if (wanted("second")) await secondServers(contenders.filter(({ second }) => second !== undefined));
  if (wanted("rates")) await rates(contenders, certificate);
  process.stdout.write(report.text());
  process.stdout.write(`\n${((performance.now() - started) / 1000).toFixed(0)} s in all\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function starts(contenders, certificate) {
  note("starts");
  const samples = await inTurn(contenders, rounds, async ({ argv }) => {
    const server = await ServerProcess.start(argv, certificate);
    try {
      await pause(SETTLE_MS);
      const idle = server.rss();
      await getOften({ port: server.port, ca: certificate.ca });
      return { ready: server.readyAfter, idle, after: server.rss() };
    } finally {
      await server.stop();
    }
  });
  report.add("exec to ready, with a certificate from files", { samples: of(samples, "ready"), unit: "ms", ...READY });
  report.add("RSS when ready", { samples: of(samples, "idle"), unit: "MB", ...MEMORY });
  report.add(`RSS after ${GETS} gets`, { samples: of(samples, "after"), unit: "MB", ...MEMORY });
}

async function getOften(target) {
  const { make, collection } = kinds.note;
  const connection = await Http1Connection.open(target);
  await connection.ask(requestBytes("POST", collection("default"), make("default", "read", SIZE)));
  const get = requestBytes("GET", `${collection("default")}/read`);
  for (let count = 0; count < GETS; count++) await connection.ask(get);
  connection.close();
}

async function startsWithOwnCertificate(contenders) {
  note("starts with a certificate of their own");
  const samples = await inTurn(contenders, rounds, async ({ argv }) => {
    const server = await ServerProcess.start(argv);
    await server.stop();
    return server.readyAfter;
  });
  report.add("exec to ready, with a certificate that it makes", { samples, unit: "ms", ...READY });
}

async function secondServers(contenders) {
  note("second servers");
  const samples = await inTurn(contenders, rounds, ({ second }) => jsonOf(second));
  const first = of(samples, "first");
  report.add("a second server in the same process", {
    samples: of(samples, "second"),
    unit: "ms",
    more: (name) => `the first: ${median(first.get(name)).toFixed(0)} ms`,
    ...SECOND,
  });
}

async function rates(contenders, certificate) {
  const client = await startProcess("load.mjs");
  const servers = [];
  try {
    for (const { name, argv } of contenders) {
      const server = await ServerProcess.start(argv, certificate);
      servers.push({ name, server, target: { port: server.port, ca: certificate.ca } });
    }
    const write = { namespace: "default", object: "note", size: SIZE };
    for (const { target } of servers) {
      await client.ask({ op: "fill", target, ...write, prefix: "read", count: 1, connections: 1 });
    }
    for (const connections of [8, 64]) await ratesWith(client, servers, connections, write);
  } finally {
    for (const { server } of servers) await server.stop();
    await client.kill();
  }
}

async function ratesWith(client, servers, connections, write) {
  note(`rates, ${connections} connections`);
  const path = `${kinds.note.collection("default")}/read-00000`;
  const ask = async (message) => (await client.ask({ ...message, connections })).result;
  const samples = await inTurn(servers, rounds, async ({ target }) => ({
    get: await ask({ op: "get", target, path, milliseconds: GET_MS }),
    post: await ask({ op: "create", target, ...write, prefix: `note-${call++}`, count: CREATES }),
  }));
  for (const [kind, what] of Object.entries({ get: "GET of one object", post: "POST" })) {
    const own = of(samples, kind);
    report.add(`${what}, ${connections} connections`, {
      samples: of(own, "perSecond"),
      unit: "/s",
      more: latencies(own),
    });
  }
}

function latencies(samples) {
  return (name) => {
    const [p50, p99] = ["p50", "p99"].map((key) => median(samples.get(name).map((sample) => sample[key])).toFixed(2));
    return `p50 ${p50} ms, p99 ${p99} ms`;
  };
}

/** One figure of samples that have several. */
function of(samples, figure) {
  return new Map([...samples].map(([name, own]) => [name, own.map((sample) => sample[figure])]));
}

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}
