import { append } from "../../../base/collections/append.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { ObjectMeta } from "../../../machinery/meta/object.js";
import {
  absent,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { formatQuantity, quantityValue } from "../../../machinery/text/quantity/quantity.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type {
  Affinity,
  PersistentVolumeClaimSpec,
  Pod,
  PodSpec,
  PodTemplateSpec,
  Volume,
} from "../../types/core/v1.js";
import type { Quantity } from "../../types/meta/v1.js";
import { quantity } from "../resources.js";
import { ipWarnings } from "../service/ip-fields.js";
import { overlappingPathWarnings } from "../volumes/volume-warnings.js";
import { type AnyContainer, eachContainer } from "./each-container.js";
import { deprecatedNodeLabel, nodeSelectorWarnings, nodeTermWarnings } from "./node-selector.js";
import { APP_ARMOR, SECCOMP_CONTAINER, SECCOMP_POD } from "./pod-annotations.js";

/** Returns kube-apiserver's warnings about a new pod. */
export function podWarnings(pod: ReceivedObject<Pod>): string[] {
  const wrong = dns1123LabelErrors(pod.metadata?.name ?? "");
  const why = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  const name = wrong.length > 0 ? [`metadata.name: ${why}: [${wrong.join(" ")}]`] : [];
  return [...name, ...warningsOf(object(pod.metadata), object(pod.spec), "")];
}

/** The warnings about the name of a workload, which becomes part of its pods' names. */
export function podNameWarnings(name: string): string[] {
  const wrong = dns1123LabelErrors(name);
  const why =
    "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return wrong.length > 0 ? [`metadata.name: ${why}: [${wrong.join(" ")}]`] : [];
}

/** Returns the warnings about a pod template. `path` is the template's. */
export function podTemplateWarnings(template: Received<PodTemplateSpec>, path: string): string[] {
  return warningsOf(object(template.metadata), object(template.spec), `${path}.`);
}

const DEPRECATED_ANNOTATIONS: readonly (readonly [key: string, message: string])[] = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function warningsOf(metadata: Received<ObjectMeta>, spec: Received<PodSpec>, prefix: string): string[] {
  const annotations = object(metadata.annotations);
  const warnings: string[] = [];
  const path = `${prefix}spec`;
  for (const key of Object.keys(object(spec.nodeSelector))) {
    const message = deprecatedNodeLabel(key);
    if (message !== undefined) warnings.push(`${path}.nodeSelector[${key}]: ${message}`);
  }
  if (!absent(spec.affinity)) append(warnings, nodeAffinityWarnings(object(spec.affinity), `${path}.affinity`));
  for (const [index, constraint] of objects(spec.topologySpreadConstraints).entries()) {
    const at = `${path}.topologySpreadConstraints[${index}]`;
    const key = text(constraint.topologyKey);
    const message = deprecatedNodeLabel(key);
    if (message !== undefined) warnings.push(`${at}.topologyKey: ${key} is ${message}`);
    if (absent(constraint.labelSelector)) warnings.push(`${at}.labelSelector: ${NULL_SELECTOR}`);
  }
  for (const [key, message] of DEPRECATED_ANNOTATIONS) {
    if (!absent(annotations[key])) warnings.push(`${prefix}metadata.annotations[${key}]: ${message}`);
  }
  append(warnings, volumeWarnings(spec, path), overlappingPathWarnings(objects(spec.volumes)));
  append(
    warnings,
    repeated(
      objects(spec.hostAliases).map(({ ip }) => text(ip)),
      "ip",
      `${path}.hostAliases`,
    ),
  );
  append(
    warnings,
    repeated(
      objects(spec.imagePullSecrets).map(({ name }) => text(name)),
      "name",
      `${path}.imagePullSecrets`,
    ),
  );
  for (const [index, secret] of objects(spec.imagePullSecrets).entries()) {
    if (text(secret.name) === "") warnings.push(`${path}.imagePullSecrets[${index}].name: invalid empty name ""`);
  }
  append(warnings, fractions(object(spec.overhead), `${path}.overhead`));
  if (absent(object(spec.securityContext).seccompProfile) && !absent(annotations[SECCOMP_POD])) {
    warnings.push(`${prefix}metadata.annotations[${SECCOMP_POD}]: ${USE_SECCOMP}`);
  }
  for (const [container, at] of eachContainer(spec, path)) {
    append(warnings, containerWarnings(container, spec, annotations, prefix, at));
  }
  append(warnings, portWarnings(spec, path));
  if (number(spec.terminationGracePeriodSeconds) < 0) {
    const why = "must be >= 0; negative values are invalid and will be treated as 1";
    warnings.push(`${path}.terminationGracePeriodSeconds: ${why}`);
  }
  if (!absent(spec.affinity)) append(warnings, podAffinityWarnings(object(spec.affinity), `${path}.affinity`));
  const servers = object(spec.dnsConfig).nameservers;
  for (const [index, server] of (Array.isArray(servers) ? servers : []).entries()) {
    append(warnings, ipWarnings(text(server), `${path}.dnsConfig.nameservers[${index}]`));
  }
  for (const [index, alias] of objects(spec.hostAliases).entries()) {
    append(warnings, ipWarnings(text(alias.ip), `${path}.hostAliases[${index}].ip`));
  }
  return warnings;
}

const NULL_SELECTOR = "a null labelSelector results in matching no pod";
const USE_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

function nodeAffinityWarnings(affinity: Received<Affinity>, path: string): string[] {
  const node = object(affinity.nodeAffinity);
  return [
    ...nodeSelectorWarnings(node[REQUIRED], `${path}.nodeAffinity.${REQUIRED}`),
    ...objects(node[PREFERRED]).flatMap(({ preference }, index) =>
      nodeTermWarnings(object(preference), `${path}.nodeAffinity.${PREFERRED}[${index}].preference`, true),
    ),
  ];
}

function podAffinityWarnings(affinity: Received<Affinity>, path: string): string[] {
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((field) => [
    ...objects(object(affinity[field])[REQUIRED]).flatMap(({ labelSelector }, index) =>
      absent(labelSelector) ? [`${path}.${field}.${REQUIRED}[${index}].labelSelector: ${NULL_SELECTOR}`] : [],
    ),
    ...objects(object(affinity[field])[PREFERRED]).flatMap(({ podAffinityTerm }, index) =>
      absent(object(podAffinityTerm).labelSelector)
        ? [`${path}.${field}.${PREFERRED}[${index}].podAffinityTerm.labelSelector: ${NULL_SELECTOR}`]
        : [],
    ),
  ]);
}

const DEPRECATED_VOLUMES: readonly (readonly [field: keyof Volume, message: string, shown?: string])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+", "storageOS"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["ephemeral", ""],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function volumeWarnings(spec: Received<PodSpec>, path: string): string[] {
  return objects(spec.volumes).flatMap((volume, index) =>
    DEPRECATED_VOLUMES.flatMap(([field, message, shown = field]) => {
      if (absent(volume[field])) return [];
      const at = `${path}.volumes[${index}].${shown}`;
      if (field !== "ephemeral") return [`${at}: ${message}`];
      const claim = object(object(object(volume.ephemeral).volumeClaimTemplate).spec);
      return claimSpecWarnings(claim, `${at}.volumeClaimTemplate.spec`);
    }),
  );
}

/** Returns the warnings about a claim's spec: storage should be a whole number of bytes. */
export function claimSpecWarnings(spec: Received<PersistentVolumeClaimSpec>, path: string): string[] {
  const resources = object(spec.resources);
  return (["requests", "limits"] as const).flatMap((kind) =>
    fraction(object(resources[kind]).storage, `${path}.resources.${kind}[storage]`),
  );
}

const NONE: readonly string[] = [];

function fraction(value: unknown, path: string): readonly string[] {
  if (absent(value)) return NONE;
  const parsed = quantity(value);
  if (parsed === undefined || parsed.scale >= 0 || quantityValue(parsed, -3) % 1000n === 0n) return NONE;
  return [`${path}: fractional byte value ${goQuote(formatQuantity(parsed))} is invalid, must be an integer`];
}

function fractions(
  amounts: Received<Record<string, Quantity>>,
  path: string,
  names = ["memory", "ephemeral-storage"],
): string[] {
  return names.flatMap((name) => fraction(amounts[name], `${path}[${name}]`));
}

function repeated(values: readonly string[], field: string, path: string): string[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [`${path}[${index}].${field}: duplicate ${field} ${goQuote(value)}`];
    seen.add(value);
    return [];
  });
}

function containerWarnings(
  container: Received<AnyContainer>,
  spec: Received<PodSpec>,
  annotations: Received<Record<string, string>>,
  prefix: string,
  path: string,
): string[] {
  const warnings: string[] = [];
  const context = object(container.securityContext);
  const seccomp = `${SECCOMP_CONTAINER}${text(container.name)}`;
  if (absent(context.seccompProfile) && !absent(annotations[seccomp])) {
    warnings.push(`${prefix}metadata.annotations[${seccomp}]: ${USE_SECCOMP}`);
  }
  const appArmor = `${APP_ARMOR}${text(container.name)}`;
  const podProfile = object(spec.securityContext).appArmorProfile;
  // Of a pod this is said where the annotation is written into the field.
  const template = prefix !== "";
  if (template && absent(context.appArmorProfile) && absent(podProfile) && !absent(annotations[appArmor])) {
    const why = 'deprecated since v1.30; use the "appArmorProfile" field instead';
    warnings.push(`${prefix}metadata.annotations[${appArmor}]: ${why}`);
  }
  const { limits, requests } = object(container.resources);
  if (!absent(limits) || !absent(requests)) {
    for (const name of ["memory", "ephemeral-storage"]) {
      append(warnings, fractions(object(limits), `${path}.resources.limits`, [name]));
      append(warnings, fractions(object(requests), `${path}.resources.requests`, [name]));
    }
  }
  const names = new Set<string>();
  for (const [index, variable] of objects(container.env).entries()) {
    const name = text(variable.name);
    const reference = `$(${name})`;
    const value = text(variable.value);
    const extended = absent(variable.valueFrom) && value !== reference && value.includes(reference);
    if (names.has(name) && !extended) {
      const why = `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`;
      warnings.push(`${path}.env[${index}]: ${why}`);
    }
    names.add(name);
  }
  return warnings;
}

/** Returns the warnings about the addresses in a pod's status. */
export function podStatusWarnings(pod: ReceivedObject<Pod>): string[] {
  const status = object(pod.status);
  return (["podIPs", "hostIPs"] as const).flatMap((field) =>
    objects(status[field]).flatMap(({ ip }, index) => ipWarnings(text(ip), `status.${field}[${index}].ip`)),
  );
}

interface Port {
  readonly path: string;
  readonly name: string;
  readonly key: string;
  readonly hostIP: string;
  readonly hostPort: number;
  readonly shown: string;
}

/** Ports of a pod that are there twice, or stand in each other's way. */
function portWarnings(spec: Received<PodSpec>, path: string): string[] {
  const ports = portsOf(spec, path);
  if (ports.length === 0) return [];
  const byKey = new Map<string, Port[]>();
  const warnings: string[] = [];
  for (const port of ports) {
    if (port.hostIP !== "" && port.hostPort === 0) {
      warnings.push(`${port.path}: hostIP set without hostPort: ${port.shown}`);
    }
    const others = byKey.get(port.key) ?? [];
    for (const other of others) {
      const problem = conflict(port, other);
      if (problem !== undefined) warnings.push(`${port.path}: ${problem} port definition with ${other.path}`);
    }
    byKey.set(port.key, [...others, port]);
  }
  return [...warnings, ...repeatedNames(ports)];
}

function portsOf(spec: Received<PodSpec>, path: string): Port[] {
  const all: Port[] = [];
  for (const [container, at] of eachContainer(spec, path)) {
    for (const [index, port] of objects(container.ports).entries()) {
      const [name, protocol, hostIP] = [text(port.name), text(port.protocol), text(port.hostIP)];
      const [hostPort, containerPort] = [number(port.hostPort), number(port.containerPort)];
      // As Go prints the struct.
      const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
      all.push({ path: `${at}.ports[${index}]`, name, key: `${containerPort}/${protocol}`, hostIP, hostPort, shown });
    }
  }
  return all;
}

function conflict(port: Port, other: Port): string | undefined {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort) return "duplicate";
  if (port.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const oneIsAny = (port.hostIP === "") !== (other.hostIP === "");
  return port.hostPort === other.hostPort && oneIsAny ? "dangerously ambiguous" : undefined;
}

function repeatedNames(ports: readonly Port[]): string[] {
  const named = new Map<string, string>();
  return ports.flatMap(({ name, path }) => {
    if (name === "") return [];
    const other = named.get(name);
    if (other !== undefined) {
      const use = `services and probes that select ports by name will use ${other}`;
      return [`${path}: duplicate port name ${goQuote(name)} with ${other}, ${use}`];
    }
    named.set(name, path);
    return [];
  });
}
