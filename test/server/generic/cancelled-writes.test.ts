import { afterEach, describe, expect, test } from "vitest";
import { type Deferred, deferred } from "../../../src/base/async/deferred.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { withPorts } from "../../../src/server/builtin/core/services/node-ports.js";
import { NODE_PORTS, PortSet } from "../../../src/server/builtin/core/services/port-set.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import type { Kv } from "../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { type AdmittingServer, admittingServer, done } from "../../helpers/admitting-server.js";
import { eventually } from "../../helpers/eventually.js";

const CORE = "/api/v1/namespaces/default";
const MAPS = `${CORE}/configmaps`;
const SERVICES = `${CORE}/services`;

/** A step of a request at which the test holds it. */
interface Held {
  readonly reached: Deferred<void>;
  readonly release: Deferred<void>;
}

type Step = (name: string) => boolean;

const holds = new Map<Step, Held>();

/** Holds the next request that comes to the step: "admit", "validate", or "create /registry/pods/default/web" of the store. */
function hold(step: Step): Held {
  const held = { reached: deferred<void>(), release: deferred<void>() };
  holds.set(step, held);
  return held;
}

async function passed(name: string): Promise<void> {
  const found = [...holds].find(([step]) => step(name));
  if (found === undefined) return;
  holds.delete(found[0]);
  found[1].reached.resolve();
  await found[1].release.promise;
}

const at =
  (start: string, part = ""): Step =>
  (name) =>
    name.startsWith(start) && name.includes(part);

let memory: Kv;
let server: AdmittingServer;
/** The requests whose handlers run. */
let underWay: Set<Promise<void>>;

/** Opens the server. A plugin from outside ends with its request: where the step is one of the store, there is none. */
async function open(hasPlugin: boolean): Promise<void> {
  holds.clear();
  underWay = new Set();
  memory = openMemoryKv();
  const kv: Kv = Object.assign(Object.create(memory) as Kv, {
    create: async (...args: Parameters<Kv["create"]>) => {
      await passed(`create ${args[0]}`);
      return memory.create(...args);
    },
    update: async (...args: Parameters<Kv["update"]>) => {
      await passed(`update ${args[0]}`);
      return memory.update(...args);
    },
    delete: async (...args: Parameters<Kv["delete"]>) => {
      await passed(`delete ${args[0]}`);
      return memory.delete(...args);
    },
  });
  for (const method of [
    "get",
    "list",
    "watch",
    "compact",
    "count",
    "recent",
    "currentRevision",
    "check",
    "close",
  ] as const) {
    Object.assign(kv, { [method]: memory[method]?.bind(memory) });
  }
  const plugin: AdmissionPlugin = {
    name: "Holding",
    handles: (operation) => operation !== "CONNECT",
    admit: () => passed("admit"),
    validate: () => passed("validate"),
  };
  const track = (running: Promise<void>): Promise<void> => {
    const settled = running.catch(() => {}).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return running;
  };
  server = await admittingServer({ plugins: hasPlugin ? [{ plugin }] : [] }, kv, builtinRecords, {
    filters: [{ name: "track", filter: (next) => (request) => track(next(request)) }],
  });
  const ports = withPorts({ kind: "RangeAllocation", apiVersion: "v1", metadata: {} }, PortSet.decode(NODE_PORTS, ""));
  await memory.create("/registry/ranges/servicenodeports", Buffer.from(JSON.stringify(ports)));
  await done(server.api, "POST", "/apis/networking.k8s.io/v1/servicecidrs", {
    metadata: { name: "services" },
    spec: { cidrs: ["10.200.0.0/24"] },
  });
}

afterEach(() => server[Symbol.asyncDispose]());

/** Sends a request, lets its client leave at the step, and lets the step go on. Resolves when the server has done with it. */
async function cancel(step: Step, method: string, path: string, body?: object): Promise<void> {
  const { reached, release } = hold(step);
  const client = new AbortController();
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = server.api.send({
    method,
    path,
    headers: { "content-type": type },
    ...(body && { body: Buffer.from(JSON.stringify(body)) }),
    signal: client.signal,
  });
  answer.catch(() => {});
  await reached.promise;
  client.abort(new Error("left"));
  await expect(answer).rejects.toThrow("left");
  release.resolve();
  while (underWay.size > 0) await Promise.all(underWay);
}

/** Everything that is stored, by its key. */
async function stored(): Promise<Readonly<Record<string, string>>> {
  const { items } = await memory.list("/registry/");
  return Object.fromEntries(items.map(({ key, value }) => [key, Buffer.from(value).toString()]));
}

const service = (name: string) => ({
  metadata: { name },
  spec: { type: "NodePort", selector: { app: name }, ports: [{ port: 80 }] },
});

describe("a write whose client disconnects", () => {
  const early: readonly (readonly [string, Step, boolean])[] = [
    ["at mutating admission", at("admit"), true],
    ["while its cluster IP is taken", at("create", "/ipaddresses/"), false],
    ["while its node port is taken", at("update", "/ranges/servicenodeports"), false],
    ["at validating admission", at("validate"), true],
  ];

  test.each(early)("%s stores no service, and keeps no cluster IP and no node port", async (_, step, hasPlugin) => {
    await open(hasPlugin);
    const before = await stored();
    for (let round = 0; round < 3; round++) await cancel(step, "POST", SERVICES, service("web"));
    // What was taken is given back behind the request.
    await eventually(async () => expect(await stored()).toEqual(before));
    await done(server.api, "POST", SERVICES, service("web"));
  });

  test("while the service is being stored leaves a complete service", async () => {
    await open(false);
    await cancel(at("create", "/services/specs/"), "POST", SERVICES, service("web"));
    const { at: field } = await done(server.api, "GET", `${SERVICES}/web`);
    const ip = field("spec.clusterIP") as string;
    expect(field("spec.ports.0.nodePort")).toBeGreaterThan(0);
    await done(server.api, "GET", `/apis/networking.k8s.io/v1/ipaddresses/${ip}`);
  });

  test.each([true, false])("is not charged to a quota unless it is stored (with a plugin: %s)", async (hasPlugin) => {
    await open(hasPlugin);
    const quota = { metadata: { name: "few" }, spec: { hard: { configmaps: "2" } } };
    await done(server.api, "POST", `${CORE}/resourcequotas`, quota);
    const status = { metadata: { name: "few" }, status: { hard: { configmaps: "2" }, used: { configmaps: "0" } } };
    await done(server.api, "PUT", `${CORE}/resourcequotas/few/status`, status);
    const used = async () => (await done(server.api, "GET", `${CORE}/resourcequotas/few`)).at("status.used.configmaps");
    const map = (name: string) => ({ metadata: { name } });
    if (hasPlugin) for (const step of [at("admit"), at("validate")]) await cancel(step, "POST", MAPS, map("early"));
    expect(await used()).toBe("0");
    await cancel(at("update", "/resourcequotas/"), "POST", MAPS, map("charged"));
    expect(await used()).toBe("1");
    await cancel(at("create", "/configmaps/"), "POST", MAPS, map("stored"));
    expect(await used()).toBe("2");
    const names = (await done(server.api, "GET", MAPS)).at("items") as unknown as readonly {
      metadata: { name: string };
    }[];
    expect(names.map(({ metadata }) => metadata.name)).toEqual(["charged", "stored"]);
  });

  test("keeps the last finalizer, or removes the object with it", async () => {
    await open(true);
    await done(server.api, "POST", MAPS, { metadata: { name: "kept", finalizers: ["example.com/last"] } });
    await cancel(at("update", "/configmaps/default/kept"), "DELETE", `${MAPS}/kept`);
    const deleting = await stored();
    expect(deleting["/registry/configmaps/default/kept"]).toContain("deletionTimestamp");
    const release = { metadata: { finalizers: [] } };
    for (const step of [at("admit"), at("validate")]) await cancel(step, "PATCH", `${MAPS}/kept`, release);
    expect(await stored()).toEqual(deleting);
    await cancel(at("delete", "/configmaps/default/kept"), "PATCH", `${MAPS}/kept`, release);
    expect(Object.keys(await stored())).not.toContain("/registry/configmaps/default/kept");
  });

  test("deletes no further objects of a collection", async () => {
    await open(false);
    for (const name of ["a", "b", "c"]) await done(server.api, "POST", MAPS, { metadata: { name } });
    await cancel(at("delete", "/configmaps/"), "DELETE", MAPS);
    const left = Object.keys(await stored()).filter((key) => key.includes("/configmaps/"));
    expect(left).toEqual(["/registry/configmaps/default/b", "/registry/configmaps/default/c"]);
  });

  test("changes nothing while it waits for another write, and does not delay the next", async () => {
    await open(false);
    await done(server.api, "POST", MAPS, { metadata: { name: "shared" } });
    const first = hold(at("update", "/configmaps/default/shared"));
    const merge = "application/merge-patch+json";
    const written = done(server.api, "PATCH", `${MAPS}/shared`, { data: { first: "1" } }, merge);
    await first.reached.promise;
    const client = new AbortController();
    const headers = { "content-type": merge };
    const body = Buffer.from(JSON.stringify({ data: { gone: "1" } }));
    const gone = server.api.send({ method: "PATCH", path: `${MAPS}/shared`, headers, body, signal: client.signal });
    gone.catch(() => {});
    await eventually(() => expect(underWay.size).toBe(2));
    const next = done(server.api, "PATCH", `${MAPS}/shared`, { data: { next: "1" } }, merge);
    client.abort(new Error("left"));
    first.release.resolve();
    await written;
    expect((await next).at("data")).toEqual({ first: "1", next: "1" });
    while (underWay.size > 0) await Promise.all(underWay);
    expect((await done(server.api, "GET", `${MAPS}/shared`)).at("data")).toEqual({ first: "1", next: "1" });
  });
});
