import {
  duplicate,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
  tooMany,
} from "../../../machinery/errors/field-error.js";
import {
  type FieldsOf,
  absent,
  list,
  object,
  objects,
  type Received,
  text,
  number,
} from "../../../machinery/meta/received.js";
import { dns1123LabelErrors, portNameErrors } from "../../../machinery/validation/names.js";
import type {
  VolumeMount,
  Container,
  ContainerResizePolicy,
  EphemeralContainer,
  PodSpec,
  ContainerPort,
} from "../../types/core/v1.js";
import { checkAbsent, checkOneOf, checkRequired, checkRequiredOneOf, type Errors, checkRange } from "../collect.js";
import { validateResources } from "../resources.js";
import { validateVolumeDevices, validateVolumeMounts } from "../volumes/container-mounts.js";
import type { Volumes } from "../volumes/volumes.js";
import { validateEnv, validateEnvFrom } from "./container-env.js";
import { validateLifecycle, validateProbe } from "./handlers.js";
import type { PodValidationOptions } from "./pod-options.js";
import { validateSecurityContext } from "./security-context.js";

/** The facts about a pod that the validation of each of its containers uses. */
export interface ContainerContext {
  readonly spec: Received<PodSpec>;
  readonly volumes: Volumes;
  readonly claims: ReadonlySet<string>;
  readonly gracePeriod: number | undefined;
  readonly hostUsers: boolean;
  readonly options: PodValidationOptions;
}

export function validateContainers(context: ContainerContext, path: string, errors: Errors): void {
  const containers = objects(context.spec.containers);
  if (containers.length === 0) {
    errors.push(required(path));
    return;
  }
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`;
    validateCommon(container, context, at, errors);
    const name = text(container.name);
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    validateHooks(container, context, at, errors);
    validateRestartRules(container, at, false, errors);
  }
  checkHostPortConflicts(containers, path, errors);
}

const NOT_A_SIDECAR = "may not be set for init containers without restartPolicy=Always";

/** Validates init containers; one that always restarts is a sidecar. */
export function validateInitContainers(context: ContainerContext, path: string, errors: Errors): void {
  const { spec, options } = context;
  const names = new Set(objects(spec.containers).map(({ name }) => text(name)));
  for (const [index, container] of objects(spec.initContainers).entries()) {
    const at = `${path}[${index}]`;
    validateCommon(container, context, at, errors);
    validateRestartRules(container, at, true, errors);
    const name = text(container.name);
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else if (name !== "") names.add(name);
    // Upstream looks at one container at a time, so the index in the path is 0.
    checkHostPortConflicts([container], path, errors);
    const sidecar = isSidecar(container);
    if (sidecar) validateHooks(container, context, at, errors);
    else {
      for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
        checkAbsent(container[field], `${at}.${field}`, NOT_A_SIDECAR, errors);
      }
      if (!options.allowRestartingInitContainers) checkResizeRestarts(container, at, errors);
    }
  }
}

const isSidecar = (container: Received<Container>): boolean => container.restartPolicy === "Always";

function checkResizeRestarts(container: Received<Container>, path: string, errors: Errors): void {
  for (const [index, { restartPolicy }] of objects(container.resizePolicy).entries()) {
    if (restartPolicy !== "RestartContainer") continue;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    errors.push(invalidValue(`${path}.resizePolicy[${index}].restartPolicy`, restartPolicy, detail));
  }
}

const NOT_FOR_EPHEMERAL = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

export function validateEphemeralContainers(context: ContainerContext, path: string, errors: Errors): void {
  const { spec } = context;
  const others = new Set([...objects(spec.containers), ...objects(spec.initContainers)].map(({ name }) => text(name)));
  const names = new Set(others);
  for (const [index, container] of objects(spec.ephemeralContainers).entries()) {
    const at = `${path}[${index}]`;
    validateCommon(container, context, at, errors);
    checkImageSpaces(container, at, errors);
    const [name, target] = [text(container.name), text(container.targetContainerName)];
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    if (target !== "" && !others.has(target)) errors.push(notFoundValue(`${at}.targetContainerName`, target));
    for (const field of NOT_FOR_EPHEMERAL) {
      if (!isZero(field, container[field])) {
        errors.push(forbiddenField(`${at}.${field}`, "cannot be set for an Ephemeral Container"));
      }
    }
    for (const [mount, { subPath, subPathExpr }] of objects(container.volumeMounts).entries()) {
      for (const [field, value] of Object.entries({ subPath, subPathExpr } satisfies FieldsOf<VolumeMount>)) {
        if (text(value) === "") continue;
        const detail = "cannot be set for an Ephemeral Container";
        errors.push(forbiddenField(`${at}.volumeMounts[${mount}].${field}`, detail));
      }
    }
  }
}

/** Resources are a value there, lists may be empty, and the others are set when they are there. */
function isZero(field: string, value: unknown): boolean {
  if (absent(value)) return true;
  const mayBeEmpty = Array.isArray(value) || field === "resources";
  return mayBeEmpty && Object.keys(value).length === 0;
}

export function checkImageSpaces(
  container: Received<Container | EphemeralContainer>,
  path: string,
  errors: Errors,
): void {
  const image = text(container.image);
  if (image.trim() !== image) {
    errors.push(invalidValue(`${path}.image`, image, "must not have leading or trailing whitespace"));
  }
}

const MESSAGE_POLICIES = ["File", "FallbackToLogsOnError"];
const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];

function validateCommon(
  container: Received<Container | EphemeralContainer>,
  context: ContainerContext,
  path: string,
  errors: Errors,
): void {
  const { volumes, claims, spec, options } = context;
  checkRequired(text(container.name), `${path}.name`, dns1123LabelErrors, errors);
  if (text(container.image) === "") errors.push(required(`${path}.image`));
  checkRequiredOneOf(container.terminationMessagePolicy, `${path}.terminationMessagePolicy`, MESSAGE_POLICIES, errors);
  validateContainerPorts(objects(container.ports), `${path}.ports`, errors);
  validateEnv(objects(container.env), `${path}.env`, errors);
  validateEnvFrom(objects(container.envFrom), `${path}.envFrom`, errors);
  validateVolumeMounts(container, volumes, `${path}.volumeMounts`, errors);
  validateVolumeDevices(container, volumes, `${path}.volumeDevices`, errors);
  checkRequiredOneOf(container.imagePullPolicy, `${path}.imagePullPolicy`, PULL_POLICIES, errors);
  validateResources(object(container.resources), claims, `${path}.resources`, options, errors);
  validateResizePolicy(objects(container.resizePolicy), spec.restartPolicy, `${path}.resizePolicy`, errors);
  if (!absent(container.securityContext)) {
    validateSecurityContext(
      object(container.securityContext),
      context.hostUsers,
      `${path}.securityContext`,
      context.options,
      errors,
    );
  }
}

function validateHooks(container: Received<Container>, context: ContainerContext, path: string, errors: Errors): void {
  const { gracePeriod, spec } = context;
  if (!absent(container.lifecycle)) {
    validateLifecycle(object(container.lifecycle), gracePeriod, object(spec.os).name, `${path}.lifecycle`, errors);
  }
  for (const kind of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    if (!absent(container[kind])) validateProbe(object(container[kind]), kind, `${path}.${kind}`, errors);
  }
}

/** Errors stand at the whole list, as upstream has them. */
function validateResizePolicy(
  policies: readonly Received<ContainerResizePolicy>[],
  podRestartPolicy: unknown,
  path: string,
  errors: Errors,
): void {
  const seen = new Set<unknown>();
  for (const [index, { resourceName, restartPolicy }] of policies.entries()) {
    if (seen.has(resourceName)) errors.push(duplicate(`${path}[${index}]`, resourceName));
    seen.add(resourceName);
    checkRequiredOneOf(resourceName, path, ["cpu", "memory"], errors);
    checkRequiredOneOf(restartPolicy, path, ["NotRequired", "RestartContainer"], errors);
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      errors.push(invalidValue(path, text(restartPolicy), detail));
    }
  }
}

/** A container's own restart policy, and the exit codes that change it. */
function validateRestartRules(container: Received<Container>, path: string, init: boolean, errors: Errors): void {
  const rules = objects(container.restartPolicyRules);
  if (absent(container.restartPolicy)) {
    if (rules.length === 0) return;
    errors.push(required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used"));
    if (init) return;
  }
  checkOneOf(container.restartPolicy, `${path}.restartPolicy`, ["Always", "Never", "OnFailure"], errors);
  if (rules.length > 20) errors.push(tooMany(`${path}.restartPolicyRules`, rules.length, 20));
  for (const [index, rule] of rules.entries()) {
    const at = `${path}.restartPolicyRules[${index}]`;
    const actions = ["Restart", "RestartAllContainers"];
    if (!actions.includes(text(rule.action))) errors.push(notSupported(`${at}.action`, text(rule.action), actions));
    if (absent(rule.exitCodes)) {
      errors.push(required(`${at}.exitCodes`, "must be specified"));
      continue;
    }
    const { operator, values } = object(rule.exitCodes);
    if (operator !== "In" && operator !== "NotIn") {
      errors.push(notSupported(`${at}.exitCodes.operator`, text(operator), ["In", "NotIn"]));
    }
    if (list(values).length > 255) errors.push(tooMany(`${at}.exitCodes.values`, list(values).length, 255));
  }
}

function validateContainerPorts(ports: readonly Received<ContainerPort>[], path: string, errors: Errors): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const name = text(port.name);
    if (name !== "") {
      const wrong = portNameErrors(name);
      for (const message of wrong) errors.push(invalidValue(`${at}.name`, name, message));
      if (wrong.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name));
      if (wrong.length === 0) names.add(name);
    }
    if (number(port.containerPort) === 0) errors.push(required(`${at}.containerPort`));
    else checkRange(port.containerPort, `${at}.containerPort`, 1, 65535, errors);
    if (number(port.hostPort) !== 0) checkRange(port.hostPort, `${at}.hostPort`, 1, 65535, errors);
    checkRequiredOneOf(port.protocol, `${at}.protocol`, ["SCTP", "TCP", "UDP"], errors);
  }
}

/** Two ports of the containers that would be one port of the host. */
function checkHostPortConflicts(containers: readonly Received<Container>[], path: string, errors: Errors): void {
  const taken = new Set<string>();
  for (const [container, { ports }] of containers.entries()) {
    for (const [index, port] of objects(ports).entries()) {
      if (number(port.hostPort) === 0) continue;
      const key = `${text(port.protocol)}/${text(port.hostIP)}/${number(port.hostPort)}`;
      if (taken.has(key)) errors.push(duplicate(`${path}[${container}].ports[${index}].hostPort`, key));
      taken.add(key);
    }
  }
}
