import { join } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { Http1Connection, requestBytes } from "./http1-connection.mjs";
import { gadgets, kinds, largeDefinition } from "./objects.mjs";
import { startProcess, startServer } from "./processes.mjs";
import { median } from "./statistics.mjs";

const SIZE = 1000;
const LISTED = 10_000;
const CREATES = 2000;
const CONNECTIONS = 8;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const STORED = 200;
const STORED_BYTES = 50_000;
const MANY = 1000;
const MANY_BYTES = 5000;
/** V8 looks for old garbage, and gives its pages back, when nothing has happened for a while. */
const IDLE_MS = 45_000;

/** Custom resources with 20 rules beside ConfigMaps of the same length, on one server: create and list. */
export async function besideConfigMaps({ dist, folder, rounds, report, note }) {
  const server = await startServer(dist, join(folder, "custom"));
  const client = await startProcess("load.mjs");
  await define(server.target, [gadgets]);
  const contenders = ["configMap", "gadget"].map((name) => ({ name }));
  note("create beside ConfigMaps");
  let call = 0;
  const { target } = server;
  const created = await inTurn(contenders, rounds, async ({ name: object }) => {
    const create = { op: "create", target, namespace: "kube-public", object, prefix: `c${call++}`, count: CREATES };
    const before = await server.usage();
    const { result } = await client.ask({ ...create, size: SIZE, connections: CONNECTIONS });
    return { ...result, cpu: ((await server.usage()).cpu - before.cpu) / result.count };
  });
  rows(
    `create of ${SIZE} bytes, ${CONNECTIONS} connections`,
    created,
    ({ perSecond }) => perSecond,
    0.5,
    ({ cpu }) => cpu,
    "us",
  );
  for (const { name: object } of contenders) {
    note(`filling with ${object}s`);
    const fill = { op: "fill", target, namespace: "default", object, prefix: "listed", count: LISTED, connections: 16 };
    await client.ask({ ...fill, size: SIZE });
  }
  note("list beside ConfigMaps");
  const sizes = {};
  const listed = await inTurn(contenders, rounds, async ({ name }) => {
    const before = await server.usage();
    const { result } = await client.ask({ op: "list", target, path: kinds[name].collection("default"), times: 5 });
    sizes[name] = (result.size / 1e6).toFixed(1);
    return { perSecond: 1000 / median(result.took), cpu: ((await server.usage()).cpu - before.cpu) / 5000 };
  });
  const what = `list of ${LISTED}, ${Object.entries(sizes)
    .map(([name, size]) => `${size} MB of ${name}s`)
    .join(" and ")}`;
  rows(
    what,
    listed,
    ({ perSecond }) => perSecond,
    0.9,
    ({ cpu }) => cpu,
    "ms",
  );
  await server.stop();
  await client.kill();

  function rows(what, samples, value, least, cpu, unit) {
    const beside = samples.get("configMap").map(value);
    for (const [who, own] of samples) {
      const ofConfigMaps = median(own.map((sample, round) => value(sample) / beside[round]));
      const isCustom = who === "gadget";
      report.add({
        what,
        who: isCustom ? "custom resources with 20 rules" : "ConfigMaps",
        value: median(own.map(value)),
        unit: "/s",
        ...(isCustom && { ofConfigMaps, must: { ofConfigMaps: least } }),
        more: `${isCustom ? `${ofConfigMaps.toFixed(2)} of ConfigMaps, ` : ""}${median(own.map(cpu)).toFixed(1)} ${unit} CPU each`,
      });
    }
  }
}

/** From the start of the process to ready, with stored definitions and without. */
export async function readyWithDefinitions({ dist, folder, rounds, report, note }) {
  note(`storing ${STORED} definitions of ${STORED_BYTES} bytes`);
  const contenders = [
    { name: "no definitions", dataDir: join(folder, "ready-none"), count: 0 },
    {
      name: `${STORED} definitions of ${STORED_BYTES / 1000} KB`,
      dataDir: join(folder, "ready-stored"),
      count: STORED,
    },
  ];
  for (const { dataDir, count } of contenders) {
    const server = await startServer(dist, dataDir);
    await define(
      server.target,
      Array.from({ length: count }, (_, index) => largeDefinition(index, STORED_BYTES)),
    );
    await server.stop();
  }
  const samples = await inTurn(contenders, rounds, async ({ dataDir }) => {
    const { readyAfter, ...server } = await startServer(dist, dataDir);
    await server.stop();
    return readyAfter;
  });
  for (const { name, count } of contenders) {
    const wanted = count > 0 && { must: { below: 600 }, goal: { below: 400 } };
    report.add({ what: "process start to ready", who: name, value: median(samples.get(name)), unit: "ms", ...wanted });
  }
}

/** What definitions that nobody uses cost: the server is started on a folder that has them. */
export async function memoryOfDefinitions({ dist, folder, report, note }) {
  const servers = [];
  for (const count of [0, MANY]) {
    note(`storing ${count} definitions of ${MANY_BYTES} bytes`);
    const dataDir = join(folder, `memory-${count}`);
    const server = await startServer(dist, dataDir);
    await define(
      server.target,
      Array.from({ length: count }, (_, index) => largeDefinition(index, MANY_BYTES)),
    );
    await server.stop();
    servers.push(await startServer(dist, dataDir));
  }
  note("waiting until they are idle");
  await new Promise((done) => setTimeout(done, IDLE_MS));
  const [none, all] = await Promise.all(servers.map(async (server) => (await server.usage()).rss / 1e6));
  for (const server of servers) await server.stop();
  const what = `RSS idle, ${MANY} definitions of ${MANY_BYTES / 1000} KB over none`;
  const more = `${none.toFixed(0)} MB without, ${all.toFixed(0)} MB with them`;
  report.add({ what, who: "kubets", value: all - none, unit: "MB", must: { below: 40 }, goal: { below: 15 }, more });
}

/** Creates definitions, and waits until the last of them is established. */
async function define(target, definitions) {
  if (definitions.length === 0) return;
  const connection = await Http1Connection.open(target);
  for (const definition of definitions) await connection.ask(requestBytes("POST", DEFINITIONS, definition));
  const last = `${DEFINITIONS}/${definitions.at(-1).metadata.name}`;
  for (;;) {
    const { body } = await connection.ask(requestBytes("GET", last));
    if (body.toString().includes("InitialNamesAccepted")) break;
  }
  connection.close();
}
