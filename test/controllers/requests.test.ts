import { afterAll, beforeAll, expect, test } from "vitest";
import { kubernetesClient, type KubernetesClient } from "../../src/client/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { Filter } from "../../src/server/request/api-request.js";
import { eventually } from "../helpers/eventually.js";

const NAMESPACES = Array.from({ length: 10 }, (_, index) => `load-${index}`);
const APPS = ["web", "db"];
const PODS_OF_APP = 10;

let cluster: Cluster;
let client: KubernetesClient;
/** The controllers' requests: "LIST /api/v1/pods". */
const requests: string[] = [];

const recordControllers: Filter = (next) => (request) => {
  const { method, path, query, headers } = request.exchange;
  if (headers["user-agent"] === "kubets-controller-manager") {
    const verb = query.has("watch") ? "WATCH" : method === "GET" && isCollection(path) ? "LIST" : method;
    requests.push(`${verb} ${path}`);
  }
  return next(request);
};

/** "/api/v1/pods", "/apis/apps/v1/namespaces/shop/deployments". */
function isCollection(path: string): boolean {
  const [root = "", ...rest] = path.split("/").filter((segment) => segment !== "");
  const below = rest.slice(root === "api" ? 1 : 2);
  return below.length === 1 || (below.length === 3 && below[0] === "namespaces");
}

/** Every namespace is given these; on a busy machine the last ones are while pods change already. */
const OF_NEW_NAMESPACES = /\/(?:serviceaccounts\/default|configmaps\/kube-root-ca\.crt)$/;

const listsIn = (some: readonly string[]): string[] => some.filter((request) => request.startsWith("LIST "));

beforeAll(async () => {
  const filter = { name: "record-controllers", filter: recordControllers };
  cluster = await startCluster({ port: false, filters: [filter] });
  client = kubernetesClient(cluster);
});

afterAll(async () => {
  await client.close();
  await cluster.close();
});

const podsIn = (namespace: string) => client.of("v1", "Pod").namespace(namespace);
const names = APPS.flatMap((app) =>
  Array.from({ length: PODS_OF_APP }, (_, index) => ({ app, name: `${app}-${index}` })),
);

async function expectBudgets(numbers: object): Promise<void> {
  const budgets = client.of("policy/v1", "PodDisruptionBudget");
  await eventually(async () => {
    const { items } = await budgets.list();
    expect(items).toHaveLength(NAMESPACES.length * APPS.length);
    for (const { status } of items) expect(status).toMatchObject(numbers);
  });
}

test("once their caches are full, the controllers send no list requests however many pods change", async () => {
  for (const namespace of NAMESPACES) {
    await client.of("v1", "Namespace").create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    for (const app of APPS) {
      await client.of("policy/v1", "PodDisruptionBudget").create({
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: app, namespace },
        spec: { minAvailable: 1, selector: { matchLabels: { app } } },
      });
    }
  }
  await expectBudgets({ expectedPods: 0 });
  expect(listsIn(requests)).not.toContain("LIST /api/v1/pods");
  requests.length = 0;

  for (const namespace of NAMESPACES) {
    const spec = { nodeName: "node", containers: [{ name: "c", image: "i" }] };
    const pods = names.map(({ app, name }) => ({
      apiVersion: "v1" as const,
      kind: "Pod" as const,
      metadata: { name, labels: { app } },
      spec,
    }));
    await Promise.all(pods.map((pod) => podsIn(namespace).create(pod)));
  }
  await expectBudgets({ expectedPods: PODS_OF_APP, currentHealthy: 0 });
  const ready = {
    status: { phase: "Running" as const, conditions: [{ type: "Ready" as const, status: "True" as const }] },
  };
  for (const namespace of NAMESPACES) {
    await Promise.all(names.map(({ name }) => podsIn(namespace).patchStatus(name, ready, { type: "merge" })));
  }
  await expectBudgets({ currentHealthy: PODS_OF_APP, disruptionsAllowed: PODS_OF_APP - 1 });
  for (const namespace of NAMESPACES) {
    const half = names.filter((_, index) => index % 2 === 0);
    await Promise.all(half.map(({ name }) => podsIn(namespace).delete(name, { gracePeriodSeconds: 0 })));
  }
  await expectBudgets({ expectedPods: PODS_OF_APP / 2, currentHealthy: PODS_OF_APP / 2 });

  expect(listsIn(requests)).toEqual([]);
  expect(requests.filter((request) => request.startsWith("GET ") && !OF_NEW_NAMESPACES.test(request))).toEqual([]);
});

test("the controllers watch a resource from its first object on, with one watch for all controllers and one for the garbage collector", async () => {
  const stored = requests.length;
  const other = await startCluster({
    port: false,
    filters: [{ name: "record-controllers", filter: recordControllers }],
  });
  const watchesOf = (path: string) => requests.slice(stored).filter((request) => request === `WATCH ${path}`).length;
  const own = kubernetesClient(other);
  try {
    await eventually(async () => {
      // The system's namespaces are there from the start.
      expect(watchesOf("/api/v1/namespaces")).toBeGreaterThanOrEqual(2);
    });
    expect(watchesOf("/api/v1/pods")).toBe(0);
    const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const deployment = { metadata: { name: "a" }, spec: { selector: { matchLabels: { app: "a" } }, template } };
    await own.of("apps/v1", "Deployment").namespace("default").create(deployment);
    await own
      .of("v1", "Pod")
      .namespace("default")
      .create({ metadata: { name: "a" }, spec: template.spec });
    await eventually(async () => {
      // One with whole objects for all controllers, one of metadata for the garbage collector.
      expect(watchesOf("/api/v1/pods")).toBe(2);
      expect(watchesOf("/apis/apps/v1/deployments")).toBe(2);
    });
    expect(watchesOf("/apis/policy/v1/poddisruptionbudgets")).toBe(0);
    expect(watchesOf("/apis/apps/v1/statefulsets")).toBe(0);
  } finally {
    await own.close();
    await other.close();
  }
});
