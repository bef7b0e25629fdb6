import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { call } from "../helpers/api-caller.js";

const API = "/apis/rbac.authorization.k8s.io/v1";
const GROUP = "rbac.authorization.k8s.io";
const MERGE = { type: "application/merge-patch+json" };
const EXTRA = { verbs: ["get"], apiGroups: [""], resources: ["nodes"] };
const jane = { kind: "User", apiGroup: GROUP, name: "jane" };

let cluster: Cluster;
let api: Transport;
const folder = mkdtempSync(join(tmpdir(), "kubets-policy-"));
/** Uid of the binding that is changed to another role. */
let uid: unknown;

const change = async (path: string, patch: object): Promise<void> => {
  const answer = await call(api, "PATCH", `${API}/${path}`, patch, MERGE);
  expect(answer.status, answer.text).toBe(200);
};

const read = async (path: string, at: string) => (await call(api, "GET", `${API}/${path}`)).at(at);

/** A binding's role cannot be changed, so another program has made the binding anew. */
async function rebind(name: string, role: string): Promise<void> {
  await call(api, "DELETE", `${API}/clusterrolebindings/${name}`);
  const roleRef = { apiGroup: GROUP, kind: "ClusterRole", name: role };
  await call(api, "POST", `${API}/clusterrolebindings`, { metadata: { name }, roleRef, subjects: [jane] });
}

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false, storage: "disk", dataDir: folder });
  api = cluster.transport();
  await change("clusterroles/system:kube-dns", { rules: [EXTRA] });
  await change("clusterroles/system:heapster", {
    rules: [],
    metadata: { annotations: { "rbac.authorization.kubernetes.io/autoupdate": "false" } },
  });
  await change("clusterroles/system:monitoring", { metadata: { labels: null, annotations: null } });
  await change("clusterroles/view", { aggregationRule: null, rules: [EXTRA] });
  await change("clusterrolebindings/system:basic-user", { subjects: [jane] });
  await change("namespaces/kube-system/roles/system:controller:token-cleaner", { rules: [] });
  await rebind("system:kube-scheduler", "view");
  uid = await read("clusterrolebindings/system:kube-scheduler", "metadata.uid");
  await call(api, "DELETE", `${API}/clusterroles/edit`);
  await cluster.close();
  cluster = await startCluster({ port: false, controllers: false, storage: "disk", dataDir: folder });
  api = cluster.transport();
});

afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

test("at its start the server restores missing rules of a default role, and keeps added ones", async () => {
  expect(await read("clusterroles/system:kube-dns", "rules")).toEqual([
    EXTRA,
    { verbs: ["list"], apiGroups: [""], resources: ["endpoints"] },
    { verbs: ["watch"], apiGroups: [""], resources: ["endpoints"] },
    { verbs: ["list"], apiGroups: [""], resources: ["services"] },
    { verbs: ["watch"], apiGroups: [""], resources: ["services"] },
  ]);
});

test("at its start the server does not change a role whose annotation disables updates", async () => {
  expect(await read("clusterroles/system:heapster", "rules")).toEqual([]);
});

test("at its start the server restores labels and annotations of a default role", async () => {
  const metadata = await read("clusterroles/system:monitoring", "metadata");
  expect(metadata).toMatchObject({
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  });
});

test("at its start the server restores the aggregation rule of a default role", async () => {
  const selectors = [{ matchLabels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } }];
  expect(await read("clusterroles/view", "aggregationRule")).toEqual({ clusterRoleSelectors: selectors });
});

test("at its start the server restores missing subjects of a default binding", async () => {
  const subjects = [jane, { kind: "Group", apiGroup: GROUP, name: "system:authenticated" }];
  expect(await read("clusterrolebindings/system:basic-user", "subjects")).toEqual(subjects);
});

test("at its start the server restores rules of a default role in a namespace", async () => {
  const rules = await read("namespaces/kube-system/roles/system:controller:token-cleaner", "rules");
  expect(rules).toContainEqual({ verbs: ["delete"], apiGroups: [""], resources: ["secrets"] });
});

test("at its start the server replaces a default binding that refers to another role", async () => {
  expect(await read("clusterrolebindings/system:kube-scheduler", "roleRef.name")).toBe("system:kube-scheduler");
  expect(await read("clusterrolebindings/system:kube-scheduler", "metadata.uid")).not.toBe(uid);
  const subjects = [{ kind: "User", apiGroup: GROUP, name: "system:kube-scheduler" }];
  expect(await read("clusterrolebindings/system:kube-scheduler", "subjects")).toEqual(subjects);
});

test("at its start the server creates a deleted default role again", async () => {
  expect(await read("clusterroles/edit", "metadata.labels")).toMatchObject({
    "rbac.authorization.k8s.io/aggregate-to-admin": "true",
  });
});
