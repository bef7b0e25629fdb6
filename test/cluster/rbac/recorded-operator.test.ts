import { afterEach, expect, test } from "vitest";
import {
  configFromText,
  describeProblem,
  kubernetesClient,
  Manager,
  type KubernetesClient,
} from "../../../src/client/index.js";
import { type Cluster, missingRights, rbacRecorder, startCluster } from "../../../src/cluster/index.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { readDocuments } from "../../../src/machinery/text/yaml/documents.js";
import { observeAnswers } from "../../../src/server/request/observed-answer.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const SHELF = { labelSelector: "example.com/kind=shelf" };
const BOOK = { labelSelector: "example.com/kind=book" };

/** A controller of shelves: each ConfigMap that is one gets a book, by server-side apply, and is annotated by a merge patch. */
function addShelves(manager: Manager): void {
  manager
    .controllerFor("v1", "ConfigMap", SHELF)
    .named("shelves")
    .owns("v1", "ConfigMap", BOOK)
    .reconcile(async ({ namespace, name, object, signal }) => {
      if (object === undefined) return;
      const configMaps = manager.client.of("v1", "ConfigMap").namespace(namespace);
      const uid = object.metadata?.uid ?? "";
      const owner = { apiVersion: "v1", kind: "ConfigMap", name, uid, controller: true };
      const labels = { "example.com/kind": "book" };
      const metadataOfBook = { name: `${name}-book`, labels, ownerReferences: [owner] };
      const book = { apiVersion: "v1", kind: "ConfigMap", metadata: metadataOfBook } as const;
      await configMaps.apply(book, { fieldManager: "shelves", signal });
      await manager.client.of("v1", "Node").list({ signal });
      const metadata = { annotations: { "example.com/state": "full" } };
      await configMaps.patch(name, { metadata }, { type: "merge", signal });
    });
}

/** Runs the controller until the shelf is full, and returns its problems. */
async function runShelves(client: KubernetesClient, admin: KubernetesClient): Promise<readonly string[]> {
  const problems: string[] = [];
  const stop = new AbortController();
  const manager = new Manager(client, {
    namespace: "shop",
    leaderElection: { lease: { namespace: "shop", name: "shelves" } },
    onProblem: (problem) => void problems.push(describeProblem(problem)),
  });
  addShelves(manager);
  const running = manager.run(stop.signal);
  try {
    const configMaps = admin.of("v1", "ConfigMap").namespace("shop");
    await configMaps.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "novels", labels: { "example.com/kind": "shelf" } },
    });
    await eventually(async () => {
      const { metadata } = await configMaps.get("novels");
      expect([metadata.annotations, problems]).toEqual([{ "example.com/state": "full" }, []]);
    });
    expect((await configMaps.get("novels-book")).metadata.ownerReferences).toMatchObject([{ name: "novels" }]);
  } finally {
    stop.abort();
    await running;
  }
  return problems;
}

function closed<T extends { close(): Promise<void> }>(closable: T): T {
  closing.push(() => closable.close());
  return closable;
}

async function withShop(cluster: Cluster): Promise<KubernetesClient> {
  const admin = closed(kubernetesClient(closed(cluster)));
  await admin.of("v1", "Namespace").create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  return admin;
}

const userOf = async (kubeconfig: string): Promise<KubernetesClient> =>
  closed(kubernetesClient(await configFromText(kubeconfig)));

const TOKEN = "/api/v1/namespaces/shop/serviceaccounts/shelves/token";
const TOKEN_REQUEST = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" };

test("a controller runs by its recorded roles alone, without one 403", async () => {
  const recorder = rbacRecorder({ user: "developer" });
  const first = await startCluster({ ...quietCluster, filters: recorder.filters });
  const admin = await withShop(first);
  const developer = await userOf(first.kubeconfig({ user: "developer", groups: ["system:masters"] }));
  expect(await runShelves(developer, admin)).toEqual([]);
  const roles = [...readDocuments(recorder.yaml())].map(({ value }) => value as unknown as KubeObject);
  expect(roles).toMatchObject([
    { kind: "ClusterRole", rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }] },
    { kind: "Role", metadata: { namespace: "shop" } },
  ]);

  const again = rbacRecorder({ user: "shop/shelves" });
  const statuses: number[] = [];
  const observer = observeAnswers(
    () => 0,
    ({ user }, { status = 0 }) => void (user.name === again.user && statuses.push(status)),
  );
  const filters = [...again.filters, { name: "statuses", after: "impersonation", filter: observer }];
  const second = await startCluster({ ...quietCluster, filters });
  const creator = await withShop(second);
  for (const object of [...roles, ...bindingsOf(roles)]) {
    await creator
      .of(object.apiVersion ?? "", object.kind ?? "")
      .namespace(object.metadata?.namespace ?? "")
      .create(object);
  }
  const accounts = creator.of("v1", "ServiceAccount").namespace("shop");
  await accounts.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "shelves" } });
  const spec = { audiences: [] };
  const answer = await call(second.transport(), "POST", TOKEN, { ...TOKEN_REQUEST, spec });
  const kubeconfig = JSON.parse(second.kubeconfig());
  kubeconfig.users[0].user = { token: answer.at("status.token") };
  const account = await userOf(JSON.stringify(kubeconfig));

  expect(await runShelves(account, creator)).toEqual([]);
  expect(missingRights(roles, again)).toEqual([]);
  expect(again.rights().filter(({ refused }) => refused > 0)).toEqual([]);
  expect(statuses).toContain(201);
  expect(statuses).not.toContain(403);
});

/** Bindings of the roles to the service account. */
function bindingsOf(roles: readonly KubeObject[]) {
  return roles.map(({ kind = "", metadata }) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: `${kind}Binding`,
    metadata: { ...metadata },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: metadata?.name },
    subjects: [{ kind: "ServiceAccount", namespace: "shop", name: "shelves" }],
  }));
}
