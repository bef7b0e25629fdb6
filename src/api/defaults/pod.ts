import {
  absent,
  child,
  children,
  ensureChild,
  type Fields,
  isFields,
  number,
  setDefault,
  text,
} from "../../machinery/meta/access.js";
import { formatQuantity } from "../../machinery/text/quantity/quantity.js";
import { aggregate } from "../validation/pod/pod-resources.js";
import { roundAmounts, roundContainerStatuses, roundResources } from "./amounts.js";
import { defaultFieldRef, defaultVolumes } from "./volumes.js";
import { pullPolicy } from "./image.js";
import { alignPodIps, dropInitContainerAnnotations } from "./old-names.js";

/**
 * Defaults of a pod spec wherever it stands, in a Pod or in a template. All functions in this folder change `draft` in
 * place, are idempotent, and treat null as absent.
 */
function defaultPodSpec(spec: Fields): void {
  setDefault(spec, "restartPolicy", "Always");
  setDefault(spec, "dnsPolicy", "ClusterFirst");
  setDefault(spec, "schedulerName", "default-scheduler");
  setDefault(spec, "terminationGracePeriodSeconds", 30);
  setDefault(spec, "securityContext", {});
  defaultServiceAccount(spec);
  defaultVolumes(spec);
  roundAmounts(child(spec, "overhead"));
  roundResources(spec);
  for (const container of allContainers(spec)) defaultContainer(container);
}

/** Sets the defaults that a Pod has and its template has not: requests from limits, ports of the host's network, service links. */
export function defaultPod(pod: Fields): void {
  const spec = ensureChild(pod, "spec");
  for (const container of [...children(spec, "containers"), ...children(spec, "initContainers")]) {
    defaultRequests(container);
    if (spec.hostNetwork === true) defaultHostPorts(container);
  }
  defaultPodResources(spec);
  setDefault(spec, "enableServiceLinks", true);
  if (number(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
  defaultPodSpec(spec);
  dropInitContainerAnnotations(pod);
  const status = child(pod, "status");
  if (status === undefined) return;
  alignPodIps(status);
  roundContainerStatuses(status);
}

/** A pod that limits itself as a whole asks for what its containers do, and else for its limits. */
function defaultPodResources(spec: Fields): void {
  const resources = child(spec, "resources");
  if (resources === undefined) return;
  const limits = { ...child(resources, "limits") };
  const requests = { ...child(resources, "requests") };
  const supported = (name: string) => name === "cpu" || name === "memory" || name.startsWith("hugepages-");
  if (Object.keys(limits).length + Object.keys(requests).length > 0) {
    for (const [name, sum] of aggregate(spec, "limits")) {
      if (name.startsWith("hugepages-") && absent(requests[name])) setDefault(limits, name, formatQuantity(sum));
    }
    if (Object.keys(limits).length > 0) resources.limits = limits;
  }
  if (Object.keys(limits).length === 0) return;
  for (const [name, sum] of aggregate(spec, "requests")) {
    if (name === "cpu" || name === "memory") setDefault(requests, name, formatQuantity(sum));
  }
  for (const [name, limit] of Object.entries(limits)) if (supported(name)) setDefault(requests, name, limit);
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

export function defaultTemplate(template: Fields | undefined): void {
  if (template === undefined) return;
  dropInitContainerAnnotations(template);
  const spec = child(template, "spec");
  if (spec !== undefined) defaultPodSpec(spec);
}

export function allContainers(spec: Fields): Fields[] {
  return ["containers", "initContainers", "ephemeralContainers"].flatMap((field) => children(spec, field));
}

/** `serviceAccount` is the old name of `serviceAccountName` and always shows the same. */
function defaultServiceAccount(spec: Fields): void {
  const account = text(spec.serviceAccountName) || text(spec.serviceAccount);
  if (account === "") return;
  spec.serviceAccountName = account;
  spec.serviceAccount = account;
}

function defaultContainer(container: Fields): void {
  if (text(container.imagePullPolicy) === "") container.imagePullPolicy = pullPolicy(text(container.image));
  if (text(container.terminationMessagePath) === "") container.terminationMessagePath = "/dev/termination-log";
  if (text(container.terminationMessagePolicy) === "") container.terminationMessagePolicy = "File";
  setDefault(container, "resources", {});
  roundResources(container);
  for (const port of children(container, "ports")) {
    if (text(port.protocol) === "") port.protocol = "TCP";
  }
  for (const variable of children(container, "env")) {
    const source = child(variable, "valueFrom");
    if (source !== undefined) defaultFieldRef(source);
  }
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    const value = child(container, probe);
    if (value !== undefined) defaultProbe(value);
  }
  const lifecycle = child(container, "lifecycle");
  for (const hook of ["postStart", "preStop"]) {
    const handler = lifecycle && child(lifecycle, hook);
    if (handler !== undefined) defaultHandler(handler);
  }
}

function defaultProbe(probe: Fields): void {
  for (const [field, value] of PROBE_DEFAULTS) {
    if (absent(probe[field]) || probe[field] === 0) probe[field] = value;
  }
  defaultHandler(probe);
}

const PROBE_DEFAULTS: readonly (readonly [string, number])[] = [
  ["timeoutSeconds", 1],
  ["periodSeconds", 10],
  ["successThreshold", 1],
  ["failureThreshold", 3],
];

function defaultHandler(handler: Fields): void {
  const http = child(handler, "httpGet");
  if (http !== undefined) {
    if (text(http.path) === "") http.path = "/";
    if (text(http.scheme) === "") http.scheme = "HTTP";
  }
  const grpc = child(handler, "grpc");
  if (grpc !== undefined) setDefault(grpc, "service", "");
}

/** A resource that is limited but not requested is requested up to its limit. */
function defaultRequests(container: Fields): void {
  const resources = child(container, "resources");
  const limits = resources && child(resources, "limits");
  if (resources === undefined || limits === undefined) return;
  const requests = isFields(resources.requests) ? resources.requests : {};
  for (const [resource, limit] of Object.entries(limits)) {
    if (!Object.hasOwn(requests, resource)) requests[resource] = limit;
  }
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function defaultHostPorts(container: Fields): void {
  for (const port of children(container, "ports")) {
    if (absent(port.hostPort) || port.hostPort === 0) port.hostPort = port.containerPort;
  }
}
