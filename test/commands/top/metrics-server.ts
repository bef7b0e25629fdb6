import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server with nodes, pods and what they use. It says which requests came. */
export interface MetricsServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: string[];
}

const list = (items: readonly unknown[]): unknown => ({ metadata: {}, items });
const used = (cpu: string, memory: string, swap?: string) => ({ cpu, memory, ...(swap !== undefined && { swap }) });
const window = { timestamp: "2024-01-01T00:00:00Z", window: "20s" };
const created = { creationTimestamp: "2024-01-01T00:00:00Z" };

const node = (name: string, cpu: string, memory: string, swap?: number) => ({
  metadata: { name, ...created },
  status: {
    capacity: { cpu, memory, pods: "110" },
    allocatable: { cpu: "1500m", memory: "1000Mi" },
    nodeInfo: swap === undefined ? {} : { swap: { capacity: swap } },
  },
});

const pod = (namespace: string, name: string, containers: Readonly<Record<string, ReturnType<typeof used>>>) => ({
  metadata: { namespace, name, ...created },
  ...window,
  containers: Object.entries(containers).map(([container, usage]) => ({ name: container, usage })),
});

const PODS = [
  pod("default", "web", { app: used("250m", "100Mi", "1Mi"), sidecar: used("1200001n", "3000Ki") }),
  pod("default", "batch", { app: used("1", "1Gi", "12Mi") }),
  pod("default", "equal", { app: used("250m", "100Mi") }),
  pod("default", "idle", { app: used("0", "0") }),
];
const OTHERS = [
  pod("kube-system", "dns", { dns: used("3m", "20Mi") }),
  pod("alpha", "web", { app: used("1m", "1Mi") }),
];

const NODES = [
  { metadata: { name: "two" }, ...window, usage: used("750m", "500Mi", "512Mi") },
  { metadata: { name: "one" }, ...window, usage: used("1500m", "250Mi") },
  { metadata: { name: "unlisted" }, ...window, usage: used("1m", "1Ki") },
];
const GROUP = "/apis/metrics.k8s.io";
const METRICS = `${GROUP}/v1beta1`;

const ANSWERS: Readonly<Record<string, unknown>> = {
  "/api": { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] },
  "/apis": {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: [
      {
        name: "metrics.k8s.io",
        versions: [
          { groupVersion: "metrics.k8s.io/v2", version: "v2" },
          { groupVersion: "metrics.k8s.io/v1beta1", version: "v1beta1" },
        ],
        preferredVersion: { groupVersion: "metrics.k8s.io/v2", version: "v2" },
      },
    ],
  },
  [`${METRICS}/nodes`]: { kind: "NodeMetricsList", apiVersion: "metrics.k8s.io/v1beta1", ...(list(NODES) as object) },
  [`${METRICS}/nodes?labelSelector=none%3Dhere`]: list([]),
  [`${METRICS}/nodes/one`]: { kind: "NodeMetrics", apiVersion: "metrics.k8s.io/v1beta1", ...NODES[1] },
  "/api/v1/nodes": {
    kind: "NodeList",
    apiVersion: "v1",
    ...(list([node("one", "2", "2000Mi", 1_073_741_824), node("two", "4", "0"), node("silent", "1", "1Gi")]) as object),
  },
  "/api/v1/nodes/one": { kind: "Node", apiVersion: "v1", ...node("one", "2", "2000Mi") },
  [`${METRICS}/namespaces/default/pods`]: {
    kind: "PodMetricsList",
    apiVersion: "metrics.k8s.io/v1beta1",
    ...(list(PODS) as object),
  },
  [`${METRICS}/namespaces/default/pods?labelSelector=app%3Dweb`]: {
    kind: "PodMetricsList",
    apiVersion: "metrics.k8s.io/v1beta1",
    ...(list(PODS.slice(0, 1)) as object),
  },
  [`${METRICS}/namespaces/default/pods/web`]: { kind: "PodMetrics", apiVersion: "metrics.k8s.io/v1beta1", ...PODS[0] },
  [`${METRICS}/pods`]: {
    kind: "PodMetricsList",
    apiVersion: "metrics.k8s.io/v1beta1",
    ...(list([...PODS, ...OTHERS]) as object),
  },
  [`${METRICS}/namespaces/empty/pods`]: {
    kind: "PodMetricsList",
    apiVersion: "metrics.k8s.io/v1beta1",
    ...(list([]) as object),
  },
  "/api/v1/namespaces/empty/pods": { kind: "PodList", apiVersion: "v1", ...(list([]) as object) },
  [`${METRICS}/namespaces/young/pods`]: {
    kind: "PodMetricsList",
    apiVersion: "metrics.k8s.io/v1beta1",
    ...(list([]) as object),
  },
  "/api/v1/namespaces/young/pods": {
    kind: "PodList",
    apiVersion: "v1",
    ...(list([
      { metadata: { name: "web", namespace: "young", creationTimestamp: new Date().toISOString() } },
    ]) as object),
  },
  "/api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Dbatch": {
    kind: "PodList",
    apiVersion: "v1",
    ...(list([{ metadata: { name: "batch", namespace: "default", ...created } }]) as object),
  },
  "/api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Dnone": {
    kind: "PodList",
    apiVersion: "v1",
    ...(list([]) as object),
  },
  [`${METRICS}/namespaces/empty/pods?labelSelector=app%3Dweb`]: {
    kind: "PodMetricsList",
    apiVersion: "metrics.k8s.io/v1beta1",
    ...(list([]) as object),
  },
  "/api/v1/namespaces/empty/pods?labelSelector=app%3Dweb": {
    kind: "PodList",
    apiVersion: "v1",
    ...(list([]) as object),
  },
};

const NOT_FOUND = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "NotFound", code: 404 };

/** A server's answer is that of v1beta1 with `version` in its place. Namespace "down" has metrics that nobody serves. */
export async function startMetricsServer(version: "v1" | "v1beta1"): Promise<MetricsServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? "";
    requests.push(`${request.method} ${url}`);
    if (url.includes("/namespaces/down/")) {
      response.writeHead(503, { "content-type": "text/plain" }).end("service unavailable");
      return;
    }
    const asked = url.replace(/\?timeout=5s$/, "").replace(`${GROUP}/${version}/`, `${METRICS}/`);
    const body = ANSWERS[asked];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? { ...NOT_FOUND, message: `nothing at ${url}` }).replaceAll("v1beta1", version));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
