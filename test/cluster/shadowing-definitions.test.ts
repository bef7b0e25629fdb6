import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Cluster, type ClusterOptions, startCluster } from "../../src/cluster/index.js";
import { openSqliteKv } from "../../src/server/storage/sqlite/sqlite-kv.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

// Stores that hold definitions with the names of built-in resources, and what was written through them: an older build served them,
// and a kube-apiserver accepts them.

const DEFINITIONS = "/registry/apiextensions.k8s.io/customresourcedefinitions";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "kubets-shadowed-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function withStore<T>(use: (kv: Awaited<ReturnType<typeof openSqliteKv>>) => Promise<T>): Promise<T> {
  const kv = await openSqliteKv({ directory });
  try {
    return await use(kv);
  } finally {
    await kv.close();
  }
}

const store = (objects: Readonly<Record<string, object>>) =>
  withStore(async (kv) => {
    for (const [key, object] of Object.entries(objects)) await kv.create(key, Buffer.from(JSON.stringify(object)));
  });

async function withCluster(use: (cluster: Cluster) => Promise<void>, options: ClusterOptions = {}): Promise<void> {
  const own: ClusterOptions = {
    controllers: false,
    scheduler: false,
    storage: "disk",
    dataDir: directory,
    port: false,
  };
  const cluster = await startCluster({ ...own, ...options });
  try {
    await use(cluster);
  } finally {
    await cluster.close();
  }
}

/** A definition as a server stores one that is established. */
function stored(name: string, version: string, kind: string, metadata: object = {}): Readonly<Record<string, object>> {
  const [plural = "", ...group] = name.split(".");
  const names = { plural, singular: plural, kind, listKind: `${kind}List` };
  const conditions = ["NamesAccepted", "Established"].map((type) => ({
    type,
    status: "True",
    reason: "x",
    message: "",
  }));
  const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const versions = [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: any } }];
  return {
    [`${DEFINITIONS}/${name}`]: {
      kind: "CustomResourceDefinition",
      apiVersion: "apiextensions.k8s.io/v1",
      metadata: { name, uid: name, generation: 1, creationTimestamp: "2020-01-01T00:00:00Z", ...metadata },
      spec: { group: group.join("."), names, scope: "Namespaced", versions, conversion: { strategy: "None" } },
      status: { conditions, acceptedNames: names, storedVersions: [version] },
    },
  };
}

const binding = (apiVersion: string, name: string) => ({
  kind: "RoleBinding",
  apiVersion,
  metadata: { name, namespace: "default", uid: name, creationTimestamp: "2020-01-01T00:00:00Z" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "mallory" }],
});

const FORMER = "/registry/rbac.authorization.k8s.io/rolebindings/default";

it("a server never moves objects of a custom definition with a built-in resource's name to the built-in resource", async () => {
  await store({
    ...stored("clusterroles.rbac.authorization.k8s.io", "v1beta1", "ClusterRole"),
    [`${FORMER}/other-version`]: binding("rbac.authorization.k8s.io/v2", "other-version"),
    [`${FORMER}/retired-version`]: binding("rbac.authorization.k8s.io/v1beta1", "retired-version"),
    [`${FORMER}/other-kind`]: { ...binding("rbac.authorization.k8s.io/v1", "other-kind"), kind: "Other" },
    "/registry/rbac.authorization.k8s.io/clusterroles/x": {
      ...binding("rbac.authorization.k8s.io/v1", "x"),
      kind: "ClusterRole",
      rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    },
    "/registry/rbac.authorization.k8s.io/roles/default/real": {
      ...binding("rbac.authorization.k8s.io/v1", "real"),
      kind: "Role",
      rules: [],
    },
  });
  await withCluster(async (cluster) => {
    const names = async (path: string) =>
      ((await call(cluster.transport(), "GET", path)).at("items") as { metadata: { name: string } }[]).map(
        ({ metadata: { name } }) => name,
      );
    expect(await names(`${RBAC}/namespaces/default/rolebindings`)).toEqual([]);
    expect(await names(`${RBAC}/clusterroles`)).not.toContain("x");
    // A built-in object of a store of an earlier version comes along.
    expect(await names(`${RBAC}/namespaces/default/roles`)).toEqual(["real"]);
  });
  await withStore(async (kv) => {
    const left = (await kv.list("/registry/rbac.authorization.k8s.io/")).items.map(({ key }) => key);
    expect(left).toEqual([
      "/registry/rbac.authorization.k8s.io/clusterroles/x",
      ...["other-kind", "other-version", "retired-version"].map((name) => `${FORMER}/${name}`),
    ]);
    expect((await kv.list("/registry/rolebindings/default/")).items).toEqual([]);
  });
});

it("a server on a store with such definitions starts, and deleting them removes only their own objects", async () => {
  const names = [
    ["rolebindings.rbac.authorization.k8s.io", "v2", "RoleBinding"],
    ["clusterrolebindings.rbac.authorization.k8s.io", "v2", "ClusterRoleBinding"],
    ["customresourcedefinitions.apiextensions.k8s.io", "v2", "Definition"],
    ["apiservices.apiregistration.k8s.io", "v2", "Service"],
    ["nodes.metrics.k8s.io", "v1beta1", "NodeMetrics"],
    ["things.example.com", "v1", "Thing"],
    // None that a server accepts: its objects would be pods of the namespace "default".
    ["default.pods", "v1", "Thing"],
  ] as const;
  const thing = {
    kind: "Thing",
    apiVersion: "example.com/v1",
    metadata: { name: "kept", namespace: "default", uid: "1" },
  };
  await store({
    ...Object.assign({}, ...names.map(([name, version, kind]) => stored(name, version, kind))),
    "/registry/example.com/things/default/kept": thing,
    // Through the definitions of definitions and of API services: at the keys of the built-in ones.
    [`${DEFINITIONS}/strange`]: {
      kind: "Definition",
      apiVersion: "apiextensions.k8s.io/v2",
      metadata: { name: "strange" },
    },
    "/registry/apiregistration.k8s.io/apiservices/strange": {
      kind: "Service",
      apiVersion: "apiregistration.k8s.io/v2",
      metadata: { name: "strange", labels: { "kube-aggregator.kubernetes.io/automanaged": "true" } },
    },
    "/registry/kubets-schema-epochs/written": await ownEpoch(),
  });
  const reported: unknown[] = [];
  const onError = (error: unknown): void => void reported.push(String(error));
  const shadows = names
    .map(([name]) => name)
    .filter((name) => name !== "things.example.com" && name !== "default.pods");
  await withCluster(
    async (cluster) => {
      const api = cluster.transport();
      const admin = await call(api, "GET", `${RBAC}/clusterrolebindings/cluster-admin`);
      expect(admin.status).toBe(200);
      expect((await call(api, "GET", "/readyz")).text).toBe("ok");
      expect((await call(api, "GET", "/apis/metrics.k8s.io/v1beta1/nodes")).at("kind")).toBe("NodeMetricsList");
      const things = "/apis/example.com/v1/namespaces/default/things";
      expect((await call(api, "GET", `${things}/kept`)).status).toBe(200);
      expect((await call(api, "GET", "/apis/pods/v1/default")).status).toBe(404);
      const groups = (await call(api, "GET", "/apis")).text;
      expect(groups).not.toMatch(/(rbac.authorization|apiextensions|apiregistration).k8s.io\/v2/);
      for (const name of shadows) {
        const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
        expect((await call(api, "DELETE", path)).status).toBe(200);
        await eventually(async () => expect((await call(api, "GET", path)).status).toBe(404));
      }
      expect((await call(api, "GET", `${RBAC}/clusterrolebindings/cluster-admin`)).text).toBe(admin.text);
      expect((await call(api, "GET", `${things}/kept`)).status).toBe(200);
      expect((await call(api, "GET", "/apis/metrics.k8s.io/v1beta1/nodes")).status).toBe(200);
      // The garbage collector and the namespace controller go on, and take nothing for what it is not.
      const owner = { apiVersion: "rbac.authorization.k8s.io/v2", kind: "RoleBinding", name: "x", uid: "1" };
      const config = { metadata: { name: "owned", ownerReferences: [owner] } };
      expect((await call(api, "POST", "/api/v1/namespaces/default/configmaps", config)).status).toBe(201);
      await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
      await call(api, "POST", `${RBAC}/namespaces/shop/roles`, { metadata: { name: "left" }, rules: [] });
      await call(api, "DELETE", "/api/v1/namespaces/shop");
      await eventually(async () => expect((await call(api, "GET", "/api/v1/namespaces/shop")).status).toBe(404));
      expect((await call(api, "GET", "/api/v1/namespaces/default/configmaps/owned")).status).toBe(200);
      const services = await call(api, "GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io");
      expect(services.status).toBe(404);
    },
    { ...quietCluster, nodes: 1, onError },
  );
  // What the garbage collector says of the owner that is not served is none of it.
  expect(reported.filter((one) => !String(one).includes("unable to get REST mapping"))).toEqual([
    `Error: ${DEFINITIONS}/strange holds apiextensions.k8s.io/v2 Definition, which is not a CustomResourceDefinition; it is not served`,
  ]);
  await withCluster(async (cluster) => {
    expect((await call(cluster.transport(), "GET", `${RBAC}/clusterrolebindings/cluster-admin`)).status).toBe(200);
    const definitions = await call(
      cluster.transport(),
      "GET",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com",
    );
    expect(definitions.status).toBe(200);
  });
});

/** The record of a store that this build alone has written to. */
async function ownEpoch(): Promise<object> {
  const { schemaEpochOf } = await import("../../src/api/scheme/published.js");
  const { releaseOf } = await import("../../src/api/facts/index.js");
  return {
    kind: "SchemaEpochs",
    apiVersion: "internal.kubets.dev/v1",
    metadata: { name: "written" },
    epochs: [schemaEpochOf(await releaseOf())],
  };
}
