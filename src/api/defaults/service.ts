import {
  absent,
  child,
  children,
  ensureChild,
  type Fields,
  list,
  setDefault,
  text,
} from "../../machinery/meta/access.js";

export function defaultService(service: Fields): void {
  const spec = ensureChild(service, "spec");
  setDefault(spec, "sessionAffinity", "None");
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP") {
    setDefault(ensureChild(ensureChild(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds", 10800);
  }
  setDefault(spec, "type", "ClusterIP");
  for (const port of children(spec, "ports")) {
    if (text(port.protocol) === "") port.protocol = "TCP";
    if (absent(port.targetPort) || port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
  }
  const external = spec.type === "NodePort" || spec.type === "LoadBalancer";
  if (external || (spec.type === "ClusterIP" && list(spec.externalIPs).length > 0)) {
    setDefault(spec, "externalTrafficPolicy", "Cluster");
  }
  if (external || spec.type === "ClusterIP") setDefault(spec, "internalTrafficPolicy", "Cluster");
  if (spec.type !== "LoadBalancer") return;
  setDefault(spec, "allocateLoadBalancerNodePorts", true);
  const status = child(child(service, "status") ?? {}, "loadBalancer") ?? {};
  for (const ingress of children(status, "ingress")) {
    if (text(ingress.ip) !== "") setDefault(ingress, "ipMode", "VIP");
  }
}
