import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { servedMetrics } from "../../../src/controllers/horizontal-pod-autoscaler/served-metrics.js";
import { ServedResources } from "../../../src/controllers/served-resources.js";
import { kubernetesClient } from "../../../src/client/dynamic/kubernetes-client.js";
import { API_SERVICES, Backend, caBundle, certificateOf, json } from "../../helpers/aggregated-backend.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

// An adapter as prometheus-adapter and KEDA are: a server behind the aggregator that serves both APIs of metrics.

let cluster: Cluster;
let api: Transport;
let adapter: Backend;

const lists: Readonly<Record<string, object>> = {
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/queue?labelSelector=app%3Dweb&metricLabelSelector=kind%3Dmail":
    {
      items: [
        {
          describedObject: { kind: "Pod", name: "a" },
          value: "1500m",
          timestamp: "2026-01-01T00:00:00Z",
          windowSeconds: 30,
        },
        { describedObject: { kind: "Pod", name: "b" }, value: "2", timestamp: "2026-01-01T00:00:00Z" },
      ],
    },
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/deployments.apps/web/rate": { items: [{ value: "30" }] },
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/metrics/orders": { items: [{ value: "7" }] },
  "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/jobs?labelSelector=kind%3Dmail": {
    items: [{ value: "25" }, { value: "500m" }],
  },
};

async function register(group: string, version: string): Promise<void> {
  await call(api, "POST", API_SERVICES, {
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      caBundle,
      service: { namespace: "default", name: "adapter", port: adapter.port },
    },
  });
}

const metrics = () => {
  const client = kubernetesClient(cluster);
  return servedMetrics(client, new ServedResources(client.rest, systemClock), Date.now);
};

beforeAll(async () => {
  cluster = await startCluster({ ...quietCluster, port: 0 });
  api = cluster.transport();
  adapter = await Backend.start("adapter", () => {}, certificateOf("adapter.example.com"));
  adapter.server.removeAllListeners("request").on("request", ({ url = "" }, response) => {
    const [, group, version] = /^\/apis\/([^/]+)\/([^/]+)$/.exec(url) ?? [];
    const found = lists[url];
    if (found !== undefined) return json(response, 200, found);
    if (group === undefined) return json(response, 404, {});
    const resource = {
      name: "pods/queue",
      singularName: "",
      namespaced: true,
      kind: "MetricValueList",
      verbs: ["get"],
    };
    json(response, 200, {
      kind: "APIResourceList",
      groupVersion: `${group}/${version}`,
      resources: [{ ...resource, name: "metrics" }, resource],
    });
  });
  await call(api, "POST", "/api/v1/namespaces/default/services", {
    metadata: { name: "adapter" },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
});

afterAll(async () => {
  await adapter[Symbol.asyncDispose]();
  await cluster.close();
});

test("without a metrics adapter the autoscaler reports client-go's errors", async () => {
  const query = { namespace: "default", metric: "jobs", selector: "" };
  await expect(metrics().pods(query, "app=web")).rejects.toThrow(
    "no custom metrics API (custom.metrics.k8s.io) registered",
  );
  await expect(metrics().external(query)).rejects.toThrow(
    "the server could not find the requested resource (get jobs.external.metrics.k8s.io)",
  );
});

test("the autoscaler gets pod, object, namespace and external metrics from the metrics adapter", async () => {
  await register("custom.metrics.k8s.io", "v1beta2");
  await register("external.metrics.k8s.io", "v1beta1");
  const query = { namespace: "default", metric: "queue", selector: "kind=mail" };
  await eventually(async () => expect((await metrics().pods(query, "app=web")).size).toBe(2));
  expect([...(await metrics().pods(query, "app=web"))]).toEqual([
    ["a", { value: 1500, at: Date.UTC(2026, 0, 1), window: 30_000 }],
    ["b", { value: 2000, at: Date.UTC(2026, 0, 1), window: 60_000 }],
  ]);
  const rate = { namespace: "default", metric: "rate", selector: "" };
  expect(await metrics().object(rate, { apiVersion: "apps/v1", kind: "Deployment", name: "web" })).toBe(30_000);
  const orders = { namespace: "default", metric: "orders", selector: "" };
  expect(await metrics().object(orders, { apiVersion: "v1", kind: "Namespace", name: "shop" })).toBe(7000);
  await eventually(async () => expect(await metrics().external({ ...query, metric: "jobs" })).toEqual([25_000, 500]));
});
