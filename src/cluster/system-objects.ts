import type { KubeObject } from "../machinery/meta/object.js";

/** What a cluster has before anybody asks: its namespaces, first of all. */
export function systemNamespaces(): readonly KubeObject[] {
  return ["default", "kube-node-lease", "kube-public", "kube-system"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
}

/** Where cluster IPs come from. */
export function defaultServiceCidr(): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: ["10.96.0.0/12"] },
  };
}

const SERVICE_LABELS = { component: "apiserver", provider: "kubernetes" };

/** The Service the API is found at from inside a cluster, and where it leads. */
export function kubernetesService(host: string, port: number): readonly [service: KubeObject, ...KubeObject[]] {
  const metadata = { name: "kubernetes", namespace: "default" };
  const skipMirror = { "endpointslice.kubernetes.io/skip-mirror": "true" };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...metadata, labels: SERVICE_LABELS },
      spec: {
        clusterIP: "10.96.0.1",
        clusterIPs: ["10.96.0.1"],
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
        sessionAffinity: "None",
        type: "ClusterIP",
      },
    },
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { ...metadata, labels: skipMirror },
      subsets: [{ addresses: [{ ip: host }], ports: [{ name: "https", port, protocol: "TCP" }] }],
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": "kubernetes" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [host], conditions: { ready: true } }],
      ports: [{ name: "https", port, protocol: "TCP" }],
    },
  ];
}
