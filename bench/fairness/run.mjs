// What a flood of one user does to the others: 1,000 connections over TLS, each of which asks again as soon as it was answered, for a note or
// for a list of them. Beside it an administrator and a user of the flood's priority level get a note every 50 ms, a leader election renews its lease
// every 2 s, and a controller gets a note every 200 ms. kubets with and without priority and fairness, and a server on Go's
// k8s.io/apiserver with fairness, which asks a kubets server for users, rights and FlowSchemas. Each runs alone, in turn; the flood and the
// others are a process each, on the cores of the server.
//   npm run bench:fairness
//   SECONDS=60         of the flood, for each server
//   ROUNDS=1           of each server; medians
//   CONNECTIONS=1000   of the flood
//   FLOODS=gets,lists  what it asks: gets of a note, lists of 100 notes
//   OBEYS=no           yes: a client of the flood that is refused waits as long as Retry-After says, as client-go does
//   ONLY=...           parts of the servers' names, by commas
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { goVersion } from "../library/contenders.mjs";
import { startProcess } from "../server/processes.mjs";
import { callerOf } from "./caller.mjs";
import { findContenders, GO, note, NOTES } from "./contenders.mjs";
import { makeFiles, tokenOf } from "./files.mjs";
import { reportText } from "./report.mjs";

const { SECONDS = "60", ROUNDS = "1", CONNECTIONS = "1000", FLOODS = "gets,lists", OBEYS = "no", ONLY } = process.env;
const milliseconds = Number(SECONDS) * 1000;
const connections = Number(CONNECTIONS);
const rounds = Number(ROUNDS);
const NOTES_STORED = 100;
/** Between the flood's begin and the measurement. */
const WARM_UP_MS = 3000;
const READ = `${NOTES}/note-0`;
const EVERY = { get: 50, renewal: 2000, controller: 200 };
/** So many requests of a client are on their way at once; the others wait for these, and their time passes. */
const PROBE_CONNECTIONS = 16;

const folder = mkdtempSync(join(tmpdir(), "kubets-bench-fairness-"));
const processOf = (file) => startProcess(resolve(import.meta.dirname, file));
try {
  const certificate = await makeFiles(folder);
  const wanted = ({ name }) => ONLY === undefined || ONLY.split(",").some((part) => name.includes(part));
  const contenders = findContenders({ folder, certificate }).filter(wanted);
  const go = contenders.some(({ name }) => name === GO) ? `${goVersion()}, ` : "";
  process.stdout.write(
    `node ${process.version}, ${go}${cpus().length} cores (${cpus()[0]?.model}), which server, flood and clients share; ` +
      `${SECONDS} s, ${rounds} rounds\n`,
  );
  for (const asks of FLOODS.split(",")) {
    process.stdout.write(
      `\n${connections} connections of one user: ${asks}, ${OBEYS === "yes" ? "as" : "sooner than"} Retry-After says\n\n`,
    );
    const measure = (contender) => measureOne(contender, { certificate, asks });
    process.stdout.write(reportText(await inTurn(contenders, rounds, measure, { warmUp: false }), { asks }));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What each client measured on one server, by the client's name, and the flood's counts per second. */
async function measureOne({ name, start }, { certificate: { ca }, asks }) {
  process.stderr.write(`${asks}, ${name}\n`);
  const server = await start();
  const target = { port: server.port, ca };
  const [flood, probes] = await Promise.all([processOf("flood.mjs"), processOf("probes.mjs")]);
  try {
    await fill(target, server.election);
    const path = asks === "lists" ? NOTES : READ;
    const began = performance.now();
    await flood.ask({
      op: "start",
      target: { ...target, token: tokenOf("flood") },
      path,
      connections,
      obeys: OBEYS === "yes",
    });
    const ready = performance.now();
    process.stderr.write(`  ${connections} handshakes: ${((ready - began) / 1000).toFixed(1)} s\n`);
    const { results } = await probes.ask({
      target,
      clients: clients(server.election),
      milliseconds,
      warmUp: WARM_UP_MS,
    });
    const counts = await flood.ask({ op: "stop" });
    const seconds = (performance.now() - ready) / 1000;
    const perSecond = Object.entries(counts).map(([kind, count]) => [kind, count / seconds]);
    return { clients: results, flood: Object.fromEntries(perSecond) };
  } finally {
    await Promise.all([flood.kill(), probes.kill()]);
    await server.stop();
  }
}

async function fill(target, election) {
  const ask = callerOf({ ...target, token: tokenOf("admin") });
  for (let index = 0; index < NOTES_STORED; index++) await ask("POST", NOTES, note(`note-${index}`));
  election.object = await ask("POST", election.at, election.object);
}

function clients({ at, object }) {
  const get = { method: "GET", path: READ, connections: PROBE_CONNECTIONS };
  return [
    { name: "administrator", ...get, token: tokenOf("admin"), every: EVERY.get },
    { name: "quiet user", ...get, token: tokenOf("quiet"), every: EVERY.get },
    {
      name: "leader election",
      method: "PUT",
      path: `${at}/${object.metadata.name}`,
      body: object,
      token: tokenOf("leader"),
      every: EVERY.renewal,
      connections: 1,
    },
    { name: "controller", ...get, token: tokenOf("controller"), every: EVERY.controller },
  ];
}
