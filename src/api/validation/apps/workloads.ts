import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
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
import { selectorFromSet } from "../../../machinery/selectors/label-selector.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { ServerGates, ServerTraits } from "../../gates/feature-gates.js";
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  Deployment,
  DeploymentSpec,
  DeploymentStrategy,
  ReplicaSet,
  ReplicaSetSpec,
  StatefulSet,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from "../../types/apps/v1.js";
import type {
  PersistentVolumeClaim,
  PodTemplate,
  PodTemplateSpec,
  ReplicationController,
  ReplicationControllerSpec,
  Volume,
} from "../../types/core/v1.js";
import type { LabelSelector } from "../../types/meta/v1.js";
import { check, checkNonNegative, type Errors } from "../collect.js";
import { goJson } from "../go-shapes.js";
import { hasInvalidValue, checkSelector } from "../label-selector.js";
import { newTemplate, optionsOfChange, type PodValidationOptions } from "../pod/pod-options.js";
import { checkTemplateMetadata, validatePodTemplate } from "../pod/pod-spec.js";
import { immutable, sameValue } from "../rules.js";
import { checkRunsForever, checkSelects, isEmptySelector, parsedSelector } from "../selected-template.js";
import { validateClaimSpec } from "../volumes/claim-spec.js";
import { checkAtMostWhole, checkIntOrPercent, intOrPercent } from "./rolling-update.js";

export function validateDeployment(deployment: ReceivedObject<Deployment>, server: ServerTraits): FieldError[] {
  return deploymentErrors(object(deployment.spec), newTemplate(server));
}

export function validateDeploymentUpdate(
  deployment: ReceivedObject<Deployment>,
  old: ReceivedObject<Deployment>,
  server: ServerTraits,
): FieldError[] {
  return [
    ...deploymentErrors(object(deployment.spec), templateOptions(old, server)),
    ...selectorChange(deployment, old),
  ];
}

function deploymentErrors(spec: Received<DeploymentSpec>, options: PodValidationOptions): FieldError[] {
  const errors: Errors = [];
  checkNonNegative(spec.replicas, "spec.replicas", errors);
  checkSelectorAndTemplate(spec, options, errors);
  checkDeploymentStrategy(object(spec.strategy), "spec.strategy", errors);
  checkNonNegative(spec.minReadySeconds, "spec.minReadySeconds", errors);
  checkNonNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit", errors);
  const deadline = spec.progressDeadlineSeconds;
  checkNonNegative(deadline, "spec.progressDeadlineSeconds", errors);
  if (!absent(deadline) && number(deadline) <= number(spec.minReadySeconds)) {
    errors.push(invalidValue("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  }
  return errors;
}

/** Deployments and replica sets, whose errors call both a deployment. */
function checkSelectorAndTemplate(
  spec: Received<DeploymentSpec | ReplicaSetSpec>,
  options: PodValidationOptions,
  errors: Errors,
): void {
  checkWorkloadSelector(spec.selector, "deployment", errors);
  const selector = parsedSelector(spec.selector);
  if (selector === undefined) {
    errors.push(invalidValue("spec.selector", spec.selector, "invalid label selector"));
    return;
  }
  const template = object(spec.template);
  checkSelects(selector, template, "spec.template", errors);
  append(errors, validatePodTemplate(template, "spec.template", options));
  checkRunsForever(template, "ReplicaSet", "spec.template", errors);
}

function checkWorkloadSelector(
  selector: Received<LabelSelector> | null | undefined,
  kind: string,
  errors: Errors,
): void {
  if (!isStruct(selector)) {
    errors.push(required("spec.selector"));
    return;
  }
  checkSelector(selector, "spec.selector", false, errors);
  if (isEmptySelector(selector)) {
    errors.push(invalidValue("spec.selector", selector, `empty selector is invalid for ${kind}`));
  }
}

function checkDeploymentStrategy(strategy: Received<DeploymentStrategy>, path: string, errors: Errors): void {
  if (strategy.type === "Recreate") {
    if (!absent(strategy.rollingUpdate)) {
      const detail = "may not be specified when strategy `type` is 'Recreate'";
      errors.push(forbiddenField(`${path}.rollingUpdate`, detail));
    }
  } else if (strategy.type === "RollingUpdate") {
    const { maxUnavailable, maxSurge } = object(strategy.rollingUpdate);
    const at = `${path}.rollingUpdate`;
    checkIntOrPercent(maxUnavailable, `${at}.maxUnavailable`, errors);
    checkIntOrPercent(maxSurge, `${at}.maxSurge`, errors);
    if (intOrPercent(maxUnavailable) === 0 && intOrPercent(maxSurge) === 0) {
      errors.push(invalidValue(`${at}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
    }
    checkAtMostWhole(maxUnavailable, `${at}.maxUnavailable`, errors);
  } else errors.push(notSupported(path, goJson("DeploymentStrategy", strategy), ["Recreate", "RollingUpdate"]));
}

/** What makes pods of a template. */
type Templated = DaemonSet | Deployment | ReplicaSet | ReplicationController | StatefulSet;

function templateOptions(old: ReceivedObject<Templated>, server: ServerTraits): PodValidationOptions {
  return optionsOfChange(object(object(old.spec).template), false, server);
}

function selectorChange(
  workload: ReceivedObject<DaemonSet | Deployment | ReplicaSet>,
  old: ReceivedObject<DaemonSet | Deployment | ReplicaSet>,
): FieldError[] {
  return immutable(object(workload.spec).selector, object(old.spec).selector, "spec.selector");
}

export function validateReplicaSet(set: ReceivedObject<ReplicaSet>, server: ServerTraits): FieldError[] {
  return replicaSetErrors(object(set.spec), newTemplate(server));
}

export function validateReplicaSetUpdate(
  set: ReceivedObject<ReplicaSet>,
  old: ReceivedObject<ReplicaSet>,
  server: ServerTraits,
): FieldError[] {
  return [...replicaSetErrors(object(set.spec), templateOptions(old, server)), ...selectorChange(set, old)];
}

function replicaSetErrors(spec: Received<ReplicaSetSpec>, options: PodValidationOptions): FieldError[] {
  const errors: Errors = [];
  checkNonNegative(spec.replicas, "spec.replicas", errors);
  checkNonNegative(spec.minReadySeconds, "spec.minReadySeconds", errors);
  checkSelectorAndTemplate(spec, options, errors);
  return errors;
}

export function validateDaemonSet(set: ReceivedObject<DaemonSet>, server: ServerTraits): FieldError[] {
  return daemonSetErrors(object(set.spec), newTemplate(server));
}

export function validateDaemonSetUpdate(
  set: ReceivedObject<DaemonSet>,
  old: ReceivedObject<DaemonSet>,
  server: ServerTraits,
): FieldError[] {
  const options = templateOptions(old, server);
  const allowInvalidSelectorValue = options.allowInvalidSelectorValue || hasInvalidValue(object(old.spec).selector);
  return [...selectorChange(set, old), ...daemonSetErrors(object(set.spec), { ...options, allowInvalidSelectorValue })];
}

function daemonSetErrors(spec: Received<DaemonSetSpec>, options: PodValidationOptions): FieldError[] {
  const errors: Errors = [];
  const template = object(spec.template);
  checkSelector(spec.selector, "spec.selector", options.allowInvalidSelectorValue, errors);
  const selector = parsedSelector(spec.selector);
  if (selector !== undefined) checkSelects(selector, template, "spec.template", errors);
  if (isStruct(spec.selector) && isEmptySelector(spec.selector)) {
    errors.push(invalidValue("spec.selector", spec.selector, "empty selector is invalid for daemonset"));
  }
  append(errors, validatePodTemplate(template, "spec.template", options));
  checkRunsForever(template, "DaemonSet", "spec.template", errors);
  checkNonNegative(spec.minReadySeconds, "spec.minReadySeconds", errors);
  checkDaemonSetStrategy(object(spec.updateStrategy), "spec.updateStrategy", errors);
  checkNonNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit", errors);
  return errors;
}

function checkDaemonSetStrategy(strategy: Received<DaemonSetUpdateStrategy>, path: string, errors: Errors): void {
  if (strategy.type === "OnDelete") return;
  if (strategy.type !== "RollingUpdate") {
    errors.push(notSupported(path, goJson("DaemonSetUpdateStrategy", strategy), ["RollingUpdate", "OnDelete"]));
    return;
  }
  const at = `${path}.rollingUpdate`;
  if (absent(strategy.rollingUpdate)) {
    errors.push(required(at));
    return;
  }
  const { maxUnavailable, maxSurge } = object(strategy.rollingUpdate);
  checkIntOrPercent(maxUnavailable, `${at}.maxUnavailable`, errors);
  checkIntOrPercent(maxSurge, `${at}.maxSurge`, errors);
  checkAtMostWhole(maxUnavailable, `${at}.maxUnavailable`, errors);
  checkAtMostWhole(maxSurge, `${at}.maxSurge`, errors);
  const [unavailable, surge] = [intOrPercent(maxUnavailable) !== 0, intOrPercent(maxSurge) !== 0];
  if (unavailable && surge) {
    errors.push(invalidValue(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"));
  }
  if (!unavailable && !surge) errors.push(required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
}

/** What is let pass of a stateful set that exists: what cannot be changed any more. */
interface StatefulSetOptions extends ServerTraits {
  readonly skipTemplate: boolean;
  readonly exists: boolean;
}

export function validateStatefulSet(set: ReceivedObject<StatefulSet>, server: ServerTraits): FieldError[] {
  return statefulSetErrors(object(set.spec), newTemplate(server), { skipTemplate: false, exists: false, ...server });
}

const STATEFUL_SET_MUTABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

export function validateStatefulSetUpdate(
  set: ReceivedObject<StatefulSet>,
  old: ReceivedObject<StatefulSet>,
  server: ServerTraits,
): FieldError[] {
  const [spec, before] = [object(set.spec), object(old.spec)];
  const options = templateOptions(old, server);
  const skipTemplate = statefulSetErrors(before, options, { skipTemplate: false, exists: true, ...server }).length > 0;
  const errors = statefulSetErrors(spec, options, { skipTemplate, exists: true, ...server });
  const kept = (fields: Received<StatefulSetSpec>) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !STATEFUL_SET_MUTABLE.includes(field)));
  if (sameValue(kept(spec), kept(before))) return errors;
  const names = STATEFUL_SET_MUTABLE.map((field) => `'${field}'`);
  const fields = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  const detail = `updates to statefulset spec for fields other than ${fields} are forbidden`;
  return [...errors, forbiddenField("spec", detail)];
}

function statefulSetErrors(
  spec: Received<StatefulSetSpec>,
  options: PodValidationOptions,
  { skipTemplate, exists, gates }: StatefulSetOptions,
): FieldError[] {
  const errors: Errors = [];
  const management = text(spec.podManagementPolicy);
  if (management === "") errors.push(required("spec.podManagementPolicy"));
  else if (management !== "OrderedReady" && management !== "Parallel") {
    errors.push(invalidValue("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'"));
  }
  checkStatefulSetStrategy(object(spec.updateStrategy), "spec.updateStrategy", gates, errors);
  const retention = object(spec.persistentVolumeClaimRetentionPolicy);
  for (const field of ["whenDeleted", "whenScaled"] as const) {
    if (absent(spec.persistentVolumeClaimRetentionPolicy)) continue;
    const policy = text(retention[field]);
    if (policy === "Retain" || policy === "Delete") continue;
    errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, policy, ["Retain", "Delete"]));
  }
  const claims = objects(spec.volumeClaimTemplates);
  if (!exists) {
    for (const [index, claim] of claims.entries()) {
      validateClaimSpec(object(claim.spec), `spec.volumeClaimTemplates[${index}].spec`, errors);
    }
  }
  checkNonNegative(spec.replicas, "spec.replicas", errors);
  checkNonNegative(spec.minReadySeconds, "spec.minReadySeconds", errors);
  checkNonNegative(object(spec.ordinals).start, "spec.ordinals.start", errors);
  const service = text(spec.serviceName);
  if (!exists && service !== "") check(service, "spec.serviceName", dns1123LabelErrors, errors);
  checkWorkloadSelector(spec.selector, "statefulset", errors);
  const selector = parsedSelector(spec.selector);
  if (selector === undefined) errors.push(invalidValue("spec.selector", spec.selector, ""));
  else {
    const template = asStatefulPod(object(spec.template), claims);
    checkSelects(selector, template, "spec.template", errors);
    if (!skipTemplate) append(errors, validatePodTemplate(template, "spec.template", options));
    checkTemplateMetadata(template, "spec.template", options, errors);
  }
  checkRunsForever(object(spec.template), "StatefulSet", "spec.template", errors);
  return errors;
}

/** The template with what each pod of the set gets: a name of its own, and volumes that come from the claims. */
function asStatefulPod(
  template: Received<PodTemplateSpec>,
  claims: readonly Received<PersistentVolumeClaim>[],
): Received<PodTemplateSpec> {
  const { hostname: _, subdomain: __, ...spec } = object(template.spec);
  if (claims.length === 0) return { ...template, spec };
  const volumes = new Map<string, Received<Volume>>();
  for (const { metadata } of claims) {
    const name = text(object(metadata).name);
    volumes.set(name, { name, persistentVolumeClaim: { claimName: name } });
  }
  const others = objects(spec.volumes).filter(({ name }) => !volumes.has(text(name)));
  return { ...template, spec: { ...spec, volumes: [...volumes.values(), ...others] } };
}

function checkStatefulSetStrategy(
  strategy: Received<StatefulSetUpdateStrategy>,
  path: string,
  gates: ServerGates,
  errors: Errors,
): void {
  const type = text(strategy.type);
  const at = `${path}.rollingUpdate`;
  if (type === "") errors.push(required(path));
  else if (type === "OnDelete" || (type === "Recreate" && gates.enabled("StatefulSetRecreateStrategy"))) {
    if (absent(strategy.rollingUpdate)) return;
    const shown = goJson("RollingUpdateStatefulSetStrategy", object(strategy.rollingUpdate));
    errors.push(invalidValue(at, shown, "only allowed for updateStrategy 'RollingUpdate'"));
  } else if (type !== "RollingUpdate") {
    const shown = goJson("StatefulSetUpdateStrategy", strategy);
    errors.push(invalidValue(path, shown, "must be 'RollingUpdate' or 'OnDelete'"));
  } else {
    const { partition, maxUnavailable } = object(strategy.rollingUpdate);
    checkNonNegative(partition, `${at}.partition`, errors);
    if (absent(maxUnavailable)) return;
    checkIntOrPercent(maxUnavailable, `${at}.maxUnavailable`, errors);
    if (intOrPercent(maxUnavailable) === 0) {
      errors.push(invalidValue(`${at}.maxUnavailable`, maxUnavailable, "cannot be 0"));
    }
    checkAtMostWhole(maxUnavailable, `${at}.maxUnavailable`, errors);
  }
}

export function validateReplicationController(
  controller: ReceivedObject<ReplicationController>,
  server: ServerTraits,
): FieldError[] {
  return replicationControllerErrors(object(controller.spec), newTemplate(server));
}

export function validateReplicationControllerUpdate(
  controller: ReceivedObject<ReplicationController>,
  old: ReceivedObject<ReplicationController>,
  server: ServerTraits,
): FieldError[] {
  return replicationControllerErrors(object(controller.spec), templateOptions(old, server));
}

function replicationControllerErrors(
  spec: Received<ReplicationControllerSpec>,
  options: PodValidationOptions,
): FieldError[] {
  const errors: Errors = [];
  const selector = object(spec.selector) as Record<string, string>;
  checkNonNegative(spec.minReadySeconds, "spec.minReadySeconds", errors);
  if (Object.keys(selector).length === 0) errors.push(required("spec.selector"));
  checkNonNegative(spec.replicas, "spec.replicas", errors);
  if (!isStruct(spec.template)) return [...errors, required("spec.template")];
  checkSelects(selectorFromSet(selector), spec.template, "spec.template", errors);
  append(errors, validatePodTemplate(spec.template, "spec.template", options));
  checkRunsForever(spec.template, "ReplicationController", "spec.template", errors);
  return errors;
}

/** Validates an update of a PodTemplate object. */
export function validatePodTemplateUpdate(
  holder: ReceivedObject<PodTemplate>,
  old: ReceivedObject<PodTemplate>,
  server: ServerTraits,
): FieldError[] {
  return validatePodTemplate(object(holder.template), "template", optionsOfChange(object(old.template), false, server));
}
