import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { rawRequest } from "../../helpers/raw-request.js";
import { realTool } from "../../helpers/real-tools.js";
import { runCli } from "../../helpers/run-cli.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { eventually } from "../../helpers/eventually.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl's tests of access are skipped: ${missing}\n`);

/** What every user may do: discovery, health and questions about itself. */
const EVERYBODY = [
  "selfsubjectreviews.authentication.k8s.io [] [] [create]",
  "selfsubjectaccessreviews.authorization.k8s.io [] [] [create]",
  "selfsubjectrulesreviews.authorization.k8s.io [] [] [create]",
  ...["/api/*", "/api", "/apis/*", "/apis", "/healthz", "/healthz", "/livez", "/livez", "/openapi/*", "/openapi"].map(
    (path) => `[${path}] [] [get]`,
  ),
  ...["/readyz", "/readyz", "/version/", "/version/", "/version", "/version"].map((path) => `[${path}] [] [get]`),
];

describe.skipIf(missing !== undefined)("kubectl 1.37.1, unchanged, with restricted users", () => {
  let cluster: Cluster;
  let admin: RealKubectl;
  let jane: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ nodes: 1 });
    admin = await realKubectl(cluster);
    jane = await realKubectl({ kubeconfig: () => cluster.kubeconfig({ user: "jane", groups: ["developers"] }) });
    await admin.ok("create namespace shop");
    await admin.ok("create role reader --verb=get,list,watch --resource=pods,deployments.apps -n shop");
    await admin.ok("create rolebinding readers --role=reader --group=developers -n shop");
  });
  afterAll(async () => {
    await Promise.all([admin, jane].map((each) => each?.[Symbol.asyncDispose]()));
    await cluster.close();
  });

  test("auth whoami prints the user's name and groups", async () => {
    expect(await jane.ok("auth whoami")).toMatch(
      /^ATTRIBUTE +VALUE\nUsername +jane\nGroups +\[developers system:authenticated\]\nExtra: authentication\.kubernetes\.io\/credential-id +\[X509SHA256=[0-9a-f]{64}\]\n$/,
    );
    expect(JSON.parse(await admin.ok("auth whoami -o json"))).toMatchObject({
      kind: "SelfSubjectReview",
      status: { userInfo: { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] } },
    });
  });

  test("a user with a non-ASCII name has the rights of the binding that names it", async () => {
    await admin.ok(["create", "rolebinding", "foreign", "--role=reader", "--user=jäne", "-n", "shop"]);
    expect(await admin.run(["auth", "can-i", "list", "pods", "-n", "shop", "--as=jäne"])).toMatchObject({
      code: 0,
      stdout: "yes\n",
    });
    expect(await admin.ok(["auth", "whoami", "--as=jäne", "-o", "jsonpath={.status.userInfo.username}"])).toBe("jäne");
  });

  test("auth can-i answers yes and no, with its exit codes", async () => {
    expect(await jane.run("auth can-i list pods -n shop")).toEqual({ code: 0, stdout: "yes\n", stderr: "" });
    expect(await jane.run("auth can-i delete pods -n shop")).toEqual({ code: 1, stdout: "no\n", stderr: "" });
    expect(await jane.run("auth can-i list pods")).toEqual({ code: 1, stdout: "no\n", stderr: "" });
    expect(await jane.run("auth can-i get pods --subresource=log -n shop")).toMatchObject({ code: 1, stdout: "no\n" });
    expect(await jane.run("auth can-i get /version")).toMatchObject({ code: 0, stdout: "yes\n" });
    expect(await jane.run("auth can-i get /metrics")).toMatchObject({ code: 1, stdout: "no\n" });
    expect(await jane.run("auth can-i -q list pods -n shop")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await admin.run("auth can-i * *")).toMatchObject({ code: 0, stdout: "yes\n" });
    expect(await admin.run("auth can-i list pods -n shop --as=jane --as-group=developers")).toMatchObject({ code: 0 });
    expect(await jane.run("auth can-i list pods --as=admin -n shop")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error from server \(Forbidden\): .*User "jane" cannot impersonate/) as string,
    });
  });

  test("auth can-i --list shows the rights from roles, beside those of every user", async () => {
    const rows = (text: string) =>
      text
        .split("\n")
        .slice(1, -1)
        .map((line) => line.trim().replaceAll(/ +/g, " "));
    const rules = rows(await jane.ok("auth can-i --list -n shop"));
    expect(rules.toSorted()).toEqual(
      ["pods [] [] [get list watch]", "deployments.apps [] [] [get list watch]", ...EVERYBODY].toSorted(),
    );
    expect(rows(await jane.ok("auth can-i --list")).toSorted()).toEqual(EVERYBODY.toSorted());
    expect(rows(await admin.ok("auth can-i --list"))).toEqual(expect.arrayContaining(["*.* [] [] [*]", "[*] [] [*]"]));
  });

  test("auth reconcile adds the missing parts of a role and a binding, and removes others only when told to", async () => {
    const file = (verbs: string, subject: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: lamps}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [${verbs}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: lamps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: lamps}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: ${subject}}
`;
    const path = join(admin.folder, "lamps.yaml");
    const reconcile = async (verbs: string, subject: string, ...more: string[]) => {
      await writeFile(path, file(verbs, subject));
      return admin.ok(["auth", "reconcile", "-f", path, ...more]);
    };
    const DONE =
      "clusterrole.rbac.authorization.k8s.io/lamps reconciled\nclusterrolebinding.rbac.authorization.k8s.io/lamps reconciled\n";
    expect(await reconcile("get, list", "jane")).toBe(DONE);
    expect(await jane.run("auth can-i list configmaps")).toMatchObject({ stdout: "yes\n" });
    expect(await reconcile("watch", "joe")).toBe(DONE);
    const can = async (user: string, verb: string) =>
      (await admin.run(["auth", "can-i", verb, "configmaps", `--as=${user}`])).stdout;
    expect([await can("jane", "list"), await can("joe", "watch")]).toEqual(["yes\n", "yes\n"]);
    await reconcile("watch", "joe", "--remove-extra-permissions", "--remove-extra-subjects");
    expect([await can("joe", "list"), await can("joe", "watch"), await can("jane", "watch")]).toEqual([
      "no\n",
      "yes\n",
      "no\n",
    ]);
    // kubectl 1.37.1 panics where it may not read a ClusterRoleBinding, so the role comes alone.
    await writeFile(path, file("'*'", "jane").split("---")[0] ?? "");
    const refused = await jane.run(["auth", "reconcile", "-f", path]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        'clusterroles.rbac.authorization.k8s.io "lamps" is forbidden: User "jane" cannot get resource "clusterroles" in API group "rbac.authorization.k8s.io" at the cluster scope',
      ),
    ]);
  });

  describe("create token", () => {
    const outside = () => ["--server", cluster.url, "--certificate-authority", join(admin.folder, "ca.pem")];
    let robot: RealKubectl;

    beforeAll(async () => {
      await writeFile(join(admin.folder, "ca.pem"), cluster.caCertificate);
      // A kubeconfig with no user: the token on the command line says who asks.
      robot = await realKubectl({ kubeconfig: () => JSON.stringify({ apiVersion: "v1", kind: "Config" }) });
      await admin.ok("create serviceaccount robot -n shop");
      await admin.ok("create rolebinding robot --role=reader --serviceaccount=shop:robot -n shop");
    });
    afterAll(() => robot?.[Symbol.asyncDispose]());

    test("makes a token that works outside of the cluster, with the rights of its role", async () => {
      const token = (await admin.ok("create token robot -n shop --duration=1h")).trim();
      const as = (...argv: string[]) => robot.run([...outside(), "--token", token, ...argv]);
      expect(await as("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")).toMatchObject({
        stdout: "system:serviceaccount:shop:robot",
      });
      expect(await as("get", "pods", "-n", "shop")).toMatchObject({
        code: 0,
        stderr: "No resources found in shop namespace.\n",
      });
      expect(await as("get", "secrets", "-n", "shop")).toEqual({
        code: 1,
        stdout: "",
        stderr:
          'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:shop:robot" cannot list resource "secrets" in API group "" in the namespace "shop"\n',
      });
      expect(await rawRequest(cluster, "/api/v1/namespaces/shop/pods", { token })).toMatchObject({ status: 200 });
      expect(await rawRequest(cluster, "/api/v1/pods", { token })).toMatchObject({ status: 403 });
    });

    test("makes for another audience a token that the API refuses", async () => {
      const token = (await admin.ok("create token robot -n shop --audience=vault")).trim();
      expect(await robot.run([...outside(), "--token", token, "get", "pods", "-n", "shop"])).toEqual({
        code: 1,
        stdout: "",
        stderr: "error: You must be logged in to the server (Unauthorized)\n",
      });
    });

    test("makes a token that is refused when the secret to which it is bound is deleted", async () => {
      await admin.ok("create secret generic handle -n shop");
      const token = (
        await admin.ok("create token robot -n shop --bound-object-kind=Secret --bound-object-name=handle")
      ).trim();
      const pods = () => rawRequest(cluster, "/api/v1/namespaces/shop/pods", { token });
      expect(await pods()).toMatchObject({ status: 200 });
      await admin.ok("delete secret handle -n shop");
      expect(await pods()).toMatchObject({ status: 401 });
    });

    test("makes a token that is refused when its service account is deleted", async () => {
      await admin.ok("create serviceaccount brief -n shop");
      const token = (await admin.ok("create token brief -n shop")).trim();
      const version = () => rawRequest(cluster, "/version", { token });
      expect(await version()).toMatchObject({ status: 200 });
      await admin.ok("delete serviceaccount brief -n shop");
      expect(await version()).toMatchObject({ status: 401 });
    });
  });

  test("the token in a pod's volume works outside of the pod until the pod is deleted", async () => {
    await admin.ok("create serviceaccount worker -n shop");
    await admin.ok("create rolebinding worker --role=reader --serviceaccount=shop:worker -n shop");
    const overrides = JSON.stringify({ spec: { serviceAccountName: "worker", terminationGracePeriodSeconds: 0 } });
    await admin.ok(["run", "worker", "--image=busybox", "-n", "shop", `--overrides=${overrides}`]);
    await admin.ok("wait --for=condition=Ready pod/worker -n shop --timeout=30s");
    const read = (name: string) =>
      admin.ok(["exec", "worker", "-n", "shop", "--", "cat", `/var/run/secrets/kubernetes.io/serviceaccount/${name}`]);
    const [token, namespace, ca] = [await read("token"), await read("namespace"), await read("ca.crt")];
    expect([namespace, ca]).toEqual(["shop", cluster.caCertificate]);
    const inShop = (what: string) => rawRequest(cluster, `/api/v1/namespaces/shop/${what}`, { token });
    expect((await inShop("pods")).body).toContain('"name":"worker"');
    expect(await inShop("secrets")).toMatchObject({ status: 403 });
    const reviewed = await rawRequest(cluster, "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      token,
      method: "POST",
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
    });
    expect(reviewed.body).toContain('"authentication.kubernetes.io/pod-name":["worker"]');
    await admin.ok("delete pod worker -n shop --wait");
    await eventually(async () => expect(await inShop("pods")).toMatchObject({ status: 401 }));
  });

  test("the user of `kubets cluster user` can be used by kubectl", async () => {
    const kubeconfig = join(admin.folder, "kubeconfig");
    const made = await runCli(["cluster", "user", "kim", "--group=developers", "--as-context"], {
      env: { HOME: admin.folder, KUBECONFIG: kubeconfig },
    });
    expect(made).toEqual({ code: 0, stdout: `context "kim@kubets" written to ${kubeconfig}\n`, stderr: "" });
    expect(await admin.ok("auth whoami --context=kim@kubets -o jsonpath={.status.userInfo.groups}")).toBe(
      '["developers","system:authenticated"]',
    );
    expect(await admin.run("get pods -n shop --context=kim@kubets")).toMatchObject({ code: 0 });
    expect(await admin.run("get pods --context=kim@kubets")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'Error from server (Forbidden): pods is forbidden: User "kim" cannot list resource "pods" in API group "" in the namespace "default"\n',
    });
  });
});
