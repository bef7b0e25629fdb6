import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ ...quietCluster, port: false, random: seededRandom("strategies") });
});

afterAll(() => cluster.close());

async function request(method: string, path: string, body?: KubeObject): Promise<KubeObject> {
  const transport = cluster.transport();
  const headers = { accept: "application/json", "content-type": "application/json" };
  const payload = body && { body: new TextEncoder().encode(JSON.stringify(body)) };
  const answer = await transport.send({ method, path, headers, ...payload });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  await transport.close();
  return JSON.parse(Buffer.concat(chunks).toString()) as KubeObject;
}

const CORE = "/api/v1/namespaces/default";

const service = (name: string, spec: Record<string, unknown>): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

describe("the server gives a service", () => {
  it("an address of its own, and keeps it when a client leaves it out", async () => {
    const created = await Promise.all(
      ["a", "b", "c"].map((name) => request("POST", `${CORE}/services`, service(name, {}))),
    );
    const addresses = created.map((object) => (object.spec as { clusterIP: string }).clusterIP);
    expect(new Set(addresses).size).toBe(3);
    for (const address of addresses) expect(address).toMatch(/^10\.(9[6-9]|10[0-9]|11[01])\./);
    const updated = await request("PUT", `${CORE}/services/a`, service("a", { ports: [{ port: 81 }] }));
    expect(updated.spec).toMatchObject({ clusterIP: addresses[0], clusterIPs: [addresses[0]], ports: [{ port: 81 }] });
  });

  it("no address that is allocated or outside of the cluster's range", async () => {
    const taken = await request("POST", `${CORE}/services`, service("taken", { clusterIP: "10.96.0.1" }));
    expect(taken).toMatchObject({
      code: 422,
      message:
        'Service "taken" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.1"]: failed to allocate IP 10.96.0.1: provided IP is already allocated',
    });
    const foreign = await request("POST", `${CORE}/services`, service("foreign", { clusterIP: "10.0.0.1" }));
    expect(foreign.message).toContain("the provided network does not match the current range");
  });

  it("a node port, keeps it, and frees it when the type changes", async () => {
    const created = await request("POST", `${CORE}/services`, service("np", { type: "NodePort" }));
    const port = (created.spec as { ports: { nodePort: number }[] }).ports[0]?.nodePort ?? 0;
    expect(port).toBeGreaterThanOrEqual(30000);
    const kept = await request("PUT", `${CORE}/services/np`, service("np", { type: "NodePort" }));
    expect(kept.spec).toMatchObject({ ports: [{ nodePort: port }], externalTrafficPolicy: "Cluster" });
    const inner = await request("PUT", `${CORE}/services/np`, service("np", { type: "ClusterIP" }));
    expect((inner.spec as { ports: object[] }).ports[0]).not.toHaveProperty("nodePort");
    expect(inner.spec).not.toHaveProperty("externalTrafficPolicy");
  });
});

describe("the server gives a pod", () => {
  it("its account's token, a priority and the usual tolerations", async () => {
    const pod = await request("POST", `${CORE}/pods`, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "nginx" }] },
      status: { phase: "Running" },
    });
    expect(pod).toMatchObject({
      spec: {
        serviceAccountName: "default",
        priority: 0,
        preemptionPolicy: "PreemptLowerPriority",
        containers: [{ volumeMounts: [{ mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }] }],
        volumes: [{ projected: { defaultMode: 420 } }],
      },
      status: { phase: "Pending", qosClass: "BestEffort" },
    });
  });

  it("nothing and refuses it when its service account does not exist", async () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "q" },
      spec: { serviceAccountName: "nobody", containers: [{ name: "c", image: "nginx" }] },
    };
    expect(await request("POST", `${CORE}/pods`, pod)).toMatchObject({
      code: 403,
      message:
        'pods "q" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
    });
  });
});

it("a secret's stringData becomes data", async () => {
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { a: "b" } };
  const created = await request("POST", `${CORE}/secrets`, secret);
  expect(created).toMatchObject({ type: "Opaque", data: { a: "Yg==" } });
  expect(created).not.toHaveProperty("stringData");
});

it("a job selects its own pods, and its template cannot change", async () => {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] } };
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, spec: { template } };
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const created = await request("POST", jobs, job);
  const uid = created.metadata?.uid;
  expect(created.spec).toMatchObject({
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
    template: { metadata: { labels: { "controller-uid": uid, "job-name": "j" } } },
  });
  const changed = structuredClone(created) as { spec: { template: typeof template } } & KubeObject;
  changed.spec.template.spec.containers = [{ name: "c", image: "other:1" }];
  const refused = await request("PUT", `${jobs}/j`, changed);
  expect(refused).toMatchObject({ code: 422, reason: "Invalid" });
  expect(refused.message).toMatch(/^Job.batch "j" is invalid: spec.template: Invalid value: .*: field is immutable$/);
});

it("an autoscaler can be read in both versions", async () => {
  const spec = {
    maxReplicas: 3,
    scaleTargetRef: { kind: "Deployment", name: "d" },
    targetCPUUtilizationPercentage: 60,
  };
  const v1 = { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", metadata: { name: "h" }, spec };
  const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  expect((await request("POST", path("v1"), v1)).spec).toMatchObject(spec);
  expect((await request("GET", `${path("v2")}/h`)).spec).toMatchObject({
    minReplicas: 1,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization: 60 } } }],
  });
});

it("built-in namespaces cannot be deleted", async () => {
  expect(await request("DELETE", "/api/v1/namespaces/default")).toMatchObject({
    code: 403,
    message: 'namespaces "default" is forbidden: this namespace may not be deleted',
  });
});

it("field selectors accept only fields that the kind declares", async () => {
  const pods = (selector: string) => request("GET", `${CORE}/pods?fieldSelector=${encodeURIComponent(selector)}`);
  expect(((await pods("status.phase=Pending")) as { items?: unknown[] }).items).toHaveLength(1);
  expect(((await pods("spec.serviceAccountName=x")) as { items?: unknown[] }).items).toHaveLength(0);
  expect(await pods("spec.colour=red")).toMatchObject({ code: 400 });
});
