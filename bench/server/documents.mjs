import { join } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { startProcess, startServer } from "./processes.mjs";
import { median } from "./statistics.mjs";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const TIMES = 6;
/** V8 gives empty pages back when nothing has happened for most of a minute. */
const IDLE_MS = 60_000;

const DOCUMENTS = [
  { name: "discovery, aggregated", paths: ["/api", "/apis"], accept: AGGREGATED },
  { name: "OpenAPI v3 index", paths: ["/openapi/v3"] },
  { name: "OpenAPI v3, every document", paths: undefined },
  { name: "OpenAPI v2, JSON", paths: ["/openapi/v2"] },
  { name: "OpenAPI v2, protobuf", paths: ["/openapi/v2"], accept: V2_PROTOBUF },
];

/** Discovery and OpenAPI of a new server, asked for the first time and again, in one row of requests. */
export async function timeOfDocuments({ builds, folder, rounds, report, beside, note }) {
  const client = await startProcess("load.mjs");
  const contenders = Object.entries(builds).map(([name, dist]) => ({ name, dist }));
  let start = 0;
  note("discovery and OpenAPI, cold and warm");
  const samples = await inTurn(contenders, rounds, async ({ dist }) => {
    const server = await startServer(dist, join(folder, `documents-${start++}`));
    const sample = {};
    for (const one of DOCUMENTS) sample[one.name] = await readDocuments(client, server.target, one);
    await server.stop();
    return sample;
  });
  for (const document of DOCUMENTS) {
    const of = new Map([...samples].map(([who, own]) => [who, own.map((sample) => sample[document.name])]));
    for (const [who, own] of of) {
      const size = own[0].size < 1e5 ? `${(own[0].size / 1e3).toFixed(1)} KB` : `${(own[0].size / 1e6).toFixed(1)} MB`;
      for (const temperature of ["cold", "warm"]) {
        const value = median(own.map((sample) => sample[temperature]));
        report.add({ what: document.name, who: `${who}, ${temperature}`, value, unit: "ms", more: size });
      }
    }
    beside(`${document.name}, cold`, of, { cold: "time" });
    beside(`${document.name}, warm`, of, { warm: "time" });
  }
  await client.kill();
}

/** Memory of idle servers before any client asked for OpenAPI, and after one read all of it in every form: held, and resident. */
export async function memoryOfDocuments({ builds, folder, report, note }) {
  const client = await startProcess("load.mjs");
  const servers = [];
  for (const [name, dist] of Object.entries(builds)) {
    servers.push({ name, server: await startServer(dist, join(folder, `documents-memory-${name}`)) });
  }
  const resident = async () => {
    note("waiting until the servers are idle");
    await new Promise((done) => setTimeout(done, IDLE_MS));
    return Promise.all(
      servers.map(async ({ server }) => {
        const { rss } = await server.usage();
        const { usage } = await server.ask({ op: "usage", held: true });
        return { rss: rss / 1e6, held: usage.held / 1e6 };
      }),
    );
  };
  const before = await resident();
  for (const { server } of servers) {
    for (const one of DOCUMENTS.filter(({ name }) => name.startsWith("OpenAPI"))) {
      await readDocuments(client, server.target, one);
    }
  }
  const after = await resident();
  const figures = { held: "memory held for OpenAPI, garbage collected", rss: "RSS of OpenAPI, garbage included" };
  for (const [figure, what] of Object.entries(figures)) {
    for (const [index, { name }] of servers.entries()) {
      const [from, to] = [before[index][figure], after[index][figure]];
      const more = `${from.toFixed(0)} MB before, ${to.toFixed(0)} MB after`;
      report.add({ what, who: name, value: to - from, unit: "MB", goal: { below: 15 }, more });
    }
  }
  for (const { server } of servers) await server.stop();
  await client.kill();
}

/** Milliseconds of all paths together: of the first reads, and of the median of those that follow. */
async function readDocuments(client, target, { paths, accept }) {
  const total = { cold: 0, warm: 0, size: 0 };
  for (const path of paths ?? (await documentPaths(client, target))) {
    const { result } = await client.ask({ op: "list", target, path, accept, times: TIMES });
    const [first, ...rest] = result.took;
    total.cold += first;
    total.warm += median(rest);
    total.size += result.size;
  }
  return total;
}

async function documentPaths(client, target) {
  const { result } = await client.ask({ op: "fetchOnce", target, path: "/openapi/v3" });
  const { paths } = JSON.parse(Buffer.from(result.body, "base64"));
  return Object.values(paths).map(({ serverRelativeURL }) => serverRelativeURL);
}
