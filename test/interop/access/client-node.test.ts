import { CoreV1Api, KubeConfig, makeInformer, RbacAuthorizationV1Api, Watch } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

describe("@kubernetes/client-node 1.4.0 with a restricted kubeconfig", () => {
  let cluster: Cluster;
  let config: KubeConfig;
  let core: CoreV1Api;

  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster });
    const admin = new KubeConfig();
    admin.loadFromString(cluster.kubeconfig());
    const rbac = admin.makeApiClient(RbacAuthorizationV1Api);
    const metadata = { name: "lister" };
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
    await rbac.createNamespacedRole({ namespace: "default", body: { metadata, rules } });
    await rbac.createNamespacedRoleBinding({
      namespace: "default",
      body: {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "lister" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "lena" }],
      },
    });
    config = new KubeConfig();
    config.loadFromString(cluster.kubeconfig({ user: "lena" }));
    core = config.makeApiClient(CoreV1Api);
  });
  afterAll(() => cluster.close());

  test("lists what its user may list", async () => {
    const { items } = await core.listNamespacedConfigMap({ namespace: "default" });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(["kube-root-ca.crt"]);
  });

  test.each([
    ["get one", () => core.readNamespacedConfigMap({ namespace: "default", name: "kube-root-ca.crt" })],
    ["list elsewhere", () => core.listNamespacedConfigMap({ namespace: "kube-system" })],
    ["list everywhere", () => core.listConfigMapForAllNamespaces()],
    ["create", () => core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: "x" } } })],
  ])("may not %s", async (_, ask) => {
    await expect(ask()).rejects.toMatchObject({
      code: 403,
      body: expect.stringContaining('"reason":"Forbidden"') as string,
    });
  });

  test("gets an error for a forbidden watch", async () => {
    const error = await new Promise<unknown>((resolve) => {
      void new Watch(config).watch("/api/v1/namespaces/default/configmaps", {}, () => {}, resolve);
    });
    expect(error).toMatchObject({ statusCode: 403 });
  });

  test("has an informer that reports a forbidden watch", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const informer = makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace: "default" }));
    const added: string[] = [];
    informer.on("add", ({ metadata }) => void added.push(metadata?.name ?? ""));
    const failed = new Promise((resolve) => informer.on("error", resolve));
    await informer.start();
    expect(await failed).toMatchObject({ statusCode: 403 });
    await informer.stop();
    expect(added).toEqual(["kube-root-ca.crt"]);
  });
});
