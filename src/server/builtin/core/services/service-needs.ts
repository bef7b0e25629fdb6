import type { ServiceSpec } from "../../../../api/types/core/v1.js";
import { list, number, object, objects, type Received, text } from "../../../../machinery/meta/received.js";

/** Whether a service needs a cluster IP of its own. */
export function needsClusterIp(spec: Received<ServiceSpec>): boolean {
  return spec.type !== "ExternalName" && list(spec.clusterIPs)[0] !== "None";
}

export function usesNodePorts(spec: Received<ServiceSpec>): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer";
}

/** Whether ports without a node port are allocated one. */
export function wantsNodePorts(spec: Received<ServiceSpec>): boolean {
  return spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);
}

/** Whether the service needs a node port on which load balancers ask each node if it has the service's pods. */
export function needsHealthCheck(spec: Received<ServiceSpec>): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

export function heldIps(spec: Received<ServiceSpec>): readonly string[] {
  if (!needsClusterIp(spec)) return [];
  return list(spec.clusterIPs)
    .map(text)
    .filter((ip) => ip !== "");
}

export function heldNodePorts(spec: Received<ServiceSpec>): readonly number[] {
  const ports = usesNodePorts(spec) ? objects(spec.ports).map((port) => number(object(port).nodePort)) : [];
  const all = needsHealthCheck(spec) ? [...ports, number(spec.healthCheckNodePort)] : ports;
  return [...new Set(all)].filter((port) => port !== 0);
}

/** Whether the service is reached from outside the cluster. */
export function isExternal(spec: Received<ServiceSpec>): boolean {
  return usesNodePorts(spec) || (spec.type === "ClusterIP" && list(spec.externalIPs).length > 0);
}
