import type { Node, Pod, Service, ServiceSpec } from "../../src/api/types/core/v1.js";

/** A service "web" that selects app=web and leads port 80 to 8080. */
export function service(spec: Partial<ServiceSpec> = {}, labels: Readonly<Record<string, string>> = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop", uid: "web-uid", labels, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: {
      selector: { app: "web" },
      clusterIP: "10.96.0.10",
      ipFamilies: ["IPv4"],
      ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: 8080 }],
      ...spec,
    },
  };
}

export interface MemberParts {
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly deleted?: boolean;
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly node?: string;
  readonly spec?: Pod["spec"];
  /** When it became ready. */
  readonly since?: string;
}

/** A pod that it selects, by default ready, on node "one". */
export function member(name: string, parts: MemberParts = {}): Pod {
  const { ips = ["10.0.0.1"], ready = true, deleted, phase = "Running", node = "one", since } = parts;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: `${name}-uid`,
      labels: { app: "web" },
      ...(deleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { nodeName: node, containers: [{ name: "c", image: "i" }], ...parts.spec },
    status: {
      phase,
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [
        { type: "Ready", status: ready ? "True" : "False", ...(since !== undefined && { lastTransitionTime: since }) },
      ],
    },
  };
}

/** A node of a zone. */
export function node(name: string, zone?: string): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: zone === undefined ? {} : { "topology.kubernetes.io/zone": zone } },
  };
}
