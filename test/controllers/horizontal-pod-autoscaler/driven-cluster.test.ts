import { afterEach, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type ClusterOptions, type DrivenCluster, manualClock, startCluster } from "../../../src/cluster/index.js";
import { object, objects, text } from "../../../src/machinery/meta/access.js";
import { call } from "../../helpers/api-caller.js";

const SETS = "/apis/apps/v1/namespaces/default/replicasets";
const SCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

const CONTROLLERS = [
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
  "replicaset-controller",
  "horizontal-pod-autoscaler-controller",
  "node-lifecycle-controller",
];

let cluster: DrivenCluster;
let api: Transport;

async function begin(options: ClusterOptions = {}): Promise<void> {
  const clock = manualClock("2026-01-01T00:00:00Z");
  cluster = await startCluster({ port: false, nodes: 1, controllers: CONTROLLERS, ...options, clock });
  api = cluster.transport();
}
afterEach(() => cluster.close());

async function create(path: string, body: object): Promise<void> {
  const answer = await call(api, "POST", path, body);
  expect(answer.status, answer.text).toBe(201);
}

const replicaSet = (replicas: number) => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "app", image: "i", resources: { requests: { cpu: "100m" } } }] },
    },
  },
});

const scaler = (metrics: readonly object[], more: object = {}) => ({
  metadata: { name: "web" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" },
    minReplicas: 1,
    maxReplicas: 8,
    metrics,
    ...more,
  },
});

const CPU = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };

const replicas = async () => (await call(api, "GET", `${SETS}/web`)).at("spec.replicas");
const status = async () => object((await call(api, "GET", `${SCALERS}/web`)).at("status"));
const conditions = async () =>
  objects((await status())["conditions"]).map(
    ({ type, status: is, reason }) => `${text(type)} ${text(is)} ${text(reason)}`,
  );
const events = async () =>
  objects((await call(api, "GET", "/api/v1/namespaces/default/events")).at("items"))
    .filter((one) => object(one["involvedObject"])["kind"] === "HorizontalPodAutoscaler")
    .map(({ reason, message }) => `${text(reason)}: ${text(message)}`);

test("an autoscaler scales a workload up by the CPU use of its pods, and down after the stabilization window", async () => {
  let cpu = "80m";
  await begin({ kubernetesVersion: "1.36", stages: () => ({ app: { usage: { cpu } } }) });
  await create(SETS, replicaSet(2));
  await cluster.clock.advance("1m");
  await create(SCALERS, scaler([CPU], { behavior: { scaleDown: { stabilizationWindowSeconds: 45 } } }));
  await cluster.clock.advance("14s");
  expect(await replicas()).toBe(2);
  await cluster.clock.advance("2s");
  expect(await replicas()).toBe(4);
  expect(await events()).toEqual([
    "SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target",
  ]);
  expect(await status()).toMatchObject({
    currentReplicas: 2,
    desiredReplicas: 4,
    lastScaleTime: "2026-01-01T00:01:15Z",
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 80, averageValue: "80m" } } },
    ],
  });
  cpu = "5m";
  await cluster.clock.advance("30s");
  expect(await replicas()).toBe(4);
  expect(await conditions()).toEqual([
    "AbleToScale True ScaleDownStabilized",
    "ScalingActive True ValidMetricFound",
    "ScalingLimited False DesiredWithinRange",
  ]);
  await cluster.clock.advance("30s");
  expect(await replicas()).toBe(1);
});

test("an autoscaler reads custom, object and external metrics, and the largest proposal wins", async () => {
  await begin({
    kubernetesVersion: "1.36",
    metrics: {
      pods: ({ metric, pods }) => Object.fromEntries(pods.map((pod) => [pod, metric === "queue" ? 20 : 0])),
      object: ({ object: { kind, name } }) => (kind === "Service" && name === "web" ? 30 : 0),
      external: ({ metric, selector }) => (metric === "jobs" && selector === "kind=mail" ? [25, 35] : []),
    },
  });
  await create(SETS, replicaSet(2));
  await cluster.clock.advance("1m");
  const average = (averageValue: string) => ({ type: "AverageValue", averageValue });
  const external = { name: "jobs", selector: { matchLabels: { kind: "mail" } } };
  const service = { apiVersion: "v1", kind: "Service", name: "web" };
  await create(
    SCALERS,
    scaler(
      [
        { type: "Pods", pods: { metric: { name: "queue" }, target: average("10") } },
        { type: "Object", object: { metric: { name: "rate" }, describedObject: service, target: average("5") } },
        { type: "External", external: { metric: external, target: average("10") } },
      ],
      { behavior: { scaleUp: { policies: [{ type: "Pods", value: 3, periodSeconds: 60 }] } } },
    ),
  );
  await cluster.clock.advance("16s");
  expect(await replicas()).toBe(5);
  const name = "external metric rate(nil)";
  expect((await events())[0]).toBe(`SuccessfulRescale: New size: 5; reason: ${name} above target`);
  await cluster.clock.advance("45s");
  expect(await replicas()).toBe(5);
  await cluster.clock.advance("30s");
  expect(await replicas()).toBe(8);
});

test("an autoscaler with an unknown metric records an event and a condition, and scales nothing", async () => {
  await begin();
  await create(SETS, replicaSet(2));
  const queue = {
    type: "Pods",
    pods: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
  };
  await create(SCALERS, scaler([queue]));
  await cluster.clock.advance("16s");
  const why =
    "unable to get metric queue: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
  expect(await events()).toEqual([
    `FailedGetPodsMetric: ${why}`,
    `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get pods metric value: ${why}`,
  ]);
  expect(await conditions()).toEqual(["AbleToScale True SucceededGetScale", "ScalingActive False FailedGetPodsMetric"]);
  expect(await replicas()).toBe(2);
});

describe("K37-038, K37-140: an autoscaler of 1.37", () => {
  const jobs = (value: string) => ({
    type: "External",
    external: { metric: { name: "jobs" }, target: { type: "AverageValue", averageValue: value } },
  });
  const FAST = { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };

  test("scales to zero and back by an external metric, and does not scale up when a user set zero", async () => {
    let waiting = 0;
    await begin({ kubernetesVersion: "1.37", nodes: 0, metrics: { external: () => [waiting] } });
    await create(SETS, replicaSet(2));
    await create(SCALERS, scaler([jobs("10")], { minReplicas: 0, ...FAST }));
    await cluster.clock.advance("1s");
    expect(await replicas()).toBe(0);
    expect(await conditions()).toContain("ScaledToZero True ScaledToZero");
    await cluster.clock.advance("1m");
    expect(await replicas()).toBe(0);
    waiting = 25;
    await cluster.clock.advance("16s");
    expect(await replicas()).toBe(3);
    expect(await conditions()).toEqual([
      "AbleToScale True SucceededRescale",
      "ScalingActive True ValidMetricFound",
      "ScalingLimited False DesiredWithinRange",
      "ScaledToZero False NotScaledToZero",
    ]);
    const messages = objects((await status())["conditions"]).map(({ message }) => text(message));
    expect(messages).toContain("the HPA controller did not scale the workload to zero");
    const merge = { type: "application/merge-patch+json" };
    await call(api, "PATCH", `${SETS}/web`, { spec: { replicas: 0 } }, merge);
    await cluster.clock.advance("1m");
    expect(await replicas()).toBe(0);
    expect(await conditions()).toContain("ScalingActive False ScalingDisabled");
  });

  test("scales from zero to its new minimum when it may no longer scale to zero", async () => {
    let waiting = 0;
    await begin({ kubernetesVersion: "1.37", nodes: 0, metrics: { external: () => [waiting] } });
    await create(SETS, replicaSet(1));
    await create(SCALERS, scaler([jobs("10")], { minReplicas: 0, ...FAST }));
    await cluster.clock.advance("1s");
    expect(await replicas()).toBe(0);
    waiting = 5;
    const spec = { minReplicas: 2 };
    await call(api, "PATCH", `${SCALERS}/web`, { spec }, { type: "application/merge-patch+json" });
    await cluster.clock.advance("1s");
    expect(await replicas()).toBe(2);
  });

  test("is evaluated at once when it is created or its spec changes, and its status names the generation", async () => {
    await begin({ kubernetesVersion: "1.37", nodes: 0, metrics: { external: () => [10] } });
    await create(SETS, replicaSet(1));
    await create(SCALERS, scaler([jobs("5")]));
    await cluster.clock.advance("100ms");
    expect(await replicas()).toBe(2);
    const spec = { minReplicas: 4 };
    await call(api, "PATCH", `${SCALERS}/web`, { spec }, { type: "application/merge-patch+json" });
    await cluster.clock.advance("200ms");
    expect(await replicas()).toBe(4);
    // The next look writes every condition anew.
    await cluster.clock.advance("16s");
    const { metadata, status: shown } = JSON.parse((await call(api, "GET", `${SCALERS}/web`)).text) as {
      metadata: { generation?: number };
      status: { observedGeneration?: number; conditions: { observedGeneration?: number }[] };
    };
    expect(metadata.generation).toBe(2);
    expect(shown.observedGeneration).toBe(2);
    expect(new Set(shown.conditions.map(({ observedGeneration }) => observedGeneration))).toEqual(new Set([2]));
  });

  test("of 1.36 waits for the next evaluation, and leaves its target at zero", async () => {
    await begin({ kubernetesVersion: "1.36", nodes: 0, metrics: { external: () => [10] } });
    await create(SETS, replicaSet(1));
    await create(SCALERS, scaler([jobs("5")]));
    await cluster.clock.advance("14s");
    expect(await replicas()).toBe(1);
    await cluster.clock.advance("2s");
    expect(await replicas()).toBe(2);
    expect((await conditions()).join()).not.toContain("ScaledToZero");
    expect(await status()).not.toHaveProperty("observedGeneration");
  });

  test("names metric, kind, namespace and object in the error about an unknown object metric", async () => {
    await begin({ kubernetesVersion: "1.37", nodes: 0 });
    await create(SETS, replicaSet(1));
    const describedObject = { apiVersion: "v1", kind: "Service", name: "web" };
    const target = { type: "Value", value: "5" };
    await create(SCALERS, scaler([{ type: "Object", object: { metric: { name: "rate" }, describedObject, target } }]));
    await cluster.clock.advance("1s");
    expect(await events()).toContain(
      "FailedGetObjectMetric: unable to get metric rate: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered on Service default/web",
    );
  });
});

test.each([
  ["of a target that is not there", "ReplicaSet", "none", 'replicasets.apps "none" not found'],
  ["of a kind that is not there", "Sail", "web", 'no matches for kind "Sail" in group "apps"'],
])("an autoscaler %s reports that in its condition", async (_title, kind, name, message) => {
  await begin({ nodes: 0 });
  const scaleTargetRef = { apiVersion: "apps/v1", kind, name };
  await create(SCALERS, scaler([CPU], { scaleTargetRef }));
  await cluster.clock.advance("16s");
  expect(await conditions()).toEqual(["AbleToScale False FailedGetScale"]);
  expect(await events()).toEqual([`FailedGetScale: ${message}`]);
});
