// What a server keeps after a load is gone: resident memory, V8's heap and what lies outside it, before the load, at its
// end, and 5 and 60 s after it. Two loads: watchers that read nothing while many events come, and many writes.
//   node build.mjs --fast && node bench/memory.mjs      (WRITES=60000, WATCHERS=400, EVENTS_MB=8, STORAGE=memory|disk)
//   BEFORE=../old/dist compares with another build, each load on a server of its own.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connect } from "node:tls";
import { fileURLToPath, pathToFileURL } from "node:url";
import { requestBytes } from "./server/http1-connection.mjs";
import { startProcess, targetOf } from "./server/processes.mjs";

const writes = Number(process.env.WRITES ?? 60_000);
const watchers = Number(process.env.WATCHERS ?? 400);
const eventBytes = Number(process.env.EVENTS_MB ?? 8) * 2 ** 20;
const storage = process.env.STORAGE ?? "memory";
const EVENT_SIZE = 8 * 1024;
const NAMESPACE = "default";

if (process.argv[2] === "serve") await serve(process.argv[3]);
else await main();

async function main() {
  const builds = { now: "dist", ...(process.env.BEFORE && { before: process.env.BEFORE }) };
  process.stdout.write(
    `node ${process.version}, ${storage} storage; MB as resident / heap used / heap / outside of it\n`,
  );
  for (const [name, dist] of Object.entries(builds)) {
    await measure(`${name}: ${watchers} unread watchers, ${eventBytes / 2 ** 20} MB of events`, dist, floodWatchers);
    await measure(`${name}: ${writes} writes`, dist, write);
  }
}

async function measure(title, dist, load) {
  const server = await startServer(dist);
  const client = await startProcess("load.mjs");
  try {
    const target = targetOf(JSON.parse(server.kubeconfig));
    const lines = [["before", await server.usage()]];
    const leave = await load(client, target);
    lines.push(["at its end", await server.usage()]);
    leave();
    for (const [seconds, wait] of [
      [5, 5],
      [60, 55],
    ]) {
      await new Promise((done) => setTimeout(done, wait * 1000));
      lines.push([`${seconds} s after`, await server.usage()]);
    }
    process.stdout.write(`\n${title}\n`);
    for (const [when, usage] of lines) process.stdout.write(`  ${when.padEnd(12)} ${megabytes(usage)}\n`);
  } finally {
    await client.kill();
    await server.stop();
  }
}

function megabytes({ rss, heapUsed, heapTotal, external }) {
  return [rss, heapUsed, heapTotal, external]
    .map((bytes) => String(Math.round(bytes / 2 ** 20)).padStart(4))
    .join(" / ");
}

/** Watches are opened and never read from, while one object changes; answers how to close them. */
async function floodWatchers(client, target) {
  await client.ask({
    op: "fill",
    target,
    namespace: NAMESPACE,
    prefix: "map",
    object: "configMap",
    count: 1,
    size: EVENT_SIZE,
    connections: 1,
  });
  const path = `/api/v1/namespaces/${NAMESPACE}/configmaps?watch=true`;
  const sockets = await Promise.all(Array.from({ length: watchers }, () => unread(target, requestBytes("GET", path))));
  const count = Math.ceil(eventBytes / EVENT_SIZE);
  await client.ask({
    op: "update",
    target,
    namespace: NAMESPACE,
    prefix: "map",
    objects: 1,
    count,
    size: EVENT_SIZE,
    connections: 4,
  });
  return () => sockets.forEach((socket) => socket.destroy());
}

function unread({ port, ca, cert, key }, bytes) {
  return new Promise((done, fail) => {
    const socket = connect({ host: "127.0.0.1", port, ca, cert, key }, () => {
      socket.pause();
      socket.write(bytes);
      done(socket);
    });
    socket.on("error", fail);
  });
}

async function write(client, target) {
  const fill = { op: "fill", target, namespace: NAMESPACE, prefix: "map", object: "configMap", size: 500 };
  const objects = 1000;
  await client.ask({ ...fill, count: objects, connections: 16 });
  await client.ask({
    op: "update",
    target,
    namespace: NAMESPACE,
    prefix: "map",
    objects,
    count: writes - objects,
    size: 500,
    connections: 16,
  });
  return () => {};
}

async function startServer(dist) {
  const child = fork(fileURLToPath(import.meta.url), ["serve", dist]);
  const next = () =>
    new Promise((done, fail) => {
      child.once("message", done);
      child.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
    });
  const { kubeconfig } = await next();
  const ask = (op) => {
    const answer = next();
    child.send({ op });
    return answer;
  };
  return { kubeconfig, usage: () => ask("usage"), stop: () => ask("stop").catch(() => {}) };
}

async function serve(dist) {
  const { startCluster } = await import(pathToFileURL(resolve(dist, "cluster.js")).href);
  const dataDir = mkdtempSync(join(tmpdir(), "kubets-memory-"));
  const cluster = await startCluster(storage === "disk" ? { storage, dataDir } : {});
  process.on("message", async ({ op }) => {
    if (op === "usage") return process.send(process.memoryUsage());
    await cluster.close();
    rmSync(dataDir, { recursive: true });
    process.exit(0);
  });
  process.on("disconnect", () => process.exit(1));
  process.send({ kubeconfig: cluster.kubeconfig() });
}
