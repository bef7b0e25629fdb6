import { afterEach, describe, expect, test } from "vitest";
import { type Cluster, missingRights, type RbacRecorder, rbacRecorder } from "../../../src/cluster/index.js";
import { startCluster } from "../../../src/cluster/start-cluster.js";
import { call } from "../../helpers/api-caller.js";
import { asUser } from "../../helpers/as-user.js";

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

async function recorded(...recorders: readonly RbacRecorder[]): Promise<Cluster> {
  const filters = recorders.flatMap((recorder) => recorder.filters);
  cluster = await startCluster({ port: false, controllers: false, scheduler: false, filters });
  for (const recorder of recorders) recorder.clear();
  return cluster;
}

/** "shop: get secrets", "cluster: get /metrics"; with "refused" behind it where the server refused it. */
const textsOf = (recorder: RbacRecorder): readonly string[] =>
  recorder.rights().map(({ namespace, verb, resource, subresource, path, refused }) => {
    const object = resource === "" ? path : [resource, subresource].filter((part) => part !== "").join("/");
    return `${namespace === "" ? "cluster" : namespace}: ${verb} ${object}${refused > 0 ? " refused" : ""}`;
  });

const SECRETS = "/api/v1/namespaces/shop/secrets";
const CONFIG_MAP = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const APPLY = { type: "application/apply-patch+yaml" };

describe("a recorder", () => {
  test("sees the administrator by default, and no other user", async () => {
    const recorder = rbacRecorder();
    const server = await recorded(recorder);
    await call(server.transport(), "GET", "/api/v1/nodes");
    expect(recorder.user).toBe("kubernetes-admin");
    expect(textsOf(recorder)).toEqual(["cluster: list nodes"]);
    await asUser(server.transport(), "jane,system:masters")("GET", "/api/v1/pods");
    expect(textsOf(recorder)).not.toContain("cluster: list pods");
  });

  test.each([
    ["shop/operator", "system:serviceaccount:shop:operator", "operator"],
    ["system:serviceaccount:shop:operator", "system:serviceaccount:shop:operator", "operator"],
    ["jane", "jane", "recorded"],
    ["https://issuer.example.com#jane", "https://issuer.example.com#jane", "recorded"],
    ["a/b/c", "a/b/c", "recorded"],
  ])("takes %s as the user %s, whose roles are named %s", async (given, user, name) => {
    const recorder = rbacRecorder({ user: given });
    const server = await recorded(recorder);
    await asUser(server.transport(), `${user},system:masters`)("GET", SECRETS);
    expect(recorder.user).toBe(user);
    expect(recorder.roles()).toMatchObject([{ kind: "Role", metadata: { name, namespace: "shop" } }]);
  });

  test("leaves out what every authenticated user may do", async () => {
    const recorder = rbacRecorder();
    const { transport } = await recorded(recorder);
    for (const path of ["/api", "/apis/apps/v1", "/openapi/v3", "/version", "/healthz"]) {
      expect((await call(transport(), "GET", path)).status).toBe(200);
    }
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    await call(transport(), "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review);
    expect(recorder.rights()).toEqual([]);
    expect(recorder.yaml()).toContain("in 0 requests.");
    await call(transport(), "GET", "/metrics");
    expect(textsOf(recorder)).toEqual(["cluster: get /metrics"]);
  });

  test("marks what the authorizers refuse, and nothing else that is answered 403", async () => {
    const recorder = rbacRecorder({ user: "jane" });
    const server = await recorded(recorder);
    const plain = asUser(server.transport(), "jane");
    expect((await plain("GET", SECRETS)).status).toBe(403);
    const strong = asUser(server.transport(), "jane,system:masters");
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "safe", labels } };
    expect((await strong("POST", "/api/v1/namespaces", namespace)).status).toBe(201);
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a" },
      spec: { containers: [{ name: "a", image: "i" }] },
    };
    // Admission refuses it.
    expect((await strong("POST", "/api/v1/namespaces/safe/pods", pod)).status).toBe(403);
    expect((await strong("GET", CONFIG_MAPS)).status).toBe(200);
    expect(textsOf(recorder)).toEqual([
      "cluster: create namespaces",
      "default: list configmaps",
      "safe: create pods",
      "shop: list secrets refused",
    ]);
    expect(recorder.yaml()).toContain("# The server refused these (403):\n#   list secrets\n");
    expect(recorder.yaml()).toContain("in 4 requests.");
  });

  test("adds create to an apply that creates the object, as kube-apiserver asks for it", async () => {
    const recorder = rbacRecorder();
    const { transport } = await recorded(recorder);
    const apply = (name: string) =>
      call(
        transport(),
        "PATCH",
        `${CONFIG_MAPS}/${name}?fieldManager=test`,
        { ...CONFIG_MAP, metadata: { name } },
        APPLY,
      );
    await call(transport(), "POST", CONFIG_MAPS, CONFIG_MAP);
    recorder.clear();
    expect((await apply("a")).status).toBe(200);
    expect(textsOf(recorder)).toEqual(["default: patch configmaps"]);
    expect((await apply("b")).status).toBe(201);
    expect(textsOf(recorder)).toEqual(["default: create configmaps", "default: patch configmaps"]);
    expect(recorder.yaml()).toContain("in 2 requests.");
  });

  test("adds create to a session into a pod that begins with GET", async () => {
    const recorder = rbacRecorder();
    const { transport } = await recorded(recorder);
    await call(transport(), "GET", "/api/v1/namespaces/shop/pods/a/exec?command=ls");
    await call(transport(), "GET", "/api/v1/namespaces/shop/pods/a/log");
    expect(textsOf(recorder)).toEqual(["shop: create pods/exec", "shop: get pods/exec", "shop: get pods/log"]);
  });

  test("makes no wildcard of a star that a client sent", async () => {
    const recorder = rbacRecorder();
    const { transport } = await recorded(recorder);
    for (const path of ["/api/v1/*", "/apis/*/v1/pods", "/api/v1/namespaces/a/pods/b/*", "/*", "/logs/*"]) {
      await call(transport(), "GET", path);
    }
    expect(recorder.rights()).toEqual([]);
  });

  test("sees a watch while it runs", async () => {
    const recorder = rbacRecorder();
    const { transport } = await recorded(recorder);
    const watch = await transport().send({ method: "GET", path: "/api/v1/pods?watch=1", headers: {} });
    expect(textsOf(recorder)).toEqual(["cluster: watch pods"]);
    await watch.body[Symbol.asyncIterator]().return?.();
  });
});

describe("impersonation", () => {
  test("counts for the user that is impersonated; the verb impersonate counts for the one who does it", async () => {
    const [admin, jane] = [rbacRecorder(), rbacRecorder({ user: "jane" })];
    const server = await recorded(admin, jane);
    await asUser(server.transport(), "jane,system:masters")("GET", SECRETS);
    expect(textsOf(jane)).toEqual(["shop: list secrets"]);
    expect(textsOf(admin)).toEqual(["cluster: impersonate groups", "cluster: impersonate users"]);
  });

  test("of a service account is a right in its namespace", async () => {
    const admin = rbacRecorder();
    const server = await recorded(admin);
    await asUser(server.transport(), "system:serviceaccount:shop:operator")("GET", SECRETS);
    // The server refuses the request to the service account, not the impersonation.
    expect(textsOf(admin)).toEqual(["shop: impersonate serviceaccounts"]);
  });

  test("that is refused is marked, and the request counts for no one", async () => {
    const [weak, jane] = [rbacRecorder({ user: "weak" }), rbacRecorder({ user: "jane" })];
    cluster = await startCluster({
      port: false,
      controllers: false,
      scheduler: false,
      filters: [...weak.filters, ...jane.filters],
      authenticators: [() => ({ name: "weak", groups: [] })],
    });
    const headers = { "impersonate-user": "jane", authorization: "Bearer none" };
    const answer = await call(cluster.transport(), "GET", SECRETS, undefined, { headers });
    expect(answer.status).toBe(403);
    expect(textsOf(weak)).toEqual(["cluster: impersonate users refused"]);
    expect(jane.rights()).toEqual([]);
  });
});

describe("missingRights", () => {
  const role = (kind: "ClusterRole" | "Role", rules: readonly object[], namespace?: string) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata: { name: "operator", ...(namespace !== undefined && { namespace }) },
    rules,
  });
  const rule = (verbs: string, resources: string, more: object = {}) => ({
    apiGroups: [""],
    resources: resources.split(","),
    verbs: verbs.split(","),
    ...more,
  });
  async function seen(...paths: readonly string[]): Promise<RbacRecorder> {
    const recorder = rbacRecorder();
    const { transport } = await recorded(recorder);
    for (const path of paths) await call(transport(), "GET", path);
    return recorder;
  }

  test("is empty for the recorder's own roles", async () => {
    const recorder = await seen(SECRETS, `${SECRETS}/a`, "/api/v1/nodes", "/api/v1/namespaces/shop", "/metrics");
    expect(missingRights(recorder.roles(), recorder)).toEqual([]);
    expect(missingRights([], recorder)).toHaveLength(5);
  });

  test("matches a Role in its namespace alone, and a ClusterRole in all", async () => {
    const recorder = await seen(SECRETS, "/api/v1/nodes");
    const list = rule("list", "secrets,nodes");
    const missing = (...roles: readonly ReturnType<typeof role>[]) =>
      missingRights(roles, recorder).map(({ resource }) => resource);
    expect(missing(role("ClusterRole", [list]))).toEqual([]);
    expect(missing(role("Role", [list], "shop"))).toEqual(["nodes"]);
    expect(missing(role("Role", [list], "other"))).toEqual(["nodes", "secrets"]);
  });

  test("matches resourceNames, and says which names lack the right", async () => {
    const recorder = await seen(`${SECRETS}/a`, `${SECRETS}/b`);
    const named = role("Role", [rule("get", "secrets", { resourceNames: ["a"] })], "shop");
    expect(missingRights([named], recorder)).toMatchObject([{ verb: "get", resource: "secrets", names: ["b"] }]);
  });

  test("matches stars as the server does", async () => {
    const recorder = await seen("/api/v1/namespaces/shop/pods/a/log", "/logs/x");
    const stars = role("ClusterRole", [rule("*", "*/log"), { nonResourceURLs: ["/logs/*"], verbs: ["get"] }]);
    expect(missingRights([stars], recorder)).toEqual([]);
  });

  test("lets a Role in a namespace allow a request for that namespace, as the server does", async () => {
    const recorder = await seen("/api/v1/namespaces/shop");
    expect(missingRights([role("Role", [rule("get", "namespaces")], "shop")], recorder)).toEqual([]);
    expect(missingRights([role("Role", [rule("get", "namespaces")], "other")], recorder)).toHaveLength(1);
  });

  test("ignores objects that are no roles, and refuses a Role without a namespace", async () => {
    const recorder = await seen(SECRETS);
    expect(missingRights([{ apiVersion: "v1", kind: "ConfigMap" }], recorder)).toHaveLength(1);
    expect(() => missingRights([role("Role", [])], recorder)).toThrow(
      'Role "operator" has no namespace: set metadata.namespace to the one that it is created in',
    );
  });
});
