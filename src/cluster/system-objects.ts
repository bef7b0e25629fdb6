import { formatIpv4, parseIpv4Prefix } from "../base/numbers/ipv4-prefix.js";
import type { KubeObject } from "../machinery/meta/object.js";

/** The namespaces that a cluster has before the first request. */
export function systemNamespaces(): readonly KubeObject[] {
  return ["default", "kube-node-lease", "kube-public", "kube-system"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
}

/** The default range of a cluster's service addresses. */
export const SERVICE_CIDR = "10.96.0.0/12";

/** The address of the cluster's DNS server, which is kubeadm's. */
export const DNS_ADDRESS = "10.96.0.10";

/** The range of the pods' addresses in a cluster with nodes, and the prefix length of each node's part. */
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

const SERVICE_NAME = "kubernetes";
const SERVICE_LABELS = { component: "apiserver", provider: "kubernetes" };
const SERVICE_METADATA = { name: SERVICE_NAME, namespace: "default" };

/**
 * The Service the API is found at from inside a cluster, the first address of `cidr`; with a node port that is not 0, at that port of every
 * node too.
 */
export function kubernetesService(port: number, cidr: string, nodePort = 0): KubeObject {
  const clusterIP = serviceAddress(cidr);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...SERVICE_METADATA, labels: SERVICE_LABELS },
    spec: {
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port, ...(nodePort > 0 && { nodePort }) }],
      sessionAffinity: "None",
      type: nodePort > 0 ? "NodePort" : "ClusterIP",
    },
  };
}

/** The address that an API server listens on. */
export interface ServerAddress {
  readonly ip: string;
  readonly port: number;
}

/**
 * Makes the endpoints of the Service "kubernetes": Endpoints with a subset for each port, and an EndpointSlice for each port. The
 * slice of the lowest port has the Service's name, others "kubernetes-PORT".
 */
export function kubernetesEndpoints(servers: readonly ServerAddress[]): readonly KubeObject[] {
  const ports = [...new Set(servers.map(({ port }) => port))].toSorted((a, b) => a - b);
  const groups = ports.map((port) => {
    const ips = new Set(servers.filter((server) => server.port === port).map(({ ip }) => ip));
    return { ips: [...ips].toSorted(), ports: [{ name: "https", port, protocol: "TCP" }] };
  });
  const skipMirror = { "endpointslice.kubernetes.io/skip-mirror": "true" };
  const endpoints: KubeObject = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...SERVICE_METADATA, labels: skipMirror },
    subsets: groups.map(({ ips, ports }) => ({ addresses: ips.map((ip) => ({ ip })), ports })),
  };
  const slices = (groups.length === 0 ? [{ ips: [], ports: [] }] : groups).map(
    ({ ips, ports }, index): KubeObject => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        ...SERVICE_METADATA,
        name: index === 0 ? SERVICE_NAME : `${SERVICE_NAME}-${ports[0]?.port}`,
        labels: SERVICE_OF_SLICES,
      },
      addressType: "IPv4",
      endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
      ports,
    }),
  );
  return [endpoints, ...slices];
}

const SERVICE_OF_SLICES = { "kubernetes.io/service-name": SERVICE_NAME };

/** Whether an EndpointSlice is the one of a further port, "kubernetes-PORT", that {@link kubernetesEndpoints} makes. */
export const isSliceOfPort = ({ metadata = {} }: KubeObject): boolean =>
  metadata.labels?.["kubernetes.io/service-name"] === SERVICE_NAME && /^kubernetes-\d{1,5}$/.test(metadata.name ?? "");

/** The address of the Service "kubernetes", at which pods find the API. Throws for a text that is not a block of IPv4 addresses. */
export function serviceAddress(cidr: string): string {
  const prefix = parseIpv4Prefix(cidr);
  if (prefix === undefined)
    throw new Error(`${JSON.stringify(cidr)} is not a block of IPv4 addresses such as "10.0.0.0/24"`);
  return formatIpv4(prefix.network + 1);
}
