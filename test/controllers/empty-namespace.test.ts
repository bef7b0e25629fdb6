import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { type Api, createApi } from "../../src/controllers/api.js";
import { emptyNamespace } from "../../src/controllers/namespace/empty-namespace.js";

let cluster: Cluster;
let api: Api;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = createApi(cluster.transport(), "test");
});

afterAll(() => cluster.close());

const SECRETS = {
  group: "",
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

test("content goes, then the finalizer", async () => {
  const namespace = await namespaceWithContent("full");
  expect(await emptyNamespace(api, namespace, CONTENTS, Date.now())).toBe(undefined);
  expect((await api.list("/api/v1/namespaces/full/secrets")).items).toEqual([]);
  expect((await api.get("/api/v1/namespaces/full"))["spec"]).toEqual({});
});

test("a new namespace of the same name keeps what it has", async () => {
  await namespaceWithContent("renewed");
  const old = { metadata: { name: "renewed", uid: "that of the one before" } };
  expect(await emptyNamespace(api, old, CONTENTS, Date.now())).toBe(undefined);
  await api.get("/api/v1/namespaces/renewed/secrets/content");
  expect((await api.get("/api/v1/namespaces/renewed"))["spec"]).toEqual({ finalizers: ["kubernetes"] });
});

test("a change of the namespace in between does not leave it behind", async () => {
  const namespace = await namespaceWithContent("changed");
  let changes = 0;
  const disturbed: Api = {
    ...api,
    async update(path, object) {
      if (changes++ < 2) {
        const current = await api.get("/api/v1/namespaces/changed");
        const labels = { ...current.metadata?.labels, change: String(changes) };
        await api.update("/api/v1/namespaces/changed", { ...current, metadata: { ...current.metadata, labels } });
      }
      return api.update(path, object);
    },
  };
  expect(await emptyNamespace(disturbed, namespace, CONTENTS, Date.now())).toBe(undefined);
  expect(changes).toBe(4);
  expect((await api.get("/api/v1/namespaces/changed"))["spec"]).toEqual({});
});
