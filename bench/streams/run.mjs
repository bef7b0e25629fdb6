// Moves bytes through exec, cp and port-forward, by kubets (on the Node that runs this bench, and as an executable where it is
// built) and by the real kubectl in turn, from and to one embedded cluster. Every checksum is compared. Prints the shortest times,
// their ratio to kubectl's, how much memory each client grows by beyond the same command without bytes, and how much the server does.
//   npm run bench:streams
//   ROUNDS=5            rounds of each move
//   MEGABYTES=1000      how much is moved
//   CONNECTIONS=100     how many connections the last port-forward carries at once
//   ONLY=exec,cp,...    only moves whose name holds one of these
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fetchRealTools, toolsFolder } from "../../test/helpers/fetch-real-tools.mjs";
import { executableOf, ownTarget } from "../../tools/executable/build.mjs";
import { ApiClient } from "../cli/api-client.mjs";
import { inTurn } from "../in-turn.mjs";
import { median } from "../server/statistics.mjs";
import { startClient } from "./client-process.mjs";
import { checksumOf, content } from "./content.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const size = Number(process.env.MEGABYTES ?? 1000) * 1_000_000;
const connections = Number(process.env.CONNECTIONS ?? 100);
const only = process.env.ONLY?.split(",");
/** At least this part of what kubectl moves in the same time. */
const MUST_RATE = 0.5;
/** Megabytes. */
const MUST_GROWTH = 30;
const WIDTHS = [34, 14, 10, 14, 14, 8];
const NAMESPACE = "streams";
const PORT = 80;

fetchRealTools();
const kubectl = { name: "kubectl", argv: [join(toolsFolder, "kubectl/kubectl")] };
const executable = executableOf(ownTarget);
const ours = [
  {
    name: `node ${process.versions.node}`,
    argv: [process.execPath, resolve(import.meta.dirname, "../../bin/kubets.js")],
  },
  ...(existsSync(executable) ? [{ name: "executable", argv: [executable] }] : []),
];
const contenders = [kubectl, ...ours];

const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const folder = mkdtempSync(join(memory, "kubets-bench-streams-"));
const { NODE_EXTRA_CA_CERTS: _, ...surroundings } = process.env;
const env = { ...surroundings, HOME: folder, KUBECONFIG: join(folder, "kubeconfig") };
const local = {
  full: join(folder, "full"),
  empty: join(folder, "empty"),
  copy: join(folder, "copy"),
  fifo: join(folder, "fifo"),
};
const EMPTY_CHECKSUM = createHash("sha256").digest("hex");
const share = Math.round(size / connections);
const [checksum, shareChecksum] = [checksumOf(size), checksumOf(share)];
const server = await startServer();

try {
  writeFileSync(env.KUBECONFIG, server.kubeconfig);
  const api = new ApiClient(JSON.parse(server.kubeconfig));
  await api.runningPod(NAMESPACE, "web", "streams");
  api.close();
  writeLocalFiles();
  process.stdout.write(
    `node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}), ${size / 1e6} MB, ${rounds} rounds, the shortest of each\n\n`,
  );
  print(["", "", "time", "rate", "growth", "server's"]);
  for (const { name, move } of moves()) {
    if (only !== undefined && !only.some((part) => name.includes(part))) continue;
    for (const row of await compare(name, move)) print(row);
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A line at once: a whole run takes many minutes. */
function print(cells) {
  const text = cells.map((cell, column) => cell.padEnd(WIDTHS[column])).join("");
  process.stdout.write(`${text.trimEnd()}\n`);
}

/** Each moves all or nothing and throws where a byte is lost. `cost` is the client's. */
function moves() {
  return [
    { name: "exec out", move: execOut },
    { name: "exec in", move: execIn },
    { name: "cp from a container", move: cpDown },
    { name: "cp into a container", move: cpUp },
    { name: "port-forward out", move: (argv, full) => forward(argv, full ? [give(size, checksum)] : []) },
    { name: "port-forward in", move: (argv, full) => forward(argv, full ? [take(size, checksum)] : []) },
    { name: `port-forward out, ${connections} connections`, move: manyConnections },
  ];
}

async function compare(name, move) {
  const before = await server.resident();
  const idle = await inTurn(contenders, 3, ({ argv }) => move(argv, false));
  const full = await inTurn(contenders, rounds, async ({ argv }) => {
    const cost = await move(argv, true);
    return { ...cost, server: await server.resident() };
  });
  const shortest = (who) => Math.min(...full.get(who).map(({ wall }) => wall));
  const resident = (samples, who) => samples.get(who).map(({ rss }) => rss);
  const growthOf = (who) => Math.max(...resident(full, who)) - median(resident(idle, who));
  const held = Math.max(...[...full.values()].flat().map((sample) => sample.server)) - before;
  const secondsOf = (who) => `${(shortest(who) / 1000).toFixed(2)} s`;
  return [
    [
      name,
      kubectl.name,
      secondsOf(kubectl.name),
      "",
      `${growthOf(kubectl.name).toFixed(0)} MB`,
      `${held.toFixed(0)} MB`,
    ],
    ...ours.map(({ name: who }) => {
      const [rate, growth] = [shortest(kubectl.name) / shortest(who), growthOf(who)];
      const missedRate = rate < MUST_RATE ? " MISSED" : "";
      const missedGrowth = growth > MUST_GROWTH ? " MISSED" : "";
      return [
        "",
        who,
        secondsOf(who),
        `${rate.toFixed(2)} x${missedRate}`,
        `${growth.toFixed(0)} MB${missedGrowth}`,
        "",
      ];
    }),
  ];
}

async function execOut(argv, full) {
  const words = ["exec", "web", "-n", NAMESPACE, "--", "cat", full ? "/data/file" : "/dev/null"];
  // The client's output is a pipe, as in `kubectl exec ... | sha256sum`.
  const reader = spawn("sh", ["-c", 'sha256sum < "$1"', "sh", local.fifo], { stdio: ["ignore", "pipe", "inherit"] });
  const stdout = openSync(local.fifo, constants.O_RDWR);
  const { ended } = startClient([...argv, ...words], { env, stdout });
  const [cost] = await Promise.all([
    ended.finally(() => closeSync(stdout)),
    readText(reader.stdout).then(isChecksum(full)),
  ]);
  return cost;
}

async function execIn(argv, full) {
  const stdin = openSync(full ? local.full : local.empty, "r");
  const { child, ended } = startClient([...argv, "exec", "-i", "web", "-n", NAMESPACE, "--", "take"], { env, stdin });
  closeSync(stdin);
  const [cost] = await Promise.all([ended, readText(child.stdout).then(isChecksum(full))]);
  return cost;
}

async function cpDown(argv, full) {
  const source = full ? "/data/file" : "/data/empty";
  const { ended } = startClient([...argv, "cp", `${NAMESPACE}/web:${source}`, local.copy], { env, stdout: "ignore" });
  const cost = await ended;
  isChecksum(full)(execFileSync("sha256sum", [local.copy], { encoding: "utf8" }));
  rmSync(local.copy);
  return cost;
}

async function cpUp(argv, full) {
  const words = ["cp", full ? local.full : local.empty, `${NAMESPACE}/web:/data/upload`];
  const { ended } = startClient([...argv, ...words], { env, stdout: "ignore" });
  const cost = await ended;
  const asked = startClient([...kubectl.argv, "exec", "web", "-n", NAMESPACE, "--", "uploaded"], { env });
  isChecksum(full)(await readText(asked.child.stdout));
  return cost;
}

function manyConnections(argv, full) {
  return forward(argv, full ? Array.from({ length: connections }, () => give(share, shareChecksum)) : []);
}

/** Uses a forwarded port by all of `uses` at once; `wall` is what they took. */
async function forward(argv, uses) {
  const { child, ended, sample } = startClient([...argv, "port-forward", "pod/web", `:${PORT}`, "-n", NAMESPACE], {
    env,
  });
  const port = await new Promise((found) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, chosen] = /^Forwarding from 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
      if (chosen !== undefined) found(Number(chosen));
    });
  });
  const started = performance.now();
  // An idle client has carried a connection, too.
  await Promise.all((uses.length === 0 ? [give(0, EMPTY_CHECKSUM)] : uses).map((use) => use(port)));
  const wall = performance.now() - started;
  sample();
  child.kill("SIGINT");
  return { ...(await ended), wall };
}

/** Reads so many bytes. */
function give(count, expected) {
  return async (port) => {
    const socket = connect(port, "127.0.0.1");
    socket.write(`give ${count}\n`);
    const hash = createHash("sha256");
    for await (const chunk of socket) hash.update(chunk);
    compareChecksums(hash.digest("hex"), expected);
  };
}

/** Writes so many bytes, and reads their checksum. */
function take(count, expected) {
  return async (port) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const answer = readText(socket);
    for (const piece of content(count)) {
      if (!socket.write(piece)) await new Promise((resolve) => socket.once("drain", resolve));
    }
    socket.end();
    compareChecksums((await answer).trim(), expected);
  };
}

/** For what sha256sum prints. */
function isChecksum(full) {
  return (text) => compareChecksums(text.slice(0, 64), full ? checksum : EMPTY_CHECKSUM);
}

function compareChecksums(found, expected) {
  if (found !== expected) throw new Error(`the checksum is ${found} in place of ${expected}`);
}

async function readText(stream) {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}

function writeLocalFiles() {
  const full = openSync(local.full, "w");
  for (const piece of content(size)) writeSync(full, piece);
  closeSync(full);
  writeFileSync(local.empty, "");
  execFileSync("mkfifo", [local.fifo]);
}

async function startServer() {
  const child = spawn(process.execPath, [join(import.meta.dirname, "serve.mjs"), String(size)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise((done) => child.once("exit", done));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error("the server ended");
    return value;
  };
  return {
    kubeconfig: await next(),
    /** Megabytes. */
    async resident() {
      child.stdin.write("\n");
      return Number(await next());
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
