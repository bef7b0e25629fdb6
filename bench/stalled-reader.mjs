// What 50 clients that list and watch feel of a reader beside them that asks for much and never reads: their 99th
// percentile without and with it, in turns, and the server's memory. Goal: within 20 %, memory flat.
//   node build.mjs --fast && node bench/stalled-reader.mjs      (ROUNDS=4 of SECONDS=4 each, OBJECTS=20000)
import { connect } from "node:http2";
import { Agent, request } from "node:https";
import { connect as connectTls } from "node:tls";
import { MAPS, startObservedServer } from "./observed-server.mjs";

const rounds = Number(process.env.ROUNDS ?? 4);
const milliseconds = Number(process.env.SECONDS ?? 4) * 1000;
const objects = Number(process.env.OBJECTS ?? 20_000);
const CLIENTS = 50;
/** Between the lists of one client. */
const PAUSE_MS = 250;
const GOAL_RATIO = 1.2;
/** What the stalled reader asks for: everything, several times, and everything that happens. */
const GREEDY = [MAPS, MAPS, MAPS, MAPS, `${MAPS}?watch=true`, `${MAPS}?watch=true`];

const server = await startObservedServer();
const authorization = `Bearer ${server.token}`;
const ca = server.caCertificate;
const { hostname: host, port } = new URL(server.url);
const writer = connect(server.url, { ca });
let version = 0;
const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(0);
const resident = async () => {
  await server.ask({ op: "reset" });
  return (await server.ask({ op: "usage" })).rss;
};
try {
  await server.ask({ op: "fill", count: objects, bytes: 1000 });
  const clients = Array.from({ length: CLIENTS }, (_, index) => (index % 2 === 0 ? http1Client() : http2Client()));
  for (const client of clients) client.watch(`${MAPS}?watch=true&fieldSelector=metadata.name%3Dmap-000000`);
  const writing = setInterval(write, 20);
  await round(clients);
  process.stdout.write(`node ${process.version}, ${objects} ConfigMaps of 1 KB, ${rounds} rounds of each\n\n`);
  for (const [name, stall] of [
    ["HTTP/1.1", stallOverHttp1],
    ["HTTP/2", stallOverHttp2],
  ]) {
    const without = [];
    const beside = [];
    const memory = { before: await resident(), with: 0 };
    for (let count = 0; count < rounds; count++) {
      without.push(...(await round(clients)));
      const leave = await stall();
      beside.push(...(await round(clients)));
      memory.with = Math.max(memory.with, await resident());
      leave();
    }
    const [p99, p99Beside] = [percentile(without, 0.99), percentile(beside, 0.99)];
    const ratio = p99Beside / p99;
    process.stdout.write(
      `stalled over ${name.padEnd(9)} p50 ${percentile(without, 0.5).toFixed(1)} -> ${percentile(beside, 0.5).toFixed(1)} ms   p99 ${p99.toFixed(1)} -> ${p99Beside.toFixed(1)} ms   ratio ${ratio.toFixed(2)}: ${ratio <= GOAL_RATIO ? "goal met" : "OVER 1.20"}   RSS ${megabytes(memory.before)} -> ${megabytes(memory.with)} MB\n`,
    );
  }
  clearInterval(writing);
  writer.destroy();
  for (const client of clients) client.close();
} finally {
  await server.stop();
}

/** Every client lists a page again and again; answers how long each took, in milliseconds. */
async function round(clients) {
  const until = performance.now() + milliseconds;
  const took = [];
  await Promise.all(
    clients.map(async (client, index) => {
      await pause((index * PAUSE_MS) / clients.length);
      while (performance.now() < until) {
        const started = performance.now();
        await client.get(`${MAPS}?limit=50`);
        took.push(performance.now() - started);
        await pause(PAUSE_MS);
      }
    }),
  );
  return took;
}

function http1Client() {
  const agent = new Agent({ ca, keepAlive: true });
  const send = (path) =>
    new Promise((done, fail) => {
      const outgoing = request(`${server.url}${path}`, { agent, headers: { authorization } });
      outgoing.on("error", fail).on("response", (answer) => answer.resume().on("end", done).on("error", fail));
      outgoing.end();
    });
  return { get: send, watch: (path) => void send(path).catch(() => {}), close: () => agent.destroy() };
}

function http2Client() {
  const session = connect(server.url, { ca });
  const send = (path) =>
    new Promise((done, fail) => {
      session.request({ ":path": path, authorization }).on("error", fail).on("end", done).resume().end();
    });
  return { get: send, watch: (path) => void send(path).catch(() => {}), close: () => session.destroy() };
}

/** Changes the object that every watch sees. */
function write() {
  const stream = writer.request({
    ":method": "PATCH",
    ":path": `${MAPS}/map-000000`,
    authorization,
    "content-type": "application/merge-patch+json",
  });
  stream.on("error", () => {}).resume();
  stream.end(JSON.stringify({ data: { version: String(version++) } }));
}

async function stallOverHttp1() {
  const sockets = await Promise.all(
    GREEDY.map(
      (path) =>
        new Promise((done, fail) => {
          const socket = connectTls({ host, port: Number(port), ca }, () => {
            socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\n\r\n`);
            done(socket);
          });
          socket.on("error", fail);
        }),
    ),
  );
  return () => sockets.forEach((socket) => socket.destroy());
}

async function stallOverHttp2() {
  const session = connect(server.url, { ca });
  session.on("error", () => {});
  const begun = GREEDY.map(
    (path) =>
      new Promise((done) => {
        const stream = session.request({ ":path": path, authorization });
        stream.on("error", () => {}).on("response", done);
        stream.end();
      }),
  );
  await Promise.all(begun);
  return () => session.destroy();
}

function percentile(list, part) {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function pause(time) {
  return new Promise((done) => setTimeout(done, time));
}
