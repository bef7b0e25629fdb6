import { expect, test } from "vitest";
import { startCluster } from "../../src/cluster/index.js";
import { type Kv, registerStorage, startServer } from "../../src/cluster/server.js";
import { isStorageUrl, redactedUrl, type StorageUrl } from "../../src/component/storage-url.js";
import { openMemoryKv } from "../../src/server/storage/memory/memory-kv.js";
import { call } from "../helpers/api-caller.js";
import { lend } from "../model/lent-kv.js";

/** The stores of the scheme "shelf" by their URLs; they outlive the servers that open them. */
const shelf = new Map<string, Kv>();

registerStorage("shelf", {
  isShared: true,
  async open(url, { clock, timers }) {
    const kept = shelf.get(url) ?? openMemoryKv({ clock, timers });
    shelf.set(url, kept);
    return lend(kept);
  },
});

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

test("A-STO-04, B-STO-02: a server keeps its objects in a storage that the caller registered by a URL scheme, and finds them after a restart", async () => {
  const options = { storage: "shelf:one", port: false, controllers: false, scheduler: false } as const;
  const first = await startCluster(options);
  const created = await call(first.transport(), "POST", CONFIG_MAPS, { metadata: { name: "kept" } });
  expect(created.status).toBe(201);
  const beside = await startCluster(options);
  expect((await call(beside.transport(), "GET", `${CONFIG_MAPS}/kept`)).status).toBe(200);
  await Promise.all([first.close(), beside.close()]);
  const later = await startCluster(options);
  expect((await call(later.transport(), "GET", `${CONFIG_MAPS}/kept`)).status).toBe(200);
  await later.close();
});

test("a server refuses a storage URL of an unregistered scheme before anything starts (C-STO-05)", async () => {
  const refused = startServer({ resources: [], storage: "attic:one", port: false });
  await expect(refused).rejects.toThrow("unknown storage type: attic; use one of memory, disk, etcd, ");
});

test.each(["", "a", "Shelf", "1st", "has space", "with:colon"])(
  "registering a storage refuses the scheme %j",
  (scheme) => {
    expect(() => registerStorage(scheme, { open: () => Promise.reject(new Error()) })).toThrow("invalid scheme");
  },
);

test.each(["shelf", "memory", "etcd"])("registering a storage accepts the scheme %j", (scheme) => {
  expect(() => registerStorage(scheme, { open: () => Promise.reject(new Error()) })).toThrow("is taken");
});

test.each([
  ["files:./data", "files:./data"],
  ["postgres://me@host/db", "postgres://me@host/db"],
  ["postgres://me:secret@host/db", "postgres://me:xxxxx@host/db"],
  ["postgres://:secret@host:5432/db?sslmode=require", "postgres://:xxxxx@host:5432/db?sslmode=require"],
  ["postgres://me:s%40c@[::1]/db", "postgres://me:xxxxx@[::1]/db"],
  ["postgres:///db?host=/run&password=secret&user=me", "postgres:///db?host=/run&password=xxxxx&user=me"],
] satisfies [StorageUrl, string][])("the storage URL %s is printed as %s", (url, shown) => {
  expect(redactedUrl(url)).toBe(shown);
});

test.each(["memory", "disk", "C:\\data", "./files:here", ""])("%j is not parsed as a storage URL", (text) => {
  expect(isStorageUrl(text)).toBe(false);
});
