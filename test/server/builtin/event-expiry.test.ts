import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { pathApi } from "../../helpers/path-api.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { openSqliteKv } from "../../../src/server/storage/sqlite/sqlite-kv.js";
import { call } from "../../helpers/api-caller.js";
import type { KvUnderTest } from "../../suites/kv.js";
import { openServer, type ServerUnderTest } from "../../suites/list-watch/runner/server-under-test.js";
import { PATIENCE } from "../../helpers/patience.js";

const EVENTS = "/api/v1/namespaces/default/events";
const MINUTE = 60_000;

const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: "Pod", namespace: "default", name: "web" },
  reason: "Started",
  type: "Normal",
});

describe("an Event expires an hour after its last write", () => {
  let folder = "";
  const open: ServerUnderTest[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-events-"));
  });
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const onDisk: KvUnderTest = { open: (time) => openSqliteKv({ directory: join(folder, "data"), ...time }) };
  const inMemory: KvUnderTest = { open: async (time) => openMemoryKv(time) };

  async function start(kv: KvUnderTest): Promise<ServerUnderTest> {
    const server = await openServer(kv, { backend: kv === onDisk ? "sqlite" : "memory", cache: true });
    open.push(server);
    return server;
  }
  const status = async ({ api }: ServerUnderTest, path: string) => (await call(api, "GET", path)).status;
  const gone = (server: ServerUnderTest, path: string) =>
    vi.waitFor(async () => expect(await status(server, path)).toBe(404), { timeout: PATIENCE });

  test.each([
    ["in memory", inMemory],
    ["on disk", onDisk],
  ])("%s: after its creation, after its update, and for its watchers", async (_, kv) => {
    const server = await start(kv);
    const { api, time } = server;
    await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
    await call(api, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "stays" } });
    for (const name of ["untouched", "patched", "replaced"]) {
      expect((await call(api, "POST", EVENTS, event(name))).status).toBe(201);
    }
    const listed = await call(api, "GET", EVENTS);
    const version = listed.at("metadata.resourceVersion") as string;
    time.pass(30 * MINUTE);
    const patch = { type: "application/merge-patch+json" };
    expect((await call(api, "PATCH", `${EVENTS}/patched`, { count: 2 }, patch)).status).toBe(200);
    expect((await call(api, "PUT", `${EVENTS}/replaced`, { ...event("replaced"), count: 2 })).status).toBe(200);

    time.pass(30 * MINUTE - 1);
    expect(await status(server, `${EVENTS}/untouched`)).toBe(200);
    time.pass(1);
    await gone(server, `${EVENTS}/untouched`);
    expect(await status(server, `${EVENTS}/patched`)).toBe(200);
    expect(await status(server, "/apis/events.k8s.io/v1/namespaces/default/events/replaced")).toBe(200);
    time.pass(30 * MINUTE);
    await gone(server, `${EVENTS}/patched`);
    await gone(server, "/apis/events.k8s.io/v1/namespaces/default/events/replaced");
    expect(await status(server, "/api/v1/namespaces/default/configmaps/stays")).toBe(200);

    const seen: string[] = [];
    const path = `${EVENTS}?watch=true&resourceVersion=${version}`;
    for await (const { type, object } of pathApi(api, "test").watch(path, new AbortController().signal)) {
      if (seen.push(`${type} ${object.metadata?.name}`) === 5) break;
    }
    expect(seen.slice(0, 3)).toEqual(["MODIFIED patched", "MODIFIED replaced", "DELETED untouched"]);
    expect(seen.slice(3).sort()).toEqual(["DELETED patched", "DELETED replaced"]);
  });

  test("also when the server has restarted in between", async () => {
    const first = await start(onDisk);
    await call(first.api, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
    await call(first.api, "POST", EVENTS, event("early"));
    first.time.pass(20 * MINUTE);
    await call(first.api, "POST", EVENTS, event("late"));
    await open.pop()?.close();

    const second = await start(onDisk);
    expect(await status(second, `${EVENTS}/early`)).toBe(200);
    // The clock of each server starts at the same moment.
    second.time.pass(60 * MINUTE);
    await gone(second, `${EVENTS}/early`);
    expect(await status(second, `${EVENTS}/late`)).toBe(200);
    second.time.pass(20 * MINUTE);
    await gone(second, `${EVENTS}/late`);
  });
});
