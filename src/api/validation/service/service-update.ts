import { append } from "../../../base/collections/append.js";
import { type FieldError, forbiddenField, invalidValue, required } from "../../../machinery/errors/field-error.js";
import {
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { parseIp } from "../../../machinery/validation/ip.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type { LoadBalancerIngress, Service, ServiceSpec } from "../../types/core/v1.js";
import { IMMUTABLE, named, oneOf } from "../rules.js";
import { legacyIp } from "./ip-fields.js";
import { isHeadless, validateLoadBalancerClass, validateService } from "./service.js";

const ONCE = "may not change once set";

/**
 * Validates an update of a service. The first address, its family and the load balancer's class may not change; a second address
 * may be added and removed.
 */
export function validateServiceUpdate(service: ReceivedObject<Service>, old: ReceivedObject<Service>): FieldError[] {
  const [spec, before] = [object(service.spec), object(old.spec)];
  return [
    ...validateAddressChange(spec, before),
    ...validateClassChange(spec, before),
    ...validateHealthCheckChange(spec, before),
    ...validateService(service, before),
  ];
}

function validateAddressChange(spec: Received<ServiceSpec>, before: Received<ServiceSpec>): FieldError[] {
  if (spec.type === "ExternalName" || before.type === "ExternalName") return [];
  const [headless, wasHeadless] = [isHeadless(spec), isHeadless(before)];
  return [
    ...(headless && wasHeadless ? [] : validateIpChange(spec, before)),
    ...(headless || wasHeadless ? [] : validateFamilyChange(spec, before)),
  ];
}

function validateIpChange(spec: Received<ServiceSpec>, before: Received<ServiceSpec>): FieldError[] {
  const [ips, had] = [list(spec.clusterIPs), list(before.clusterIPs)];
  const changed = (index: number) => invalidValue(`spec.clusterIPs[${index}]`, ips, ONCE);
  if (ips.length === had.length) return had.flatMap((ip, index) => (ip === ips[index] ? [] : [changed(index)]));
  const errors: FieldError[] = [];
  if (ips.length < had.length && ips.length === 0) {
    errors.push(invalidValue("spec.clusterIPs[0]", list(spec.clusterIPs), "primary clusterIP can not be unset"));
  }
  if (ips.length > 0 && had.length > 0 && ips[0] !== had[0]) errors.push(changed(0));
  if (ips.length < had.length && ips.length === 1) append(errors, validateRelease(spec, "clusterIP"));
  return errors;
}

function validateFamilyChange(spec: Received<ServiceSpec>, before: Received<ServiceSpec>): FieldError[] {
  const [families, had] = [list(spec.ipFamilies), list(before.ipFamilies)];
  const path = "spec.ipFamilies[0]";
  if (families.length === had.length) {
    return had.flatMap((family, index) => (family === families[index] ? [] : [invalidValue(path, families, ONCE)]));
  }
  const errors: FieldError[] = [];
  const released = families.length < had.length;
  if (released && list(spec.clusterIPs).length === 0) {
    errors.push(invalidValue(path, families, "primary ipFamily can not be unset"));
  }
  if (families.length > 0 && had.length > 0 && families[0] !== had[0]) {
    errors.push(invalidValue(path, list(spec.clusterIPs), ONCE));
  }
  if (released && families.length === 1) append(errors, validateRelease(spec, "ipFamily"));
  return errors;
}

function validateRelease(spec: Received<ServiceSpec>, what: string): FieldError[] {
  if (spec.ipFamilyPolicy === "SingleStack") return [];
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  return [invalidValue("spec.ipFamilyPolicy", spec.ipFamilyPolicy ?? null, detail)];
}

function validateClassChange(spec: Received<ServiceSpec>, before: Received<ServiceSpec>): FieldError[] {
  const both = spec.type === "LoadBalancer" && before.type === "LoadBalancer";
  const [name, had] = [spec.loadBalancerClass ?? null, before.loadBalancerClass ?? null];
  const changed = both && name !== had ? [invalidValue("spec.loadBalancerClass", name, ONCE)] : [];
  return [...changed, ...validateLoadBalancerClass(spec)];
}

function validateHealthCheckChange(spec: Received<ServiceSpec>, before: Received<ServiceSpec>): FieldError[] {
  const needed = [spec, before].every((one) => one.type === "LoadBalancer" && one.externalTrafficPolicy === "Local");
  if (!needed || number(spec.healthCheckNodePort) === number(before.healthCheckNodePort)) return [];
  return [forbiddenField("spec.healthCheckNodePort", IMMUTABLE)];
}

/** Validates an update of a service's status: the addresses of its load balancer. */
export function validateServiceStatusUpdate(
  service: ReceivedObject<Service>,
  old: ReceivedObject<Service>,
): FieldError[] {
  const path = "status.loadBalancer.ingress";
  const ingresses = (of: ReceivedObject<Service>) => objects(object(object(of.status).loadBalancer).ingress);
  const kept = new Set(ingresses(old).map(({ ip }) => text(ip)));
  if (object(service.spec).type !== "LoadBalancer" && ingresses(service).length > 0) {
    return [forbiddenField(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return ingresses(service).flatMap((ingress, index) => [
    ...validateIngressIp(ingress, `${path}[${index}]`, kept),
    ...validateIngressHostname(text(ingress.hostname), `${path}[${index}].hostname`),
  ]);
}

function validateIngressIp(
  { ip, ipMode }: Received<LoadBalancerIngress>,
  path: string,
  kept: ReadonlySet<string>,
): FieldError[] {
  if (text(ip) === "") {
    if (ipMode === undefined || ipMode === null) return [];
    return [forbiddenField(`${path}.ipMode`, "may not be specified when `ip` is not set")];
  }
  const errors = legacyIp(text(ip), `${path}.ip`, kept);
  if (ipMode === undefined || ipMode === null) {
    return [...errors, required(`${path}.ipMode`, "must be specified when `ip` is set")];
  }
  return [...errors, ...oneOf(ipMode, `${path}.ipMode`, ["Proxy", "VIP"])];
}

/** Validates the host name of a load balancer, in the status of services and ingresses. */
export function validateIngressHostname(hostname: string, path: string): FieldError[] {
  if (hostname === "") return [];
  const errors = named(hostname, path, dns1123SubdomainErrors);
  if (parseIp(hostname) === undefined) return errors;
  return [...errors, invalidValue(path, hostname, "must be a DNS name, not an IP address")];
}
