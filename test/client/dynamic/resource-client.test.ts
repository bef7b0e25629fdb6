import { afterAll, beforeAll, expect, test } from "vitest";
import {
  isConflict,
  isNotFound,
  kubernetesClient,
  type KubernetesClient,
  loadConfig,
} from "../../../src/client/index.js";
import { startCluster } from "../../../src/cluster/index.js";

let cluster: Awaited<ReturnType<typeof startCluster>>;
let client: KubernetesClient;

beforeAll(async () => {
  cluster = await startCluster({ storage: "memory" });
  const config = await loadConfig({ server: cluster.url, token: cluster.token, insecureSkipTlsVerify: true });
  client = kubernetesClient(config);
});

afterAll(async () => {
  await client.close();
  await cluster.close();
});

test("an object is created, read, changed, listed, watched and deleted", async () => {
  const configMaps = client.resource({ group: "", version: "v1", resource: "configmaps" }).namespace("default");
  const { metadata } = await configMaps.list();
  const watched = (async () => {
    const seen: string[] = [];
    for await (const { type, object } of configMaps.watch({ resourceVersion: metadata.resourceVersion ?? "" })) {
      seen.push(`${type} ${object.metadata?.name}`);
      if (type === "DELETED") break;
    }
    return seen;
  })();
  const made = await configMaps.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: { k: "v" },
  });
  const changed = await configMaps.patch("a", { data: { k: "w" } }, { type: "merge" });
  expect((await configMaps.get("a"))["data"]).toEqual({ k: "w" });
  await expect(configMaps.update({ ...made, data: { k: "x" } })).rejects.toSatisfy(isConflict);
  await configMaps.update({ ...changed, data: { k: "x" } });
  await configMaps.delete("a");
  await expect(configMaps.get("a")).rejects.toSatisfy(isNotFound);
  expect(await watched).toEqual(["ADDED a", "MODIFIED a", "MODIFIED a", "DELETED a"]);
});

test("a long list comes page by page", async () => {
  const secrets = client.resource({ group: "", version: "v1", resource: "secrets" }).namespace("default");
  const names = ["s1", "s2", "s3"];
  for (const name of names) await secrets.create({ apiVersion: "v1", kind: "Secret", metadata: { name } });
  const found: (string | undefined)[] = [];
  for await (const { metadata } of secrets.listAll({ pageSize: 2 })) found.push(metadata?.name);
  expect(found).toEqual(names);
});

test("discovery finds the resource of an object", async () => {
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "found" } };
  const namespaces = await client.resourceFor(object);
  expect((await namespaces.create(object)).metadata?.name).toBe("found");
});

test("a name cannot leave its place in the path", async () => {
  const pods = client.resource({ group: "", version: "v1", resource: "pods" }).namespace("default");
  await expect(pods.get("../../secrets/x")).rejects.toThrow(
    `invalid resource name "../../secrets/x": [may not contain '/']`,
  );
});
