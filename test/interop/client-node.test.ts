import {
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

describe("@kubernetes/client-node 1.4.0, unchanged", () => {
  let cluster: Cluster;
  let config: KubeConfig;
  let core: CoreV1Api;

  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster });
    config = new KubeConfig();
    config.loadFromString(cluster.kubeconfig());
    core = config.makeApiClient(CoreV1Api);
  });
  afterAll(() => cluster.close());

  test("lists the objects of a new cluster", async () => {
    const namespaces = await core.listNamespace();
    expect(namespaces.items.map((namespace) => namespace.metadata?.name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
    expect(namespaces.items[0]?.status?.phase).toBe("Active");
  });

  test("creates, reads, patches in three ways and deletes", async () => {
    const body: V1ConfigMap = { metadata: { name: "patched" }, data: { a: "1", b: "2" } };
    const created = await core.createNamespacedConfigMap({ namespace: "default", body });
    expect(created.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);

    const where = { namespace: "default", name: "patched" };
    await core.patchNamespacedConfigMap(
      { ...where, body: [{ op: "replace", path: "/data/a", value: "10" }] },
      setHeaderOptions("Content-Type", PatchStrategy.JsonPatch),
    );
    await core.patchNamespacedConfigMap(
      { ...where, body: { data: { b: null } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
    await core.patchNamespacedConfigMap(
      { ...where, body: { data: { c: "3" } } },
      setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
    );
    expect((await core.readNamespacedConfigMap(where)).data).toEqual({ a: "10", c: "3" });

    await core.deleteNamespacedConfigMap(where);
    await expect(core.readNamespacedConfigMap(where)).rejects.toMatchObject({ code: 404 });
  });

  test("receives 409 for a write with an outdated resourceVersion", async () => {
    const stale = await core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: "stale" } } });
    const { metadata = {} } = stale;
    const replace = (data: Record<string, string>) =>
      core.replaceNamespacedConfigMap({ namespace: "default", name: "stale", body: { metadata, data } });
    await replace({ a: "1" });
    await expect(replace({ a: "2" })).rejects.toMatchObject({ code: 409 });
  });

  test("follows existing, created, changed and deleted objects with makeInformer", async () => {
    await core.createNamespacedConfigMap({ namespace: "kube-public", body: { metadata: { name: "before" } } });
    const seen: string[] = [];
    const informer = makeInformer(config, "/api/v1/namespaces/kube-public/configmaps", () =>
      core.listNamespacedConfigMap({ namespace: "kube-public" }),
    );
    for (const event of ["add", "update", "delete"] as const) {
      informer.on(event, (object: V1ConfigMap) => {
        if (object.metadata?.name !== "kube-root-ca.crt") seen.push(`${event} ${object.metadata?.name}`);
      });
    }
    informer.on("error", (error) => seen.push(`error ${String(error)}`));
    await informer.start();
    try {
      const body = { metadata: { name: "during" }, data: { step: "1" } };
      await core.createNamespacedConfigMap({ namespace: "kube-public", body });
      await core.patchNamespacedConfigMap(
        { namespace: "kube-public", name: "during", body: { data: { step: "2" } } },
        setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
      );
      await core.deleteNamespacedConfigMap({ namespace: "kube-public", name: "during" });
      await expect.poll(() => seen).toEqual(["add before", "add during", "update during", "delete during"]);
    } finally {
      await informer.stop();
    }
  });

  test("scales a Deployment through its subresource", async () => {
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: "scaled" };
    await apps.createNamespacedDeployment({
      namespace: "default",
      body: {
        metadata: { name: "scaled" },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      },
    });
    const where = { namespace: "default", name: "scaled" };
    const scale = await apps.readNamespacedDeploymentScale(where);
    expect(scale.spec?.replicas).toBe(1);
    const { metadata = {} } = scale;
    await apps.replaceNamespacedDeploymentScale({ ...where, body: { metadata, spec: { replicas: 4 } } });
    const scaled = await apps.readNamespacedDeployment(where);
    expect([scaled.spec?.replicas, scaled.metadata?.generation]).toEqual([4, 2]);
  });
});
