import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../../src/base/time/manual-clock.js";
import { untilStorageIsReady } from "../../../src/cluster/stages/storage-readiness.js";
import { serverOptions, startServer } from "../../../src/cluster/start-server.js";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { call } from "../../helpers/api-caller.js";
import { type EtcdServer, etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { watchEvents } from "../../helpers/watch-events.js";
import { COLLECTION, widgets } from "../../server/api-registry/widgets.js";

tellEtcdMissing("what storage options do on an etcd");

const GADGETS = "/apis/gadgets.example.com/v1/namespaces/default/gadgets";
const gadgets = { ...widgets, group: "gadgets.example.com", resource: "gadgets", kind: "Gadget", shortNames: [] };

describe.skipIf(etcdMissing !== undefined)("a server while etcd does not answer", () => {
  let etcd: EtcdServer;
  let server: RunningServer;

  beforeAll(async () => {
    etcd = await startEtcd();
    server = await startServer({
      port: false,
      storage: "etcd",
      etcd: { servers: [etcd.endpoint], healthTimeout: 10_000, readyTimeout: 100 },
      watchCache: { "gadgets.gadgets.example.com": false },
      resources: [widgets, gadgets],
    });
  });

  afterAll(async () => {
    await server?.close();
    await etcd?.dispose();
  });

  test("CAC-8, C-STO-03, C-STO-04: serves reads from memory, except for a resource whose watch cache is switched off", async () => {
    const api = server.transport();
    const before = (await call(api, "GET", COLLECTION)).at("metadata.resourceVersion") as string;
    const widget = { ...head("Widget", "stable.example.com"), metadata: { name: "one" } };
    const created = await call(api, "POST", COLLECTION, widget);
    await call(api, "POST", GADGETS, { ...head("Gadget", "gadgets.example.com"), metadata: { name: "one" } });
    // etcd tells a new watch of the writes after its start up to 100 ms later.
    await using watching = await watchEvents(api, COLLECTION, before);
    await watching.seen(created.at("metadata.resourceVersion") as string);
    await etcd.pause();
    const listed = call(api, "GET", `${GADGETS}?resourceVersion=0`);
    const cached = await call(api, "GET", `${COLLECTION}?resourceVersion=0`);
    expect(cached.at("items.0.metadata.name")).toBe("one");
    expect(await Promise.race([listed, Promise.resolve("pending")])).toBe("pending");
    etcd.resume();
    expect((await listed).at("items.0.metadata.name")).toBe("one");
  });

  test("has a readiness check of the storage with its own time limit, only at /readyz", async () => {
    const api = server.transport();
    await etcd.pause();
    const healthy = call(api, "GET", "/healthz/etcd");
    expect((await call(api, "GET", "/readyz/etcd-readiness")).status).toBe(500);
    etcd.resume();
    expect((await healthy).text).toBe("ok");
    expect((await call(api, "GET", "/readyz/etcd-readiness")).text).toBe("ok");
    expect((await call(api, "GET", "/healthz?verbose")).text).not.toContain("etcd-readiness");
  });
});

const head = (kind: string, group: string) => ({ apiVersion: `${group}/v1`, kind });

describe.skipIf(etcdMissing !== undefined)("a server whose storage is not ready in time", () => {
  test("starts and warns in kube-apiserver's words", async () => {
    const etcd = await startEtcd();
    const warnings: string[] = [];
    const config = await serverOptions({
      port: false,
      storage: "etcd",
      etcd: { servers: [etcd.endpoint] },
      initializationTimeout: 100,
      onWarning: (text) => void warnings.push(text),
      resources: [widgets],
    }).toConfig();
    const server = await config.complete().newServer("widgets");
    await etcd.pause();
    const running = await server.prepareRun().start();
    expect(warnings).toEqual(["Deadline exceeded while waiting for storage readiness... ignoring"]);
    const listed = call(running.transport(), "GET", COLLECTION);
    etcd.resume();
    expect((await listed).at("items")).toEqual([]);
    await running.close();
    await etcd.dispose();
  });

  test("does not warn when the storage is ready in time", async () => {
    const clock = new ManualClock(0);
    const storage = createStorage({ kv: openMemoryKv(), clock });
    const warnings: string[] = [];
    await untilStorageIsReady(storage, clock, { onWarning: (text) => void warnings.push(text) });
    expect(clock.fireNext(60_000)).toBe(false);
    expect(warnings).toEqual([]);
    await storage.close();
  });
});
