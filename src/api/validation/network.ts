import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../../machinery/errors/field-error.js";
import { absent, list, number, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type LabelSelectorObject, validateLabelSelector, validateLabels } from "../../machinery/validation/labels.js";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  portNameErrors,
  portNumberErrors,
  wildcardSubdomainErrors,
} from "../../machinery/validation/names.js";
import { IMMUTABLE, named, oneOf } from "./rules.js";

const PROTOCOLS = ["SCTP", "TCP", "UDP"];

export function validateService(service: KubeObject): FieldError[] {
  const spec = object(service.spec);
  const ports = objects(spec.ports);
  const errors: FieldError[] = [];
  const headless = spec.clusterIP === "None";
  if (ports.length === 0 && !headless && spec.type !== "ExternalName") errors.push(required("spec.ports"));
  errors.push(...validateServicePorts(ports));
  errors.push(
    ...validateLabels(object(spec.selector) as Record<string, string>, "spec.selector"),
    ...oneOf(spec.sessionAffinity, "spec.sessionAffinity", ["ClientIP", "None"]),
    ...oneOf(spec.type, "spec.type", ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]),
  );
  if (spec.type === "ClusterIP") {
    for (const [index, port] of ports.entries()) {
      if (number(port.nodePort) === 0) continue;
      errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
  }
  if (headless && (spec.type === "NodePort" || spec.type === "LoadBalancer")) {
    const detail = `may not be set to 'None' for ${spec.type} services`;
    errors.push(invalidValue("spec.clusterIPs[0]", "None", detail));
  }
  if (spec.type === "ExternalName") {
    const name = text(spec.externalName).replace(/\.$/, "");
    if (name === "") errors.push(required("spec.externalName"));
    else errors.push(...named(name, "spec.externalName", dns1123SubdomainErrors));
    if (text(spec.clusterIP) !== "") {
      errors.push({
        type: "FieldValueForbidden",
        field: "spec.clusterIPs",
        detail: "may not be set for ExternalName services",
      });
    }
  }
  return errors;
}

function validateServicePorts(ports: readonly ReadonlyFields[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const numbers = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `spec.ports[${index}]`;
    const name = text(port.name);
    if (name === "" && ports.length > 1) errors.push(required(`${at}.name`));
    if (name !== "") {
      errors.push(...named(name, `${at}.name`, dns1123LabelErrors));
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    errors.push(...portNumber(port.port ?? 0, `${at}.port`), ...oneOf(port.protocol, `${at}.protocol`, PROTOCOLS));
    const target = port.targetPort;
    if (typeof target === "number") errors.push(...portNumber(target, `${at}.targetPort`));
    if (typeof target === "string") errors.push(...named(target, `${at}.targetPort`, portNameErrors));
    const key = `${text(port.protocol)} ${number(port.port)}`;
    if (numbers.has(key)) {
      // Kubernetes shows its internal ServicePort here, reduced to what must be unique.
      const shown = {
        Name: "",
        Protocol: port.protocol,
        AppProtocol: null,
        Port: port.port,
        TargetPort: 0,
        NodePort: 0,
      };
      errors.push(duplicate(at, shown));
    }
    numbers.add(key);
  }
  return errors;
}

function portNumber(value: unknown, path: string): FieldError[] {
  return portNumberErrors(number(value)).map((message) => invalidValue(path, value, message));
}

/** A cluster IP that was given stays as long as the type needs one, a port for health checks as well. */
export function validateServiceUpdate(service: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [object(service.spec), object(old.spec)];
  return [...validateClusterIpUpdate(spec, before), ...validateHealthCheckUpdate(spec, before)];
}

function validateHealthCheckUpdate(spec: ReadonlyFields, before: ReadonlyFields): FieldError[] {
  const needed = [spec, before].every((one) => one.type === "LoadBalancer" && one.externalTrafficPolicy === "Local");
  if (!needed || number(spec.healthCheckNodePort) === number(before.healthCheckNodePort)) return [];
  return [forbiddenField("spec.healthCheckNodePort", IMMUTABLE)];
}

function validateClusterIpUpdate(spec: ReadonlyFields, before: ReadonlyFields): FieldError[] {
  if (spec.type === "ExternalName" || before.type === "ExternalName") return [];
  const [primary, primaryBefore] = [text(list(spec.clusterIPs)[0]), text(list(before.clusterIPs)[0])];
  if (primaryBefore === "" || primary === primaryBefore) return [];
  return [invalidValue("spec.clusterIPs[0]", list(spec.clusterIPs), "may not change once set")];
}

export function validateIngress(ingress: KubeObject): FieldError[] {
  const spec = object(ingress.spec);
  const rules = objects(spec.rules);
  const errors: FieldError[] = [];
  if (rules.length === 0 && absent(spec.defaultBackend)) {
    errors.push(invalidValue("spec", null, "either `defaultBackend` or `rules` must be specified"));
  }
  if (!absent(spec.defaultBackend)) errors.push(...validateBackend(object(spec.defaultBackend), "spec.defaultBackend"));
  for (const [index, rule] of rules.entries()) errors.push(...validateIngressRule(rule, `spec.rules[${index}]`));
  return errors;
}

function validateIngressRule(rule: ReadonlyFields, path: string): FieldError[] {
  const host = text(rule.host);
  const errors: FieldError[] = [];
  if (host !== "") {
    const hostRule = host.includes("*") ? wildcardSubdomainErrors : dns1123SubdomainErrors;
    errors.push(...named(host, `${path}.host`, hostRule));
  }
  if (absent(rule.http)) return errors;
  const paths = objects(object(rule.http).paths);
  if (paths.length === 0) errors.push(required(`${path}.http.paths`));
  return [...errors, ...paths.flatMap((entry, index) => validateHttpPath(entry, `${path}.http.paths[${index}]`))];
}

function validateHttpPath(entry: ReadonlyFields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const value = text(entry.path);
  if (absent(entry.pathType)) errors.push(required(`${path}.pathType`, "pathType must be specified"));
  else errors.push(...oneOf(entry.pathType, `${path}.pathType`, ["Exact", "ImplementationSpecific", "Prefix"]));
  const strict = entry.pathType === "Exact" || entry.pathType === "Prefix";
  if (!value.startsWith("/") && (strict || value !== "")) {
    errors.push(invalidValue(`${path}.path`, value, "must be an absolute path"));
  }
  if (strict) {
    for (const bad of ["//", "/./", "/../", "%2f", "%2F"].filter((part) => value.includes(part))) {
      errors.push(invalidValue(`${path}.path`, value, `must not contain '${bad}'`));
    }
  }
  return [...errors, ...validateBackend(object(entry.backend), `${path}.backend`)];
}

function validateBackend(backend: ReadonlyFields, path: string): FieldError[] {
  if (!absent(backend.resource)) {
    return absent(backend.service) ? [] : [invalidValue(path, "", "cannot set both resource and service backends")];
  }
  if (absent(backend.service)) return [required(path, "resource or service backend is required")];
  const service = object(backend.service);
  const name = text(service.name);
  const errors =
    name === "" ? [required(`${path}.service.name`)] : named(name, `${path}.service.name`, dns1123LabelErrors);
  const port = object(service.port);
  const [portName, portValue] = [text(port.name), number(port.number)];
  if (portName !== "" && portValue !== 0)
    errors.push(invalidValue(path, "", "cannot set both port name & port number"));
  else if (portName !== "") errors.push(...named(portName, `${path}.service.port.name`, portNameErrors));
  else if (portValue !== 0) errors.push(...portNumber(portValue, `${path}.service.port.number`));
  else errors.push(required(path, "port name or number is required"));
  return errors;
}

export function validateNetworkPolicy(policy: KubeObject): FieldError[] {
  const spec = object(policy.spec);
  const errors = validateLabelSelector(spec.podSelector as LabelSelectorObject | undefined, "spec.podSelector");
  for (const direction of ["ingress", "egress"]) {
    for (const [index, rule] of objects(spec[direction]).entries()) {
      for (const [portIndex, port] of objects(rule.ports).entries()) {
        errors.push(...oneOf(port.protocol, `spec.${direction}[${index}].ports[${portIndex}].protocol`, PROTOCOLS));
      }
    }
  }
  for (const [index, type] of list(spec.policyTypes).entries()) {
    errors.push(...oneOf(type, `spec.policyTypes[${index}]`, ["Egress", "Ingress"]));
  }
  return errors;
}
