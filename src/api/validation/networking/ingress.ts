import { append } from "../../../base/collections/append.js";
import { type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { parseIp } from "../../../machinery/validation/ip.js";
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  type NameRule,
  portNameErrors,
  wildcardSubdomainErrors,
} from "../../../machinery/validation/names.js";
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressSpec,
  IngressTLS,
  ServiceBackendPort,
} from "../../types/networking/v1.js";
import { named, oneOf } from "../rules.js";
import { legacyIp } from "../service/ip-fields.js";
import { validateIngressHostname } from "../service/service-update.js";
import { portNumber } from "../service/service.js";
import { validateTypedReference } from "../typed-reference.js";

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];

/** What an update forgives because the object had it already. */
interface Forgiven {
  readonly secretNames: boolean;
  readonly wildcardRules: boolean;
  readonly serviceName: NameRule;
}

const STRICT: Forgiven = { secretNames: false, wildcardRules: false, serviceName: dns1035LabelErrors };

export function validateIngress(ingress: ReceivedObject<Ingress>): FieldError[] {
  const errors = validateSpec(object(ingress.spec), STRICT);
  const annotation = ingress.metadata?.annotations?.[CLASS_ANNOTATION];
  const name = object(ingress.spec).ingressClassName;
  if (annotation === undefined || absent(name) || annotation === name) return errors;
  const detail = "must match `ingressClassName` when both are specified";
  return [...errors, invalidValue(`annotations.${CLASS_ANNOTATION}`, annotation, detail)];
}

export function validateIngressUpdate(ingress: ReceivedObject<Ingress>, old: ReceivedObject<Ingress>): FieldError[] {
  return validateSpec(object(ingress.spec), forgivenBy(object(old.spec)));
}

function validateSpec(spec: Received<IngressSpec>, forgiven: Forgiven): FieldError[] {
  const rules = objects(spec.rules);
  const errors: FieldError[] = [];
  if (rules.length === 0 && absent(spec.defaultBackend)) {
    errors.push(invalidValue("spec", spec.rules ?? null, "either `defaultBackend` or `rules` must be specified"));
  }
  if (!absent(spec.defaultBackend)) {
    append(errors, validateBackend(object(spec.defaultBackend), "spec.defaultBackend", forgiven));
  }
  append(
    errors,
    rules.flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`, forgiven)),
    objects(spec.tls).flatMap((tls, index) => validateTls(tls, `spec.tls[${index}]`, forgiven)),
  );
  if (absent(spec.ingressClassName)) return errors;
  return [...errors, ...named(text(spec.ingressClassName), "spec.ingressClassName", dns1123SubdomainErrors)];
}

function validateTls(tls: Received<IngressTLS>, path: string, forgiven: Forgiven): FieldError[] {
  const hosts = (Array.isArray(tls.hosts) ? tls.hosts : []).map(text);
  const errors = hosts.flatMap((host, index) => named(host, `${path}.hosts[${index}]`, hostRule(host)));
  return forgiven.secretNames ? errors : [...errors, ...validateSecretName(tls, `${path}.secretName`)];
}

const hostRule = (host: string): NameRule => (host.includes("*") ? wildcardSubdomainErrors : dns1123SubdomainErrors);

function validateSecretName(tls: Received<IngressTLS>, path: string): FieldError[] {
  const name = text(tls.secretName);
  return name === "" ? [] : named(name, path, dns1123SubdomainErrors);
}

function validateRule(rule: Received<IngressRule>, path: string, forgiven: Forgiven): FieldError[] {
  const host = text(rule.host);
  const errors: FieldError[] = [];
  if (host !== "") {
    if (parseIp(host) !== undefined) {
      errors.push(invalidValue(`${path}.host`, host, "must be a DNS name, not an IP address"));
    }
    append(errors, named(host, `${path}.host`, hostRule(host)));
  }
  if (host.includes("*") && forgiven.wildcardRules) return errors;
  return [...errors, ...validateHttp(rule, path, forgiven)];
}

function validateHttp(rule: Received<IngressRule>, path: string, forgiven: Forgiven): FieldError[] {
  if (!isStruct(rule.http)) return [];
  const paths = objects(rule.http.paths);
  if (paths.length === 0) return [required(`${path}.http.paths`)];
  return paths.flatMap((entry, index) => validateHttpPath(entry, `${path}.http.paths[${index}]`, forgiven));
}

function validateHttpPath(entry: Received<HTTPIngressPath>, path: string, forgiven: Forgiven): FieldError[] {
  if (absent(entry.pathType)) return [required(`${path}.pathType`, "pathType must be specified")];
  const value = text(entry.path);
  const refuse = (detail: string) => invalidValue(`${path}.path`, value, detail);
  const errors = oneOf(entry.pathType, `${path}.pathType`, PATH_TYPES);
  const strict = entry.pathType === "Exact" || entry.pathType === "Prefix";
  const known = strict || (entry.pathType === "ImplementationSpecific" && value !== "");
  if (known && !value.startsWith("/")) errors.push(refuse("must be an absolute path"));
  if (strict) {
    for (const part of BAD_PARTS) if (value.includes(part)) errors.push(refuse(`must not contain '${part}'`));
    for (const end of BAD_ENDS) if (value.endsWith(end)) errors.push(refuse(`cannot end with '${end}'`));
  }
  return [...errors, ...validateBackend(object(entry.backend), `${path}.backend`, forgiven)];
}

const BAD_PARTS = ["//", "/./", "/../", "%2f", "%2F"];
const BAD_ENDS = ["/..", "/."];

function validateBackend(backend: Received<IngressBackend>, path: string, forgiven: Forgiven): FieldError[] {
  const { resource, service } = backend;
  if (isStruct(resource) && isStruct(service)) {
    return [invalidValue(path, "", "cannot set both resource and service backends")];
  }
  if (isStruct(resource)) return validateTypedReference(resource, `${path}.resource`);
  if (!isStruct(service)) return [invalidValue(path, "", "resource or service backend is required")];
  const name = text(service.name);
  const at = `${path}.service.name`;
  const errors = name === "" ? [required(at)] : named(name, at, forgiven.serviceName);
  return [...errors, ...validateBackendPort(object(service.port), path)];
}

function validateBackendPort(port: Received<ServiceBackendPort>, path: string): FieldError[] {
  const [name, value] = [text(port.name), number(port.number)];
  if (name !== "" && value !== 0) return [invalidValue(path, "", "cannot set both port name & port number")];
  if (name !== "") return named(name, `${path}.service.port.name`, portNameErrors);
  if (value !== 0) return portNumber(value, `${path}.service.port.number`);
  return [required(path, "port name or number is required")];
}

function forgivenBy(old: Received<IngressSpec>): Forgiven {
  const rules = objects(old.rules);
  const wildcards = rules.filter((rule) => text(rule.host).includes("*"));
  return {
    secretNames: objects(old.tls).some((tls) => validateSecretName(tls, "").length > 0),
    wildcardRules: wildcards.some((rule) => validateHttp(rule, "", STRICT).length > 0),
    serviceName: serviceNames(old).some(isRelaxedName) ? dns1123LabelErrors : dns1035LabelErrors,
  };
}

function serviceNames(spec: Received<IngressSpec>): string[] {
  const backends = objects(spec.rules).flatMap((rule) =>
    objects(object(rule.http).paths).map(({ backend }) => backend),
  );
  return [spec.defaultBackend, ...backends].map((backend) => text(object(object(backend).service).name));
}

const isRelaxedName = (name: string): boolean =>
  dns1123LabelErrors(name).length === 0 && dns1035LabelErrors(name).length > 0;

export function validateIngressStatusUpdate(
  ingress: ReceivedObject<Ingress>,
  old: ReceivedObject<Ingress>,
): FieldError[] {
  const path = "status.loadBalancer.ingress";
  const points = (of: ReceivedObject<Ingress>) => objects(object(object(of.status).loadBalancer).ingress);
  const kept = new Set(points(old).map(({ ip }) => text(ip)));
  return points(ingress).flatMap(({ ip, hostname }, index) => [
    ...(text(ip) === "" ? [] : legacyIp(text(ip), `${path}[${index}].ip`, kept)),
    ...validateIngressHostname(text(hostname), `${path}[${index}].hostname`),
  ]);
}

/** Returns the warning about the deprecated annotation that names the class. */
export function ingressWarnings(ingress: ReceivedObject<Ingress>): string[] {
  if (ingress.metadata?.annotations?.[CLASS_ANNOTATION] === undefined) return [];
  return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
}
