import { afterAll, beforeAll, expect, test } from "vitest";
import { applyObject, createObject, deleteObject, Helper, infoOf, waitUntilGone } from "../../src/actions/index.js";
import { isNotFound, kubernetesClient, type KubernetesClient } from "../../src/client/index.js";
import { startCluster } from "../../src/cluster/index.js";

let cluster: Awaited<ReturnType<typeof startCluster>>;
let client: KubernetesClient;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  client = kubernetesClient(cluster);
});

afterAll(async () => {
  await client.close();
  await cluster.close();
});

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } };

test("creating, applying, deleting and waiting need nothing but a client", async () => {
  const info = await infoOf(client, configMap);
  expect(info).toMatchObject({ namespace: "default", name: "a", mapping: { resource: { resource: "configmaps" } } });
  const helper = new Helper(client.rest, info.mapping, { fieldManager: "operator" });
  await createObject(info, info.object ?? {}, helper, true);
  expect(info.resourceVersion).toMatch(/^\d+$/);

  const wanted = await infoOf(client, { ...configMap, data: { k: "w" } } as typeof configMap);
  const events: string[] = [];
  const options = { dryRun: "none", fieldManager: "operator", fieldValidation: "Strict", overwrite: true } as const;
  const sleep = () => Promise.resolve();
  for await (const { type } of applyObject(wanted, { client: client.rest, sleep, ...options })) events.push(type);
  expect(events).toEqual(["missingLastApplied", "configured"]);
  const configMaps = await client.resourceFor(configMap);
  expect((await configMaps.get("a")).data).toEqual({ k: "w" });

  const uid = await deleteObject(wanted, helper, {});
  const deadline = AbortSignal.timeout(30_000);
  await waitUntilGone(wanted, { client: client.rest, uid, deadline });
  await expect(configMaps.get("a")).rejects.toSatisfy(isNotFound);
});

test("the actions set no namespace on a cluster-scoped object, and refuse an unknown kind", async () => {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
  expect(await infoOf(client, namespace)).toMatchObject({ namespace: "", name: "n", object: namespace });
  await expect(infoOf(client, { apiVersion: "v1", kind: "Nothing" })).rejects.toThrow('no matches for kind "Nothing"');
});
