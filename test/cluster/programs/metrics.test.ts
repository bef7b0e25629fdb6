import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { total } from "../../helpers/scraped-metrics.js";

let cluster: Cluster;
let client: KubernetesClient;
const scrape = async (): Promise<string> =>
  (await call(cluster.transport(), "GET", "/metrics", undefined, { accept: "text/plain" })).text;

beforeAll(async () => {
  cluster = await startCluster({ controllers: [] });
  client = kubernetesClient(cluster);
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

test("SCD-8: the scheduler's metrics count attempts to schedule pods, and show the waiting pods", async () => {
  await scrape();
  await client
    .of("v1", "ServiceAccount")
    .namespace("default")
    .create({ metadata: { name: "default" } });
  const pods = client.of("v1", "Pod").namespace("default");
  const spec = { containers: [{ name: "c", image: "i" }], tolerations: [{ operator: "Exists" as const }] };
  await pods.create({ metadata: { name: "waits" }, spec });
  await pods.create({
    metadata: { name: "gated" },
    spec: { ...spec, schedulingGates: [{ name: "example.com/gate" }] },
  });
  await eventually(async () => {
    const text = await scrape();
    const attempts = { profile: "default-scheduler", result: "unschedulable" };
    expect(total(text, "scheduler_schedule_attempts_total", attempts)).toBeGreaterThan(0);
    expect(total(text, "scheduler_pending_pods", { queue: "unschedulable" })).toBe(1);
    expect(total(text, "scheduler_pending_pods", { queue: "gated" })).toBe(1);
  });
  const capacity = { cpu: "4", memory: "8Gi", pods: "10" };
  const node = await client.of("v1", "Node").create({ metadata: { name: "n" } });
  await client.of("v1", "Node").updateStatus({ ...node, status: { capacity, allocatable: capacity } });
  await eventually(async () => {
    const text = await scrape();
    expect(total(text, "scheduler_schedule_attempts_total", { result: "scheduled" })).toBe(1);
    expect(total(text, "scheduler_pod_scheduling_attempts_count")).toBe(1);
    const point = "scheduler_framework_extension_point_duration_seconds_count";
    for (const extension_point of [
      "PreFilter",
      "Filter",
      "PreScore",
      "Score",
      "Reserve",
      "Permit",
      "PreBind",
      "Bind",
    ]) {
      const labels = { extension_point, profile: "default-scheduler", status: "Success" };
      // One node alone is not scored.
      expect(total(text, point, labels) > 0, extension_point).toBe(!extension_point.endsWith("Score"));
    }
    expect(total(text, point, { extension_point: "PostFilter", status: "Unschedulable" })).toBeGreaterThan(0);
    expect(total(text, "scheduler_preemption_attempts_total")).toBeGreaterThan(0);
  });
});

test.each([
  ["1.36", undefined],
  ["1.37", 1],
])("K37-149: the controllers of %s count the ResourceClaims that they create", async (kubernetesVersion, expected) => {
  const own = await startCluster({
    port: false,
    kubernetesVersion,
    controllers: ["serviceaccount-controller", "resourceclaim-controller"],
    scheduler: false,
  });
  onTestFinished(() => own.close());
  const api = kubernetesClient({ transport: () => own.transport() });
  onTestFinished(() => api.close());
  const requests = [{ name: "gpu", exactly: { deviceClassName: "gpu" } }];
  const template = { metadata: { name: "gpus" }, spec: { spec: { devices: { requests } } } };
  await api.of("resource.k8s.io/v1", "ResourceClaimTemplate").namespace("default").create(template);
  const resourceClaims = [{ name: "gpu", resourceClaimTemplateName: "gpus" }];
  const spec = { containers: [{ name: "c", image: "i" }], resourceClaims };
  await api
    .of("v1", "Pod")
    .namespace("default")
    .create({ metadata: { name: "p" }, spec });
  await eventually(async () => {
    const { items } = await api.of("resource.k8s.io/v1", "ResourceClaim").namespace("default").list();
    expect(items).toHaveLength(1);
  });
  const text = (await call(own.transport(), "GET", "/metrics", undefined, { accept: "text/plain" })).text;
  const name = "dynamic_resource_allocation_resourceclaim_creates_total";
  const labels = { status: "success", admin_access: "false" };
  expect(text.includes(name) ? total(text, name, labels) : undefined).toBe(expected);
});

test("/metrics of a cluster includes the metrics of its controllers", async () => {
  const own = await startCluster({ port: false, controllers: ["job-controller"], scheduler: false });
  onTestFinished(() => own.close());
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const job = { metadata: { name: "paused" }, spec: { suspend: true, template } };
  expect((await call(own.transport(), "POST", "/apis/batch/v1/namespaces/default/jobs", job)).status).toBe(201);
  await eventually(async () => {
    const { text } = await call(own.transport(), "GET", "/metrics", undefined, { accept: "text/plain" });
    expect(text).toMatch(
      /^job_controller_job_syncs_total\{action="pods_deleted",completion_mode="NonIndexed",result="success"\} \d+$/m,
    );
    expect(text).toContain("job_controller_job_sync_duration_seconds_bucket");
  });
});
