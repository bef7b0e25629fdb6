import { validateService } from "../../../api/validation/service.js";
import { validateServiceStatusUpdate, validateServiceUpdate } from "../../../api/validation/service-update.js";
import { serviceWarnings } from "../../../api/validation/service-warnings.js";
import {
  absent,
  children,
  ensureChild,
  type Fields,
  list,
  number,
  object,
  objects,
  type ReadonlyFields,
  text,
} from "../../../machinery/meta/access.js";
import { dns1035LabelErrors } from "../../../machinery/validation/names.js";
import type { Strategy } from "../../registry/strategy.js";
import { allocateService, releaseService } from "./service-allocation.js";
import { needsHealthCheck, usesNodePorts } from "./service-needs.js";

export const serviceStrategy: Strategy = {
  prepareForCreate(draft) {
    const spec = ensureChild(draft, "spec");
    draft.status = { loadBalancer: {} };
    normalizeClusterIps(spec, {});
    dropUnusedFields(spec, {});
    initializeFamilies(spec);
  },
  prepareForUpdate(draft, old) {
    const spec = ensureChild(draft, "spec");
    const before = object(old.spec);
    normalizeClusterIps(spec, before);
    keepAllocated(spec, before);
    dropUnusedFields(spec, before);
    initializeFamilies(spec);
  },
  allocate: allocateService,
  afterDelete: releaseService,
  validate: (service) => validateService(service),
  validateUpdate: validateServiceUpdate,
  validateStatusUpdate: validateServiceStatusUpdate,
  warningsOnCreate: serviceWarnings,
  warningsOnUpdate: serviceWarnings,
  validateName: dns1035LabelErrors,
  allowCreateOnUpdate: true,
  fieldLabels: ["spec.clusterIP", "spec.type"],
  fields(service) {
    const spec = object(service.spec);
    return { "spec.clusterIP": text(spec.clusterIP), "spec.type": text(spec.type) };
  },
};

/** `clusterIP` and `clusterIPs[0]` are one value under two names; a client that knows only the first may change it. */
function normalizeClusterIps(spec: Fields, before: ReadonlyFields): void {
  const single = text(spec.clusterIP);
  const first = text(list(spec.clusterIPs)[0]);
  if (single !== "" && list(spec.clusterIPs).length === 0) spec.clusterIPs = [single];
  else if (single === "" && first !== "" && text(before.clusterIP) === "") spec.clusterIP = first;
  else if (single !== first && first !== "" && single !== text(before.clusterIP)) {
    if (single === "") delete spec.clusterIPs;
    else spec.clusterIPs = [single];
  }
}

/** What an earlier write was given stays when a client leaves it out. */
function keepAllocated(spec: Fields, before: ReadonlyFields): void {
  if (spec.type === "ExternalName" || before.type === "ExternalName") return;
  if (text(spec.clusterIP) === "" && !absent(before.clusterIP)) spec.clusterIP = before.clusterIP;
  if (list(spec.clusterIPs).length === 0 && !absent(before.clusterIPs)) {
    spec.clusterIPs = structuredClone(before.clusterIPs);
  }
  if (usesNodePorts(spec) && usesNodePorts(before)) keepNodePorts(spec, before);
  if (needsHealthCheck(spec) && needsHealthCheck(before) && number(spec.healthCheckNodePort) === 0) {
    spec.healthCheckNodePort = before.healthCheckNodePort;
  }
}

function keepNodePorts(spec: Fields, before: ReadonlyFields): void {
  const used = new Set(objects(spec.ports).map((port) => number(port.nodePort)));
  const key = (port: ReadonlyFields) => `${text(port.protocol)} ${number(port.port)}`;
  const old = new Map(objects(before.ports).map((port) => [key(port), number(port.nodePort)]));
  for (const port of children(spec, "ports")) {
    const kept = old.get(key(port)) ?? 0;
    if (number(port.nodePort) !== 0 || kept === 0 || used.has(kept)) continue;
    port.nodePort = kept;
    used.add(kept);
  }
}

/** Fields that belong to another type go when the type was changed and they were not touched. */
function dropUnusedFields(spec: Fields, before: ReadonlyFields): void {
  if (spec.type === "ExternalName" && before.type !== "ExternalName" && before.type !== undefined) {
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]) delete spec[field];
  }
  if (!usesNodePorts(spec) && usesNodePorts(before)) {
    const old = new Set(objects(before.ports).map((port) => number(port.nodePort)));
    for (const port of children(spec, "ports")) if (old.has(number(port.nodePort))) delete port.nodePort;
    delete spec.externalTrafficPolicy;
  }
  if (spec.type !== "LoadBalancer" && before.type === "LoadBalancer") {
    delete spec.allocateLoadBalancerNodePorts;
    delete spec.loadBalancerClass;
  }
  if (needsHealthCheck(before) && !needsHealthCheck(spec) && spec.healthCheckNodePort === before.healthCheckNodePort) {
    delete spec.healthCheckNodePort;
  }
}

/** A cluster of one family, IPv4. A headless service without selector may have endpoints of both families. */
function initializeFamilies(spec: Fields): void {
  if (spec.type === "ExternalName") return;
  const headless = list(spec.clusterIPs)[0] === "None";
  const bare = headless && Object.keys(object(spec.selector)).length === 0;
  if (bare && absent(spec.ipFamilyPolicy)) spec.ipFamilyPolicy = "RequireDualStack";
  if (list(spec.ipFamilies).length === 0) {
    spec.ipFamilies = bare && spec.ipFamilyPolicy !== "SingleStack" ? ["IPv4", "IPv6"] : ["IPv4"];
  }
  if (absent(spec.ipFamilyPolicy)) spec.ipFamilyPolicy = "SingleStack";
}
