import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { PATIENCE } from "../../../helpers/patience.js";

let folder = "";
let cluster: Cluster;

const start = async (): Promise<void> => {
  cluster = await startCluster({ storage: `files:${folder}`, port: false, scheduler: false });
};
const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(cluster.transport(), method, path, body);
const until = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: PATIENCE, interval: 50 });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-controllers-"));
  await start();
});
afterEach(async () => {
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
});

test("the garbage collector and the deletion of a namespace do not treat an object with a broken file as missing (B-FS-04)", async () => {
  await send("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
  const maps = "/api/v1/namespaces/shop/configmaps";
  const secrets = "/api/v1/namespaces/shop/secrets";
  const owner = await send("POST", maps, { metadata: { name: "owner" } });
  const owned = (name: string, uid: unknown): object => ({
    metadata: { name: `of-${name}`, ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name, uid }] },
  });
  expect((await send("POST", secrets, owned("owner", owner.at("metadata.uid")))).status).toBe(201);
  await cluster.close();
  const file = join(folder, "core/configmaps/shop/owner.yaml");
  const good = await readFile(file, "utf8");
  await writeFile(file, good.slice(0, 20));
  await start();
  // The collector is at work: it removes what belongs to nothing.
  expect((await send("POST", secrets, owned("nothing", "1-2-3"))).status).toBe(201);
  await until(async () => expect((await send("GET", `${secrets}/of-nothing`)).status).toBe(404));
  expect((await send("GET", `${secrets}/of-owner`)).status).toBe(200);
  expect((await send("DELETE", "/api/v1/namespaces/shop")).status).toBe(200);
  await until(async () => {
    const { text } = await send("GET", "/api/v1/namespaces/shop");
    expect(text).toContain(`failed walking filepath ${file}`);
  });
  expect(await readFile(file, "utf8")).toBe(good.slice(0, 20));
  await writeFile(file, good);
  await until(async () => expect((await send("GET", "/api/v1/namespaces/shop")).status).toBe(404));
});
