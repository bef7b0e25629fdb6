import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

const PODS = "/api/v1/namespaces/default/pods";
const METRICS = "/apis/metrics.k8s.io/v1beta1";
const STAGES = "kubets.dev/stages";

let cluster: Cluster;
let api: Transport;

const create = (name: string, stages: object | undefined, labels: Record<string, string> = {}) =>
  call(api, "POST", PODS, {
    metadata: { name, labels, ...(stages && { annotations: { [STAGES]: JSON.stringify(stages) } }) },
    spec: {
      nodeName: "node-1",
      containers: [
        { name: "app", image: "i" },
        { name: "proxy", image: "i" },
      ],
    },
  });

const running = (name: string) =>
  eventually(async () => expect((await call(api, "GET", `${PODS}/${name}`)).at("status.phase")).toBe("Running"));

beforeAll(async () => {
  cluster = await startCluster({ ...quietCluster, port: false, nodes: 2 });
  api = cluster.transport();
  const proxy = { usage: { memory: "64Mi" } };
  await create("busy", { app: { usage: { cpu: "250m", memory: "64Mi" } }, proxy }, { app: "shop" });
  await create("calm", undefined);
  await Promise.all([running("busy"), running("calm")]);
});
afterAll(() => cluster.close());

const API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
const API_SERVICE = `${API_SERVICES}/v1beta1.metrics.k8s.io`;

/** As metrics-server's chart has it. */
const apiService = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: {
    name: "v1beta1.metrics.k8s.io",
    labels: { "app.kubernetes.io/managed-by": "Helm" },
    annotations: { "meta.helm.sh/release-name": "ms" },
  },
  spec: {
    group: "metrics.k8s.io",
    groupPriorityMinimum: 100,
    insecureSkipTLSVerify: true,
    service: { name: "ms", namespace: "kube-system", port: 443 },
    version: "v1beta1",
    versionPriority: 100,
  },
};

test("discovery lists the two resources of the metrics API", async () => {
  const { resources } = JSON.parse((await call(api, "GET", METRICS)).text) as { readonly resources: unknown };
  expect(resources).toEqual([
    { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
    { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
  ]);
});

test("an APIService that a client creates for metrics.k8s.io receives the requests until it is deleted", async () => {
  expect((await call(api, "GET", API_SERVICE)).status).toBe(404);
  const created = await call(api, "POST", API_SERVICES, apiService);
  expect(created.status).toBe(201);
  const kept = await call(api, "GET", API_SERVICE);
  expect([kept.at("metadata.labels"), kept.at("metadata.annotations"), kept.at("spec")]).toEqual([
    apiService.metadata.labels,
    apiService.metadata.annotations,
    apiService.spec,
  ]);
  const measured = async () => (await call(api, "GET", `${METRICS}/namespaces/default/pods/busy`)).status;
  await eventually(async () => expect(await measured()).toBe(503));
  expect((await call(api, "DELETE", API_SERVICE)).status).toBe(200);
  await eventually(async () => expect(await measured()).toBe(200));
  expect((await call(api, "GET", API_SERVICE)).status).toBe(404);
});

test("a server deletes at its start the APIService for metrics that an earlier version stored, but not a client's", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "kubets-metrics-"));
  const restarted = async (use: (api: Transport) => Promise<unknown>): Promise<void> => {
    const disk = await startCluster({ controllers: false, port: false, nodes: 1, storage: "disk", dataDir });
    try {
      await use(disk.transport());
    } finally {
      await disk.close();
    }
  };
  try {
    const earlier = {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: {
        name: "v1beta1.metrics.k8s.io",
        labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" },
      },
      spec: { group: "metrics.k8s.io", version: "v1beta1", groupPriorityMinimum: 100, versionPriority: 100 },
    };
    await restarted((first) => call(first, "POST", API_SERVICES, earlier));
    await restarted(async (second) => {
      expect((await call(second, "GET", API_SERVICE)).status).toBe(404);
      await call(second, "POST", API_SERVICES, apiService);
    });
    await restarted(async (third) => expect((await call(third, "GET", API_SERVICE)).status).toBe(200));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("a pod's metrics show the usage of its stages, by container", async () => {
  const metrics = await call(api, "GET", `${METRICS}/namespaces/default/pods/busy`);
  expect(JSON.parse(metrics.text)).toMatchObject({
    kind: "PodMetrics",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: { name: "busy", namespace: "default", labels: { app: "shop" } },
    window: "15s",
    containers: [
      { name: "app", usage: { cpu: "250m", memory: "64Mi" } },
      { name: "proxy", usage: { cpu: "0" } },
    ],
  });
});

test.each([
  ["of all namespaces", "/pods", ["busy", "calm"]],
  ["of a namespace", "/namespaces/default/pods", ["busy", "calm"]],
  ["of another namespace", "/namespaces/kube-system/pods", []],
  ["by label", "/namespaces/default/pods?labelSelector=app%3Dshop", ["busy"]],
  ["by name", "/pods?fieldSelector=metadata.name%3Dcalm", ["calm"]],
  ["of nodes", "/nodes", ["node-1", "node-2"]],
  ["of nodes by label", "/nodes?labelSelector=kubernetes.io/hostname%3Dnode-2", ["node-2"]],
])("a list of pod metrics %s", async (_title, path, names) => {
  const list = await call(api, "GET", METRICS + path);
  expect(objects(list.at("items")).map((one) => text(object(one["metadata"])["name"]))).toEqual(names);
  expect(list.at("metadata")).toEqual({});
});

test("a node's metrics are the sum of its pods", async () => {
  const used = await call(api, "GET", `${METRICS}/nodes/node-1`);
  expect(object(used.at("usage"))["cpu"]).toBe("250m");
  expect(object((await call(api, "GET", `${METRICS}/nodes/node-2`)).at("usage"))).toEqual({ cpu: "0", memory: "0" });
});

test.each([
  ["a pod that is not there", "/namespaces/default/pods/none", 'pods "default/none" not found'],
  ["a node that is not there", "/nodes/none", 'nodes "none" not found'],
])("metrics of %s answer NotFound", async (_title, path, message) => {
  const answer = await call(api, "GET", METRICS + path);
  expect([answer.status, answer.at("message")]).toEqual([404, message]);
});

test("a pod that does not run yet has no metrics", async () => {
  await create("waiting", { "*": { startDelay: "1h" } });
  const answer = await call(api, "GET", `${METRICS}/namespaces/default/pods/waiting`);
  expect(answer.at("message")).toBe('podmetrics.metrics.k8s.io "default/waiting" not found');
});

test("the table of pod metrics shows the sum over a pod's containers", async () => {
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const table = await call(api, "GET", `${METRICS}/namespaces/default/pods/busy`, undefined, { accept });
  expect(objects(table.at("columnDefinitions")).map((one) => one["name"])).toEqual(["Name", "cpu", "memory", "Window"]);
  expect(objects(table.at("rows"))[0]?.["cells"]).toEqual(["busy", "250m", "128Mi", "15s"]);
});
