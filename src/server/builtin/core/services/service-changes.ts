import type { ServiceSpec } from "../../../../api/types/core/v1.js";
import {
  absent,
  children,
  type Draft,
  list,
  number,
  objects,
  type Received,
  text,
} from "../../../../machinery/meta/received.js";
import { isExternal, needsHealthCheck, usesNodePorts } from "./service-needs.js";

/** Keeps the addresses and ports that were allocated before where a client leaves them out. `before` is the earlier spec. */
export function keepAllocated(spec: Draft<ServiceSpec>, before: Received<ServiceSpec>): void {
  if (spec.type !== "ExternalName" && before.type !== "ExternalName") {
    if (text(spec.clusterIP) === "" && !absent(before.clusterIP)) spec.clusterIP = before.clusterIP;
    if (list(spec.clusterIPs).length === 0 && list(before.clusterIPs).length > 0) {
      spec.clusterIPs = structuredClone(before.clusterIPs);
    }
  }
  if (usesNodePorts(spec) && usesNodePorts(before)) keepNodePorts(spec, before);
  if (needsHealthCheck(spec) && needsHealthCheck(before) && number(spec.healthCheckNodePort) === 0) {
    spec.healthCheckNodePort = before.healthCheckNodePort;
  }
}

/** A port is known by its name, whatever else of it changes. */
function keepNodePorts(spec: Draft<ServiceSpec>, before: Received<ServiceSpec>): void {
  const asked = new Set(nodePorts(spec));
  const old = new Map(objects(before.ports).map((port) => [text(port.name), number(port.nodePort)]));
  for (const port of children(spec, "ports")) {
    const kept = old.get(text(port.name)) ?? 0;
    if (number(port.nodePort) === 0 && kept !== 0 && !asked.has(kept)) port.nodePort = kept;
  }
}

/**
 * `clusterIP` and `clusterIPs[0]` are one value under two names. A client may know only the first: what it does to that is
 * done to the second, unless it changed both.
 */
export function alignClusterIps(spec: Draft<ServiceSpec>, before: Received<ServiceSpec> | undefined): void {
  const [single, ips] = [text(spec.clusterIP), list(spec.clusterIPs)];
  if (before === undefined) {
    if (single !== "" && ips.length === 0) spec.clusterIPs = [single];
    return;
  }
  const [had, hadIps] = [text(before.clusterIP), list(before.clusterIPs)];
  if (single === had) {
    if (ips.length === 0 && hadIps.length > 0) spec.clusterIPs = structuredClone(before.clusterIPs);
  } else if (sameList(ips, hadIps)) {
    if (single === "") delete spec.clusterIPs;
    else spec.clusterIPs = [single];
  }
}

/** Drops the fields that only the old type has, unless they were changed as well. */
export function dropOfOldType(spec: Draft<ServiceSpec>, before: Received<ServiceSpec>): void {
  const same = (field: keyof ServiceSpec) => (spec[field] ?? null) === (before[field] ?? null);
  if (spec.type === "ExternalName" && before.type !== "ExternalName") {
    if (same("clusterIP") && sameList(list(spec.clusterIPs), list(before.clusterIPs))) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (sameList(list(spec.ipFamilies), list(before.ipFamilies))) delete spec.ipFamilies;
    if (same("ipFamilyPolicy")) delete spec.ipFamilyPolicy;
  }
  if (usesNodePorts(before) && !usesNodePorts(spec)) {
    const had = new Set(nodePorts(before));
    // One that is new is refused with the others, which then stay to be seen.
    if (nodePorts(spec).every((port) => had.has(port))) {
      for (const port of children(spec, "ports")) delete port.nodePort;
    }
  }
  if (needsHealthCheck(before) && !needsHealthCheck(spec) && same("healthCheckNodePort")) {
    delete spec.healthCheckNodePort;
  }
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    for (const field of ["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const)
      if (same(field)) delete spec[field];
  }
  if (isExternal(before) && !isExternal(spec) && same("externalTrafficPolicy")) delete spec.externalTrafficPolicy;
}

const nodePorts = (spec: Received<ServiceSpec>): number[] =>
  objects(spec.ports)
    .map(({ nodePort }) => number(nodePort))
    .filter((port) => port !== 0);

const sameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);
