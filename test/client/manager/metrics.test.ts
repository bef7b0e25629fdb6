import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { kubernetesClient, type KubernetesClient, Manager, metricRegistry } from "../../../src/client/index.js";
import type { MetricRegistry } from "../../../src/machinery/metrics/metric-registry.js";
import { eventually } from "../../helpers/eventually.js";
import { samplesWith, total } from "../../helpers/scraped-metrics.js";

let cluster: Cluster;
let client: KubernetesClient;

beforeAll(async () => {
  cluster = await startCluster({ controllers: [], scheduler: false });
  client = kubernetesClient(cluster);
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

/** Runs a manager that fails for one ConfigMap, until `done` passes. */
async function manage(metrics: MetricRegistry, lease: string, done: () => Promise<void>): Promise<void> {
  const manager = new Manager(client, {
    metrics,
    namespace: lease,
    leaderElection: { lease: { namespace: "kube-system", name: lease } },
    onProblem: () => {},
  });
  manager
    .controllerFor("v1", "ConfigMap")
    .named("maps")
    .reconcile(({ name }) => {
      if (name === "bad") throw new Error("bad");
    });
  await client.of("v1", "Namespace").create({ metadata: { name: lease } });
  const maps = client.of("v1", "ConfigMap").namespace(lease);
  for (const name of ["good", "bad"]) await maps.create({ metadata: { name } });
  const ending = new AbortController();
  const running = manager.run(ending.signal);
  await eventually(done);
  ending.abort();
  await running;
}

test("WQ-16: a manager counts queues, reconciliations and its election in the project's own metrics registry", async () => {
  const metrics = await metricRegistry();
  const text = async (): Promise<string> => (await metrics.read()).body;
  await manage(metrics, "own-registry", async () => {
    const now = await text();
    expect(total(now, "controller_runtime_reconcile_total", { controller: "maps", result: "success" })).toBe(1);
    expect(total(now, "controller_runtime_reconcile_errors_total", { controller: "maps" })).toBeGreaterThan(0);
    expect(total(now, "leader_election_master_status", { name: "own-registry" })).toBe(1);
  });
  const now = await text();
  expect(total(now, "workqueue_adds_total", { name: "maps" })).toBeGreaterThanOrEqual(2);
  expect(total(now, "workqueue_retries_total", { name: "maps" })).toBeGreaterThan(0);
  expect(samplesWith(now, "workqueue_queue_duration_seconds_bucket", { name: "maps" })).toHaveLength(11);
  expect(total(now, "controller_runtime_active_workers", { controller: "maps" })).toBe(0);
  expect(total(now, "leader_election_master_status")).toBe(0);
});

test("a manager counts the same in another package's metrics registry that does not report when it is read", async () => {
  const values = new Map<string, number>();
  const keyOf = (name: string, labels: object): string => `${name} ${Object.values(labels).join(" ")}`;
  const add = (name: string) => (value: number, labels: object) =>
    void values.set(keyOf(name, labels), (values.get(keyOf(name, labels)) ?? 0) + value);
  const others: MetricRegistry = {
    counter: ({ name }) => ({ add: add(name) }),
    gauge: ({ name }) => ({ set: (value, labels) => void values.set(keyOf(name, labels), value) }),
    histogram: ({ name }) => ({ observe: (_, labels) => add(`${name}_count`)(1, labels) }),
  };
  await manage(others, "other-registry", async () => {
    expect(values.get("controller_runtime_reconcile_total maps success")).toBe(1);
  });
  expect(values.get("workqueue_adds_total maps")).toBeGreaterThanOrEqual(2);
  expect(values.get("workqueue_depth maps")).toBe(0);
  expect(values.get("workqueue_work_duration_seconds_count maps")).toBeGreaterThanOrEqual(2);
});

test("a metrics registry answers scrapes of an HTTP server", async () => {
  const metrics = await metricRegistry();
  metrics.counter({ name: "pizzas_total", help: "Pizzas.", labelNames: ["topping"] }).add(3, { topping: "cheese" });
  const server = createServer(({ headers }, answer) => {
    void metrics
      .read(headers.accept)
      .then(({ contentType, body }) => answer.setHeader("content-type", contentType).end(body));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(await answer.text()).toBe(
    '# HELP pizzas_total Pizzas.\n# TYPE pizzas_total counter\npizzas_total{topping="cheese"} 3\n',
  );
  await new Promise((closed) => server.close(closed));
});
