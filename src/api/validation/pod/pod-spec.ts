import { append } from "../../../base/collections/append.js";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
  tooLong,
} from "../../../machinery/errors/field-error.js";
import type { ObjectMeta } from "../../../machinery/meta/object.js";
import { absent, number, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import { validateAnnotations, validateLabels } from "../../../machinery/validation/labels.js";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../machinery/validation/names.js";
import type { PodResourceClaim, PodSpec, PodTemplateSpec } from "../../types/core/v1.js";
import { check, checkOneOf, checkRange, checkRequiredOneOf, type Errors } from "../collect.js";
import { goJson } from "../go-shapes.js";
import { validateResources } from "../resources.js";
import { validateVolumes } from "../volumes/volumes.js";
import { validateAffinity } from "./affinity.js";
import {
  type ContainerContext,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from "./containers.js";
import { eachContainer } from "./each-container.js";
import { checkProfilesMatch, MIRROR, validatePodAnnotations } from "./pod-annotations.js";
import { validateDnsConfig, validateHostAliases } from "./pod-dns.js";
import { validateDeclared } from "../declarative/validate-declared.js";
import { podResponderRules } from "../lifecycle/eviction-rules.js";
import type { PodValidationOptions } from "./pod-options.js";
import { checkOperatingSystem, validateHostProcesses } from "./pod-os.js";
import { validatePodResources } from "./pod-resources.js";
import { validatePodSecurityContext } from "./security-context.js";
import { validateTolerations } from "./tolerations.js";
import { validateTopologySpread } from "./topology-spread.js";

/** Validates a pod template in any kind. `path` is the template's. */
export function validatePodTemplate(
  template: Received<PodTemplateSpec>,
  path: string,
  options: PodValidationOptions,
): FieldError[] {
  const errors: Errors = [];
  const spec = object(template.spec);
  const annotations = object(object(template.metadata).annotations);
  checkTemplateMetadata(template, path, options, errors);
  validatePodSpec(spec, undefined, `${path}.spec`, options, errors);
  checkProfilesMatch(annotations, spec, `${path}.spec`, errors);
  if (objects(spec.ephemeralContainers).length > 0) {
    const detail = "ephemeral containers not allowed in pod template";
    errors.push(forbiddenField(`${path}.spec.ephemeralContainers`, detail));
  }
  return errors;
}

/** Validates the labels and annotations of a template; their paths leave out "metadata", as upstream's do. */
export function checkTemplateMetadata(
  template: Received<PodTemplateSpec>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const metadata = object(template.metadata);
  const annotations = object(metadata.annotations);
  append(
    errors,
    validateLabels(metadata.labels, `${path}.labels`),
    validateAnnotations(annotations, `${path}.annotations`),
  );
  validatePodAnnotations(annotations, object(template.spec), `${path}.annotations`, options, errors);
}

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];
const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** Validates a pod's spec. `metadata` is the pod's, undefined for a template. */
export function validatePodSpec(
  spec: Received<PodSpec>,
  metadata: ObjectMeta | undefined,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const gracePeriod = spec.terminationGracePeriodSeconds;
  if (absent(gracePeriod)) errors.push(required(`${path}.terminationGracePeriodSeconds`));
  const volumes = validateVolumes(objects(spec.volumes), metadata, `${path}.volumes`, options, errors);
  const claims = validateResourceClaims(objects(spec.resourceClaims), metadata, `${path}.resourceClaims`, errors);
  const context: ContainerContext = {
    spec,
    volumes,
    claims,
    gracePeriod: absent(gracePeriod) ? undefined : number(gracePeriod),
    hostUsers: spec.hostUsers !== false,
    options,
  };
  validateContainers(context, `${path}.containers`, errors);
  validateInitContainers(context, `${path}.initContainers`, errors);
  validateEphemeralContainers(context, `${path}.ephemeralContainers`, errors);
  validatePodResources(spec, claims, path, options, errors);
  checkHostNetworkPorts(spec, path, options, errors);
  checkRequiredOneOf(spec.restartPolicy, `${path}.restartPolicy`, RESTART_POLICIES, errors);
  checkRequiredOneOf(spec.dnsPolicy, `${path}.dnsPolicy`, DNS_POLICIES, errors);
  if (!absent(spec.nodeSelector)) {
    append(errors, validateLabels(spec.nodeSelector, `${path}.nodeSelector`));
  }
  const security = object(spec.securityContext);
  validatePodSecurityContext(security, spec, `${path}.securityContext`, options, errors);
  validateAffinity(object(spec.affinity), `${path}.affinity`, options, errors);
  validateDnsConfig(spec, `${path}.dnsConfig`, errors);
  checkGates(spec, path, errors);
  validateTopologySpread(objects(spec.topologySpreadConstraints), `${path}.topologySpreadConstraints`, options, errors);
  validateHostProcesses(spec, path, errors);
  if (spec.hostUsers === false) checkUserNamespace(spec, path, options, errors);
  if (!absent(spec.hostnameOverride)) checkHostnameOverride(spec, `${path}.hostnameOverride`, errors);
  checkNames(spec, path, errors);
  validateTolerations(objects(spec.tolerations), `${path}.tolerations`, options, errors);
  validateHostAliases(objects(spec.hostAliases), `${path}.hostAliases`, errors);
  checkClasses(spec, path, errors);
  if (!absent(spec.overhead)) {
    validateResources({ limits: spec.overhead }, NO_CLAIMS, `${path}.overhead`, options, errors);
  }
  if (!absent(spec.os)) validateOs(spec, path, errors);
  checkFileKeys(spec, path, errors);
  append(errors, validateDeclared(podResponderRules, spec, undefined, path, { isUpdate: false }));
}

const NO_CLAIMS: ReadonlySet<string> = new Set();

function validateResourceClaims(
  claims: readonly Received<PodResourceClaim>[],
  metadata: ObjectMeta | undefined,
  path: string,
  errors: Errors,
): ReadonlySet<string> {
  if (claims.length === 0) return NO_CLAIMS;
  const all = new Set(claims.map(({ name }) => text(name)).filter((name) => name !== ""));
  const seen = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    if (metadata?.annotations?.[MIRROR] !== undefined) {
      errors.push(forbiddenField("", "static pods do not support resource claims"));
      continue;
    }
    const at = `${path}[${index}]`;
    const name = text(claim.name);
    if (name === "") errors.push(required(`${at}.name`));
    else if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    else check(name, `${at}.name`, dns1123LabelErrors, errors);
    seen.add(name);
    checkClaimSource(claim, at, errors);
  }
  return all;
}

const CLAIM_SOURCES = ["resourceClaimName", "resourceClaimTemplateName"] as const;

function checkClaimSource(claim: Received<PodResourceClaim>, path: string, errors: Errors): void {
  const given = CLAIM_SOURCES.filter((field) => !absent(claim[field]));
  if (given.length !== 1) {
    const detail =
      given.length > 1
        ? "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        : "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
    errors.push(invalidValue(path, goJson("PodResourceClaim", claim), detail));
  }
  for (const field of given) check(text(claim[field]), `${path}.${field}`, dns1123SubdomainErrors, errors);
}

/** On the host's network a port is the host's own. */
function checkHostNetworkPorts(
  spec: Received<PodSpec>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  if (spec.hostNetwork !== true) return;
  for (const [index, container] of objects(spec.containers).entries()) {
    for (const [at, { hostPort = 0, containerPort = 0 }] of objects(container.ports).entries()) {
      if (hostPort === containerPort || (hostPort === 0 && !options.resourceIsPod)) continue;
      const detail = "must match `containerPort` when `hostNetwork` is true";
      errors.push(invalidValue(`${path}.containers[${index}].ports[${at}].hostPort`, hostPort, detail));
    }
  }
}

function checkGates(spec: Received<PodSpec>, path: string, errors: Errors): void {
  for (const [index, { conditionType }] of objects(spec.readinessGates).entries()) {
    check(text(conditionType), `${path}.readinessGates[${index}].conditionType`, qualifiedNameErrors, errors);
  }
  const seen = new Set<string>();
  for (const [index, gate] of objects(spec.schedulingGates).entries()) {
    const name = text(gate.name);
    const at = `${path}.schedulingGates[${index}]`;
    check(name, at, qualifiedNameErrors, errors);
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
  }
}

/** Without the host's users a pod has none of the host's other namespaces. Two of the fields are named as in Go. */
function checkUserNamespace(
  spec: Received<PodSpec>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const detail = "when `hostUsers` is false";
  if (spec.hostNetwork === true && !options.allowHostNetworkWithUserNamespace) {
    errors.push(forbiddenField(`${path}.hostNetwork`, detail));
  }
  if (spec.hostPID === true) errors.push(forbiddenField(`${path}.HostPID`, detail));
  if (spec.hostIPC === true) errors.push(forbiddenField(`${path}.HostIPC`, detail));
  if (options.allowDevicesWithUserNamespace) return;
  for (const [container, at] of eachContainer(spec, path)) {
    if (objects(container.volumeDevices).length > 0) errors.push(forbiddenField(`${at}.volumeDevices`, detail));
  }
}

function checkHostnameOverride(spec: Received<PodSpec>, path: string, errors: Errors): void {
  const name = text(spec.hostnameOverride);
  if (spec.setHostnameAsFQDN === true) {
    errors.push(forbiddenField(path, "may not be specified when setHostnameAsFQDN is true"));
  }
  if (spec.hostNetwork === true) errors.push(forbiddenField(path, "may not be specified when hostNetwork is true"));
  if (Buffer.byteLength(name) > 64) errors.push(tooLong(path, 64));
  check(name, path, dns1123SubdomainErrors, errors);
}

function checkNames(spec: Received<PodSpec>, path: string, errors: Errors): void {
  for (const field of ["serviceAccountName", "nodeName"] as const) {
    if (text(spec[field]) !== "") check(text(spec[field]), `${path}.${field}`, dns1123SubdomainErrors, errors);
  }
  checkRange(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`, 1, 2 ** 31 - 1, errors);
  for (const field of ["hostname", "subdomain"] as const) {
    if (text(spec[field]) !== "") check(text(spec[field]), `${path}.${field}`, dns1123LabelErrors, errors);
  }
}

function checkClasses(spec: Received<PodSpec>, path: string, errors: Errors): void {
  const priority = text(spec.priorityClassName);
  if (priority !== "") check(priority, `${path}.priorityClassName`, dns1123SubdomainErrors, errors);
  if (!absent(spec.runtimeClassName)) {
    check(text(spec.runtimeClassName), `${path}.runtimeClassName`, dns1123SubdomainErrors, errors);
  }
  const policy: string | null | undefined = spec.preemptionPolicy;
  if (policy === "") errors.push(required(`${path}.preemptionPolicy`));
  else checkOneOf(policy, `${path}.preemptionPolicy`, ["PreemptLowerPriority", "Never"], errors);
}

function validateOs(spec: Received<PodSpec>, path: string, errors: Errors): void {
  const name = text(object(spec.os).name);
  if (name === "") errors.push(required(`${path}.os.name`));
  else if (name !== "linux" && name !== "windows") {
    errors.push(notSupported(`${path}.os`, name, ["linux", "windows"]));
  } else checkOperatingSystem(spec, path, errors);
}

/** Files of variables are in an emptyDir. */
function checkFileKeys(spec: Received<PodSpec>, path: string, errors: Errors): void {
  for (const [container, at] of eachContainer(spec, path)) {
    for (const [index, { valueFrom }] of objects(container.env).entries()) {
      const reference = object(valueFrom).fileKeyRef;
      if (absent(reference)) continue;
      const name = text(object(reference).volumeName);
      const volume = objects(spec.volumes).findLast((one) => text(one.name) === name);
      const field = `${at}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      if (volume === undefined) errors.push(notFoundValue(field, name));
      else if (absent(volume.emptyDir)) {
        errors.push(invalidValue(field, name, "referenced volume must be of type emptyDir"));
      }
    }
  }
}
