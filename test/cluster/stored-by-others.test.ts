import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Cluster, type ClusterOptions, startCluster } from "../../src/cluster/index.js";
import { openSqliteKv } from "../../src/server/storage/sqlite/sqlite-kv.js";
import { call } from "../helpers/api-caller.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

// What comes out of storage is decoded, converted and defaulted, whoever wrote it: another version of the program, whose
// kinds had other versions and other defaults.
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "kubets-stored-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function store(objects: Readonly<Record<string, object>>): Promise<void> {
  const kv = await openSqliteKv({ directory });
  for (const [key, object] of Object.entries(objects)) await kv.create(key, Buffer.from(JSON.stringify(object)));
  await kv.close();
}

async function withCluster(use: (cluster: Cluster) => Promise<void>, options: ClusterOptions = {}): Promise<void> {
  const cluster = await startCluster({ ...quietCluster, storage: "disk", dataDir: directory, port: false, ...options });
  try {
    await use(cluster);
  } finally {
    await cluster.close();
  }
}

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = {
  kind: "Deployment",
  apiVersion: "apps/v1",
  metadata: { name: "web", namespace: "default", uid: "1", creationTimestamp: "2020-01-01T00:00:00Z" },
  spec: { selector: { matchLabels: { app: "a" } }, template },
};
const DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/web";

it.each([{ watchCache: true }, { watchCache: false }])(
  "an object that another program stored gets its default values when it is read (%j)",
  async (options) => {
    await store({ "/registry/deployments/default/web": deployment });
    await withCluster(async (cluster) => {
      const answer = await call(cluster.transport(), "GET", DEPLOYMENT);
      expect(answer.at("spec.replicas")).toBe(1);
      expect(answer.at("spec.template.spec.restartPolicy")).toBe("Always");
      const list = await call(cluster.transport(), "GET", "/apis/apps/v1/deployments");
      expect(list.at("items.0.spec.revisionHistoryLimit")).toBe(10);
      expect(list.at("items.0.metadata.resourceVersion")).toBe(answer.at("metadata.resourceVersion"));
    }, options);
  },
);

it("an object stored in a version that is no longer served is read in the stored version", async () => {
  const jobTemplate = {
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
  };
  await store({
    "/registry/cronjobs/default/old": {
      kind: "CronJob",
      apiVersion: "batch/v1beta1",
      metadata: { name: "old", namespace: "default", uid: "1", creationTimestamp: "2020-01-01T00:00:00Z" },
      spec: { schedule: "@daily", jobTemplate },
    },
  });
  await withCluster(async (cluster) => {
    const answer = await call(cluster.transport(), "GET", "/apis/batch/v1/namespaces/default/cronjobs/old");
    expect(answer.at("apiVersion")).toBe("batch/v1");
    expect(answer.at("spec.concurrencyPolicy")).toBe("Allow");
  });
});

it("the first write without a change stores an older object in the current version, the second writes nothing", async () => {
  await store({ "/registry/deployments/default/web": deployment });
  await withCluster(async (cluster) => {
    const patch = () => call(cluster.transport(), "PATCH", DEPLOYMENT, {}, { type: "application/merge-patch+json" });
    const before = await call(cluster.transport(), "GET", DEPLOYMENT);
    const first = await patch();
    expect(first.status).toBe(200);
    expect(first.at("metadata.resourceVersion")).not.toBe(before.at("metadata.resourceVersion"));
    expect((await patch()).at("metadata.resourceVersion")).toBe(first.at("metadata.resourceVersion"));
  });
});

it("a restarted server answers its own stored objects unchanged", async () => {
  let text = "";
  await withCluster(async (cluster) => {
    const { uid: _, ...metadata } = deployment.metadata;
    await call(cluster.transport(), "POST", DEPLOYMENT.replace("/web", ""), { ...deployment, metadata });
    text = (await call(cluster.transport(), "GET", DEPLOYMENT)).text;
  });
  await withCluster(async (cluster) => {
    expect((await call(cluster.transport(), "GET", DEPLOYMENT)).text).toBe(text);
  });
});

it("a server moves objects at the keys of its earlier version to kube-apiserver's keys", async () => {
  const node = { kind: "Node", apiVersion: "v1", metadata: { name: "n", uid: "2" } };
  await store({ "/registry/apps/deployments/default/web": deployment, "/registry/nodes/n": node });
  await withCluster(async (cluster) => {
    expect((await call(cluster.transport(), "GET", DEPLOYMENT)).at("metadata.uid")).toBe("1");
    expect((await call(cluster.transport(), "GET", "/api/v1/nodes/n")).at("metadata.uid")).toBe("2");
  });
  const kv = await openSqliteKv({ directory });
  expect((await kv.list("/registry/apps/")).items).toEqual([]);
  expect((await kv.list("/registry/deployments/")).items).toHaveLength(1);
  await kv.close();
});

it.each([{ watchCache: true }, { watchCache: false }])(
  "a server that stores JSON reads objects stored as protobuf, and the reverse (%j)",
  async (options) => {
    const { uid: _, ...metadata } = deployment.metadata;
    const path = DEPLOYMENT.replace("/web", "");
    const forms = ["application/vnd.kubernetes.protobuf", "application/json"] as const;
    for (const [index, storageMediaType] of [...forms, ...forms].entries()) {
      await withCluster(
        async (cluster) => {
          const name = `web-${index}`;
          const created = await call(cluster.transport(), "POST", path, {
            ...deployment,
            metadata: { ...metadata, name },
          });
          expect(created.status, created.text).toBe(201);
          const list = await call(cluster.transport(), "GET", path);
          const names = Array.from({ length: index + 1 }, (_unused, at) => list.at(`items.${at}.metadata.name`));
          expect(names).toEqual(Array.from({ length: index + 1 }, (_unused, at) => `web-${at}`));
          const first = await call(cluster.transport(), "GET", `${path}/web-0`);
          expect(first.at("spec.template.spec.containers.0.image")).toBe("i");
          // A write that changes nothing else stores the object in this server's form, once.
          const patch = () =>
            call(cluster.transport(), "PATCH", `${path}/web-0`, {}, { type: "application/merge-patch+json" });
          const version = (await patch()).at("metadata.resourceVersion");
          expect((await patch()).at("metadata.resourceVersion")).toBe(version);
        },
        { storageMediaType, ...options },
      );
    }
  },
);
