import { afterAll, beforeAll, expect, test } from "vitest";
import { kubernetesClient, type KubernetesClient } from "../../src/client/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { type PathApi, pathApi } from "../helpers/path-api.js";
import { emptyNamespace } from "../../src/controllers/namespace/empty-namespace.js";

let cluster: Cluster;
let api: PathApi;
let client: KubernetesClient;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = pathApi(cluster.transport(), "test");
  client = kubernetesClient(cluster);
});

afterAll(() => cluster.close());

const SECRETS = {
  group: "",
  version: "v1",
  apiVersion: "v1",
  resource: "secrets",
  kind: "Secret",
  namespaced: true,
  verbs: ["delete", "deletecollection", "list", "watch"],
  preferred: true,
};
const CONTENTS = { resources: [SECRETS] };

async function namespaceWithContent(name: string) {
  const namespace = await api.create("/api/v1/namespaces", { metadata: { name } });
  await api.create(`/api/v1/namespaces/${name}/secrets`, { metadata: { name: "content" } });
  return namespace;
}

test("deleting a namespace deletes its content first, then the finalizer", async () => {
  const namespace = await namespaceWithContent("full");
  expect(await emptyNamespace(client, namespace, CONTENTS, Date.now())).toBe(undefined);
  expect((await api.list("/api/v1/namespaces/full/secrets")).items).toEqual([]);
  expect((await api.get("/api/v1/namespaces/full"))["spec"]).toEqual({});
});

test("deleting a namespace leaves the content of a new namespace of the same name", async () => {
  await namespaceWithContent("renewed");
  const old = { metadata: { name: "renewed", uid: "that of the one before" } };
  expect(await emptyNamespace(client, old, CONTENTS, Date.now())).toBe(undefined);
  await api.get("/api/v1/namespaces/renewed/secrets/content");
  expect((await api.get("/api/v1/namespaces/renewed"))["spec"]).toEqual({ finalizers: ["kubernetes"] });
});

test("deleting a namespace ends also when the namespace changes meanwhile", async () => {
  const namespace = await namespaceWithContent("changed");
  let changes = 0;
  const transport = cluster.transport();
  const disturbed = kubernetesClient({
    transport: () => ({
      async send(request) {
        if (request.method === "PUT" && changes++ < 2) {
          const current = await api.get("/api/v1/namespaces/changed");
          const labels = { ...current.metadata?.labels, change: String(changes) };
          await api.update("/api/v1/namespaces/changed", { ...current, metadata: { ...current.metadata, labels } });
        }
        return transport.send(request);
      },
      close: () => transport.close(),
    }),
  });
  expect(await emptyNamespace(disturbed, namespace, CONTENTS, Date.now())).toBe(undefined);
  expect(changes).toBe(4);
  expect((await api.get("/api/v1/namespaces/changed"))["spec"]).toEqual({});
});
