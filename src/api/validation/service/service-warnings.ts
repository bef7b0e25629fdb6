import { append } from "../../../base/collections/append.js";
import { list, object, objects, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { Service } from "../../types/core/v1.js";
import { cidrWarnings, ipWarnings } from "./ip-fields.js";

const TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";

export function serviceWarnings(service: ReceivedObject<Service>): string[] {
  const spec = object(service.spec);
  const [external, ranges] = [list(spec.externalIPs), list(spec.loadBalancerSourceRanges)];
  const headless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  const warnings: string[] = [];
  if (service.metadata?.annotations?.[TOPOLOGY_HINTS] !== undefined) {
    warnings.push(`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`);
  }
  if (spec.clusterIP !== "None" && text(spec.clusterIP) !== "") {
    append(
      warnings,
      list(spec.clusterIPs).flatMap((ip, index) => ipWarnings(text(ip), `spec.clusterIPs[${index}]`)),
    );
  }
  if (headless) {
    if (text(spec.loadBalancerIP) !== "") warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (external.length > 0) warnings.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None") warnings.push("spec.SessionAffinity is ignored for headless services");
  }
  append(
    warnings,
    external.flatMap((ip, index) => ipWarnings(text(ip), `spec.externalIPs[${index}]`)),
  );
  if (external.length > 0 && !headless && spec.type !== "ExternalName") {
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  append(
    warnings,
    ipWarnings(text(spec.loadBalancerIP), "spec.loadBalancerIP"),
    ranges.flatMap((range, index) => cidrWarnings(text(range), `spec.loadBalancerSourceRanges[${index}]`)),
  );
  if (spec.type === "ExternalName" && external.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (spec.type !== "ExternalName" && text(spec.externalName) !== "") {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === "PreferClose") {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}

/** Returns the warnings about the addresses of a service's load balancer. */
export function serviceStatusWarnings(service: ReceivedObject<Service>): string[] {
  const balancer = object(object(service.status).loadBalancer);
  return objects(balancer.ingress).flatMap(({ ip }, index) =>
    ipWarnings(text(ip), `status.loadBalancer.ingress[${index}]`),
  );
}
