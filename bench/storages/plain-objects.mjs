// What plain objects cost: get and list of one object, served from the server's memory storage and from code that keeps it in a Map, by one
// server in this process without a socket. Rounds alternate; medians of microseconds of the processor a request are printed, and their difference.
//   npm run build && node bench/storages/plain-objects.mjs
//   ROUNDS=9  REQUESTS=20000
import { int32, startServer, string, struct } from "kubets/server";
import { median } from "../server/statistics.mjs";
import { tableText } from "../table.mjs";

const rounds = Number(process.env.ROUNDS ?? 9);
const requests = Number(process.env.REQUESTS ?? 20_000);

const schema = struct("Widget", { spec: struct("WidgetSpec", { size: int32, text: string }) });
const definition = (resource, kind, storage) => ({
  group: "bench.example.com",
  resource,
  kind,
  namespaced: true,
  versions: [{ version: "v1", schema }],
  ...(storage && { storage }),
});

const kept = new Map();
const objects = {
  get: (name) => kept.get(name),
  list: () => kept.values(),
  create: (object) => void kept.set(object.metadata.name, object),
};

const server = await startServer({
  port: false,
  resources: [definition("stored", "Stored"), definition("plain", "Plain", { objects })],
});
const transport = server.transport();

async function send(method, path, body) {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const { status, body: answer } = await transport.send({ method, path, headers, ...(body && { body }) });
  for await (const _ of answer);
  if (status >= 300) throw new Error(`${method} ${path}: ${status}`);
}

const pathOf = (resource) => `/apis/bench.example.com/v1/namespaces/default/${resource}`;
const widget = { metadata: { name: "one" }, spec: { size: 1, text: "x".repeat(400) } };
for (const resource of ["stored", "plain"]) await send("POST", pathOf(resource), Buffer.from(JSON.stringify(widget)));

const cases = ["", "/one"].flatMap((end) => ["stored", "plain"].map((resource) => pathOf(resource) + end));
const samples = new Map(cases.map((path) => [path, []]));
for (let round = 0; round <= rounds; round++) {
  for (const path of cases) {
    // Processor time: other programs of the machine do not count.
    const start = process.cpuUsage();
    for (let index = 0; index < requests; index++) await send("GET", path);
    // The first round warms up.
    if (round > 0) samples.get(path).push(spent(start) / requests);
  }
}
await server.close();

function spent(start) {
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

const value = (path) => median(samples.get(path));
const lines = [["", "memory storage", "plain objects", "difference"]];
for (const [name, end] of [
  ["list of one", ""],
  ["get", "/one"],
]) {
  const [stored, plain] = ["stored", "plain"].map((resource) => value(pathOf(resource) + end));
  lines.push([name, `${stored.toFixed(1)} µs`, `${plain.toFixed(1)} µs`, `${(plain - stored).toFixed(1)} µs`]);
}
process.stdout.write(tableText(lines));
