import { afterAll, beforeAll, expect, test } from "vitest";
import { type DiffEvent, diffObject, type DiffObjectOptions } from "../../src/actions/index.js";
import { isConflict, isNoMatchError, type KubeObject } from "../../src/client/index.js";
import { type ActionCluster, actionCluster, all } from "./action-cluster.js";

let running: ActionCluster;
beforeAll(async () => {
  running = await actionCluster();
});
afterAll(() => running[Symbol.asyncDispose]());

const configMap = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});
const secret = (name: string, data: Record<string, string>): KubeObject => ({
  ...configMap(name, data),
  kind: "Secret",
});

type Compared = Extract<DiffEvent, { readonly type: "compared" }>;

async function compared(object: KubeObject, options: Partial<DiffObjectOptions> = {}): Promise<Compared> {
  const last = (await all(diffObject({ client: running.client, object, ...options }))).at(-1);
  if (last?.type !== "compared") throw new Error(`the last event is ${last?.type}`);
  return last;
}

const live = (name: string): Promise<KubeObject> =>
  running.client.resource({ group: "", version: "v1", resource: "configmaps" }).namespace("default").get(name);

test("diffing an object yields the live object and what apply would make of it; the server stores nothing", async () => {
  const before = await running.create(configMap("settings", { a: "1", b: "2" }));
  const pair = await compared(configMap("settings", { a: "3" }));
  expect(pair.live).toMatchObject({ data: { a: "1", b: "2" } });
  expect(pair.merged).toMatchObject({ data: { a: "3", b: "2" }, metadata: { uid: before.metadata?.uid } });
  expect(await live("settings")).toEqual(before);
});

test("diffing an object that does not exist yields no live version", async () => {
  const pair = await compared(configMap("new", { a: "1" }));
  expect(pair.live).toBeUndefined();
  expect(pair.merged).toMatchObject({ data: { a: "1" } });
});

test("a server-side diff reports fields that other managers own as a conflict, unless it forces ownership", async () => {
  const { client } = running;
  await running.create(configMap("owned", { a: "1" }));
  const mine = configMap("owned", { a: "2" });
  await expect(compared(mine, { serverSide: true, fieldManager: "mine" })).rejects.toSatisfy(isConflict);
  const forced = await compared(mine, { serverSide: true, forceConflicts: true, fields: "all" });
  expect(forced.merged).toMatchObject({ data: { a: "2" } });
  const managers = forced.merged.metadata?.managedFields?.map(({ manager }) => manager);
  expect(managers).toContain("kubets");
  expect((await (await client.resourceFor(mine)).get("owned"))["data"]).toEqual({ a: "1" });
});

test("a diff masks values of secrets, and marks masked values that differ", async () => {
  await running.create(secret("token", { same: "YQ==", other: "YQ==" }));
  const changed = secret("token", { same: "YQ==", other: "Yg==", more: "Yw==" });
  const pair = await compared(changed);
  expect(pair.live?.["data"]).toEqual({ same: "***", other: "*** (before)" });
  expect(pair.merged["data"]).toEqual({ same: "***", other: "*** (after)", more: "***" });
  const open = await compared(changed, { showSecrets: true });
  expect(open.merged["data"]).toEqual({ same: "YQ==", other: "Yg==", more: "Yw==" });
});

test("a diff leaves out managed fields, or on request all fields that no manifest sets", async () => {
  await running.create(configMap("fields", { a: "1" }));
  const object = configMap("fields", { a: "1" });
  expect((await compared(object)).merged.metadata).not.toHaveProperty("managedFields");
  expect((await compared(object, { fields: "all" })).merged.metadata).toHaveProperty("managedFields");
  expect((await compared(object, { fields: "manifest" })).merged.metadata).toEqual(object.metadata);
});

test("a diff of an object that changes at every read compares it anyway, and reports that in an event", async () => {
  const { client } = running;
  await running.create(configMap("busy", { a: "0" }));
  const maps = client.resource({ group: "", version: "v1", resource: "configmaps" }).namespace("default");
  const seen: string[] = [];
  let version = 0;
  for await (const event of diffObject({ client, object: configMap("busy", { a: "x" }) })) {
    seen.push(event.type);
    if (event.type === "read") await maps.patch("busy", { data: { a: `${(version += 1)}` } }, { type: "merge" });
  }
  expect(seen).toEqual(["read", "read", "read", "read", "keepsChanging", "compared"]);
});

test("a diff of an unknown kind throws the mapper's error", async () => {
  const cart = { apiVersion: "shop.example.com/v1", kind: "Cart", metadata: { name: "a" } };
  await expect(compared(cart)).rejects.toSatisfy(isNoMatchError);
});
