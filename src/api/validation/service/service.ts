import { append } from "../../../base/collections/append.js";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { validateLabels } from "../../../machinery/validation/labels.js";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  portNameErrors,
  portNumberErrors,
  qualifiedNameErrors,
} from "../../../machinery/validation/names.js";
import type { Service, ServicePort, ServiceSpec } from "../../types/core/v1.js";
import type { IntOrString } from "../../types/meta/v1.js";
import { named, oneOf } from "../rules.js";
import { legacyCidr, legacyIp, nonSpecialIp } from "./ip-fields.js";
import { validateClusterIps } from "./service-addresses.js";

/** The protocols that every port in the API may have. */
export const PROTOCOLS: readonly string[] = ["SCTP", "TCP", "UDP"];

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";
const TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";
const MAX_AFFINITY_SECONDS = 86400;
const LOAD_BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

/** Validates a service. `before` is the spec of the old service, whose addresses are accepted. */
export function validateService(service: ReceivedObject<Service>, before: Received<ServiceSpec> = {}): FieldError[] {
  const spec = object(service.spec);
  const ports = objects(spec.ports);
  const errors = validateTopologyAnnotations(service.metadata?.annotations ?? {});
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== "ExternalName") errors.push(required("spec.ports"));
  append(errors, validateType(spec));
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    append(errors, validateServicePort(port, index, ports.length > 1, names));
  }
  append(
    errors,
    validateLabels(spec.selector, "spec.selector"),
    validateAffinity(spec),
    validateClusterIps(spec, before),
    validateExternalIps(spec, before),
    requiredOneOf(spec.type, "spec.type", TYPES),
    validateUniquePorts(spec, ports),
    validateSourceRanges(spec, service.metadata?.annotations ?? {}, before),
    validateLoadBalancer(spec),
    validateTrafficPolicies(spec),
  );
  return errors;
}

export function isHeadless(spec: Received<ServiceSpec>): boolean {
  const ips = list(spec.clusterIPs);
  return ips.length === 1 && ips[0] === "None";
}

function requiredOneOf(value: unknown, path: string, allowed: readonly string[]): FieldError[] {
  return absent(value) || value === "" ? [required(path)] : oneOf(value, path, allowed);
}

function validateTopologyAnnotations(annotations: Readonly<Record<string, string>>): FieldError[] {
  const [hints, mode] = [annotations[TOPOLOGY_HINTS], annotations[TOPOLOGY_MODE]];
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const detail = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
  return [invalidValue(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, detail)];
}

function validateType(spec: Received<ServiceSpec>): FieldError[] {
  if ((spec.type === "NodePort" || spec.type === "LoadBalancer") && isHeadless(spec)) {
    return [invalidValue("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${spec.type} services`)];
  }
  if (spec.type !== "ExternalName") return [];
  const unused = (field: string) => forbiddenField(`spec.${field}`, "may not be set for ExternalName services");
  const errors: FieldError[] = [];
  if (list(spec.clusterIPs).length > 0) errors.push(unused("clusterIPs"));
  if (list(spec.ipFamilies).length > 0) errors.push(unused("ipFamilies"));
  if (!absent(spec.ipFamilyPolicy)) errors.push(unused("ipFamilyPolicy"));
  // The trailing dot of a fully qualified name is no part of it.
  const name = text(spec.externalName).replace(/\.$/, "");
  if (name === "") errors.push(required("spec.externalName"));
  else append(errors, named(name, "spec.externalName", dns1123SubdomainErrors));
  return errors;
}

/** The paths of errors are made where there are some: of 60,000 ports they take longer than all else. */
function validateServicePort(
  port: Received<ServicePort>,
  index: number,
  needsName: boolean,
  names: Set<string>,
): readonly FieldError[] {
  const at = (field: string): string => `spec.ports[${index}].${field}`;
  const errors: FieldError[] = [];
  const name = text(port.name);
  if (name === "" && needsName) errors.push(required(at("name")));
  if (name !== "") {
    if (dns1123LabelErrors(name).length > 0) append(errors, named(name, at("name"), dns1123LabelErrors));
    if (names.has(name)) errors.push(duplicate(at("name"), name));
    names.add(name);
  }
  if (!isPort(port.port)) append(errors, portNumber(port.port, at("port")));
  if (!PROTOCOLS.includes(text(port.protocol))) append(errors, requiredOneOf(port.protocol, at("protocol"), PROTOCOLS));
  if (!isPort(port.targetPort)) append(errors, portNumberOrName(port.targetPort, at("targetPort")));
  if (!absent(port.appProtocol)) {
    append(errors, named(text(port.appProtocol), at("appProtocol"), qualifiedNameErrors));
  }
  return errors;
}

const isPort = (value: unknown): boolean => typeof value === "number" && portNumberErrors(value).length === 0;

export function portNumber(value: IntOrString | null | undefined, path: string): FieldError[] {
  const port = typeof value === "string" ? 0 : number(value);
  return portNumberErrors(port).map((message) => invalidValue(path, port, message));
}

function portNumberOrName(value: IntOrString | null | undefined, path: string): FieldError[] {
  return typeof value === "string" ? named(value, path, portNameErrors) : portNumber(value, path);
}

function validateAffinity(spec: Received<ServiceSpec>): FieldError[] {
  const path = "spec.sessionAffinityConfig";
  const errors = requiredOneOf(spec.sessionAffinity, "spec.sessionAffinity", ["ClientIP", "None"]);
  if (spec.sessionAffinity === "None" && !absent(spec.sessionAffinityConfig)) {
    errors.push(forbiddenField(path, "must not be set when session affinity is None"));
  }
  if (spec.sessionAffinity !== "ClientIP") return errors;
  const missing = (at: string) => [...errors, required(at, "when session affinity type is ClientIP")];
  if (!isStruct(spec.sessionAffinityConfig)) return missing(path);
  const { clientIP } = spec.sessionAffinityConfig;
  if (!isStruct(clientIP)) return missing(`${path}.clientIP`);
  const seconds = clientIP.timeoutSeconds;
  if (absent(seconds)) return missing(`${path}.clientIP.timeoutSeconds`);
  if (number(seconds) > 0 && number(seconds) <= MAX_AFFINITY_SECONDS) return errors;
  const detail = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [...errors, invalidValue(`${path}.clientIP.timeoutSeconds`, seconds, detail)];
}

function validateExternalIps(spec: Received<ServiceSpec>, before: Received<ServiceSpec>): FieldError[] {
  const kept = new Set(list(before.externalIPs).map(text));
  return list(spec.externalIPs).flatMap((value, index) => {
    const [ip, path] = [text(value), `spec.externalIPs[${index}]`];
    const errors = legacyIp(ip, path, kept);
    return errors.length > 0 ? errors : nonSpecialIp(ip, path);
  });
}

function validateUniquePorts(spec: Received<ServiceSpec>, ports: readonly Received<ServicePort>[]): FieldError[] {
  const errors: FieldError[] = [];
  const used = ports.map((port) => number(port.nodePort));
  if (spec.type === "ClusterIP") {
    for (const [index, port] of used.entries()) {
      if (port === 0) continue;
      errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
  }
  const nodePorts = new SeenPorts();
  for (const [index, port] of used.entries()) {
    if (port === 0 || nodePorts.add(text(ports[index]?.protocol), port)) continue;
    errors.push(duplicate(`spec.ports[${index}].nodePort`, port));
  }
  const servicePorts = new SeenPorts();
  for (const [index, { protocol, port }] of ports.entries()) {
    if (servicePorts.add(text(protocol), number(port))) continue;
    errors.push(duplicate(`spec.ports[${index}]`, shownPort(text(protocol), number(port))));
  }
  return errors;
}

/** Ports by their protocol. */
class SeenPorts {
  readonly #byProtocol = new Map<string, Set<number>>();

  /** False for one that was added before. */
  add(protocol: string, port: number): boolean {
    const seen = this.#byProtocol.get(protocol) ?? new Set();
    this.#byProtocol.set(protocol, seen);
    const before = seen.size;
    return seen.add(port).size > before;
  }
}

/** Kubernetes shows its internal ServicePort, reduced to what must be unique. */
const shownPort = (protocol: string, port: number) => ({
  Name: "",
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
});

function validateSourceRanges(
  spec: Received<ServiceSpec>,
  annotations: Readonly<Record<string, string>>,
  before: Received<ServiceSpec>,
): FieldError[] {
  const ranges = list(spec.loadBalancerSourceRanges).map((value) => text(value).trim());
  const annotation = annotations[SOURCE_RANGES];
  if (ranges.length === 0 && annotation === undefined) return [];
  const path = ranges.length > 0 ? "spec.LoadBalancerSourceRanges" : `metadata.annotations[${SOURCE_RANGES}]`;
  const errors = spec.type === "LoadBalancer" ? [] : [forbiddenField(path, LOAD_BALANCER_ONLY)];
  if (ranges.length > 0) {
    const kept = new Set(list(before.loadBalancerSourceRanges).map((value) => text(value).trim()));
    return [...errors, ...ranges.flatMap((range, index) => legacyCidr(range, `${path}[${index}]`, kept))];
  }
  const listed = annotation?.trim() ?? "";
  const values = listed === "" ? [] : listed.split(",").map((range) => range.trim());
  return [...errors, ...values.flatMap((range) => legacyCidr(range, path))];
}

function validateLoadBalancer(spec: Received<ServiceSpec>): FieldError[] {
  const balanced = spec.type === "LoadBalancer";
  const errors: FieldError[] = [];
  if (!balanced && !absent(spec.allocateLoadBalancerNodePorts)) {
    errors.push(forbiddenField("spec.allocateLoadBalancerNodePorts", LOAD_BALANCER_ONLY));
  }
  if (balanced && absent(spec.allocateLoadBalancerNodePorts)) errors.push(required("allocateLoadBalancerNodePorts"));
  return [...errors, ...validateLoadBalancerClass(spec)];
}

export function validateLoadBalancerClass(spec: Received<ServiceSpec>): FieldError[] {
  if (absent(spec.loadBalancerClass)) return [];
  if (spec.type !== "LoadBalancer") return [forbiddenField("spec.loadBalancerClass", LOAD_BALANCER_ONLY)];
  return named(text(spec.loadBalancerClass), "spec.loadBalancerClass", qualifiedNameErrors);
}

function validateTrafficPolicies(spec: Received<ServiceSpec>): FieldError[] {
  const external =
    spec.type === "LoadBalancer" ||
    spec.type === "NodePort" ||
    (spec.type === "ClusterIP" && list(spec.externalIPs).length > 0);
  const policy = text(spec.externalTrafficPolicy);
  const errors: FieldError[] = [];
  if (external) append(errors, requiredOneOf(policy, "spec.externalTrafficPolicy", ["Cluster", "Local"]));
  else if (policy !== "") {
    errors.push(
      invalidValue("spec.externalTrafficPolicy", policy, "may only be set for externally-accessible services"),
    );
  }
  append(errors, validateHealthCheckPort(spec));
  if (absent(spec.internalTrafficPolicy) && ["ClusterIP", "LoadBalancer", "NodePort"].includes(text(spec.type))) {
    errors.push(required("spec.internalTrafficPolicy"));
  }
  return [
    ...errors,
    ...oneOf(spec.internalTrafficPolicy, "spec.internalTrafficPolicy", ["Cluster", "Local"]),
    ...oneOf(spec.trafficDistribution, "spec.trafficDistribution", DISTRIBUTIONS),
  ];
}

const DISTRIBUTIONS = ["PreferClose", "PreferSameNode", "PreferSameZone"];

function validateHealthCheckPort(spec: Received<ServiceSpec>): FieldError[] {
  const path = "spec.healthCheckNodePort";
  const port = number(spec.healthCheckNodePort);
  if (spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local") {
    return port === 0 ? [required(path)] : portNumber(port, path);
  }
  if (port === 0) return [];
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalidValue(path, port, detail)];
}
