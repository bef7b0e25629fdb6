import { formatIpv4, parseIpv4Prefix } from "../base/ipv4-prefix.js";
import type { KubeObject } from "../machinery/meta/object.js";

/** What a cluster has before the first request: its namespaces, first of all. */
export function systemNamespaces(): readonly KubeObject[] {
  return ["default", "kube-node-lease", "kube-public", "kube-system"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
}

/** Where a cluster's IPs come from by default. */
export const SERVICE_CIDR = "10.96.0.0/12";

/** The addresses of the pods of a cluster with nodes, and how many bits those of one node have in common. */
export const POD_RANGE = { cidr: "10.244.0.0/16", nodeMask: 24 };

/** The default ServiceCIDR. */
export function defaultServiceCidr(cidr: string): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: [cidr] },
  };
}

const SERVICE_LABELS = { component: "apiserver", provider: "kubernetes" };

/** The Service the API is found at from inside a cluster, the first address of `cidr`, and where it leads. */
export function kubernetesService(
  host: string,
  port: number,
  cidr: string,
): readonly [service: KubeObject, ...KubeObject[]] {
  const clusterIP = firstAddress(cidr);
  const metadata = { name: "kubernetes", namespace: "default" };
  const skipMirror = { "endpointslice.kubernetes.io/skip-mirror": "true" };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...metadata, labels: SERVICE_LABELS },
      spec: {
        clusterIP,
        clusterIPs: [clusterIP],
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

function firstAddress(cidr: string): string {
  const prefix = parseIpv4Prefix(cidr);
  if (prefix === undefined) throw new Error(`${cidr} is no block of IPv4 addresses`);
  return formatIpv4(prefix.network + 1);
}
