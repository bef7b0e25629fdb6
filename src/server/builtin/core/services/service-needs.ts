import { list, number, object, objects, type ReadonlyFields, text } from "../../../../machinery/meta/access.js";

/** What a service's spec needs and has of the things that no two services may have. */
export function needsClusterIp(spec: ReadonlyFields): boolean {
  return spec.type !== "ExternalName" && list(spec.clusterIPs)[0] !== "None";
}

export function usesNodePorts(spec: ReadonlyFields): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer";
}

/** Whether ports that name no node port are given one. */
export function wantsNodePorts(spec: ReadonlyFields): boolean {
  return spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);
}

/** Whether load balancers ask the nodes on a port of its own where the service's pods are. */
export function needsHealthCheck(spec: ReadonlyFields): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

export function heldIps(spec: ReadonlyFields): readonly string[] {
  if (!needsClusterIp(spec)) return [];
  return list(spec.clusterIPs)
    .map(text)
    .filter((ip) => ip !== "");
}

export function heldNodePorts(spec: ReadonlyFields): readonly number[] {
  const ports = usesNodePorts(spec) ? objects(spec.ports).map((port) => number(object(port).nodePort)) : [];
  const all = needsHealthCheck(spec) ? [...ports, number(spec.healthCheckNodePort)] : ports;
  return [...new Set(all)].filter((port) => port !== 0);
}

/** Whether it is reached from outside the cluster. */
export function isExternal(spec: ReadonlyFields): boolean {
  return usesNodePorts(spec) || (spec.type === "ClusterIP" && list(spec.externalIPs).length > 0);
}
