import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealHelm, realHelm } from "../../helpers/run-real-helm.js";

const { missing } = realTool("helm");
if (missing !== undefined) process.stdout.write(`helm by a restricted user is skipped: ${missing}\n`);

const RBAC = "/apis/rbac.authorization.k8s.io/v1";

describe.skipIf(missing !== undefined)("helm 4.3.1 by a user with rights in one namespace", () => {
  let cluster: Cluster;
  let helm: RealHelm;
  const chart = join(import.meta.dirname, "..", "chart");
  const IN = ["--namespace", "team"];

  beforeAll(async () => {
    cluster = await startCluster();
    const api = cluster.transport();
    for (const name of ["team", "other"]) await call(api, "POST", "/api/v1/namespaces", { metadata: { name } });
    await call(api, "POST", `${RBAC}/namespaces/team/rolebindings`, {
      metadata: { name: "deployers" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "deployers" }],
    });
    helm = await realHelm({ kubeconfig: () => cluster.kubeconfig({ user: "dana", groups: ["deployers"] }) });
  });
  afterAll(async () => {
    await helm?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  const objectsIn = async (namespace: string): Promise<readonly string[]> => {
    const { text } = await call(cluster.transport(), "GET", `/apis/apps/v1/namespaces/${namespace}/deployments`);
    return (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
  };

  test("installs, upgrades, rolls back, lists and uninstalls in that namespace", async () => {
    expect(await helm.ok("install", "shop", chart, ...IN)).toMatch(/STATUS: deployed\nREVISION: 1/);
    expect(await objectsIn("team")).toEqual(["shop"]);
    expect(await helm.ok("upgrade", "shop", chart, "--set", "replicas=3", ...IN)).toMatch(
      /STATUS: deployed\nREVISION: 2/,
    );
    expect(await helm.ok("rollback", "shop", "1", ...IN)).toBe("Rollback was a success! Happy Helming!\n");
    const listed = JSON.parse(await helm.ok("list", ...IN, "--output", "json")) as object[];
    expect(listed).toMatchObject([{ name: "shop", namespace: "team", revision: "3", status: "deployed" }]);
    expect(await helm.ok("uninstall", "shop", ...IN)).toBe('release "shop" uninstalled\n');
    expect(await objectsIn("team")).toEqual([]);
  });

  const secrets = (verb: string, where: string) =>
    `secrets is forbidden: User "dana" cannot ${verb} resource "secrets" in API group "" ${where}`;

  test.each<[string, readonly string[], string]>([
    ["an install elsewhere", ["install", "shop", chart, "--namespace", "other"], 'in the namespace "other"'],
    ["a list elsewhere", ["list", "--namespace", "other"], secrets("list", 'in the namespace "other"')],
    ["a list of all namespaces", ["list", "--all-namespaces"], secrets("list", "at the cluster scope")],
    [
      "a namespace of its own",
      ["install", "shop", chart, "--namespace", "fresh", "--create-namespace"],
      'configmaps "shop-config" is forbidden: User "dana" cannot get resource "configmaps" in API group "" in the namespace "fresh"',
    ],
  ])("%s is refused in helm's words", async (_, argv, message) => {
    const { code, stdout, stderr } = await helm.run(...argv);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Error: /m);
    expect(stderr).toContain(message);
    expect(await objectsIn("other")).toEqual([]);
  });
});
