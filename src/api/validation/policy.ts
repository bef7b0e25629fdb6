import { type FieldError, forbiddenField, invalidValue, required } from "../../machinery/errors/field-error.js";
import { absent, number, object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type LabelSelectorObject, validateLabelSelector } from "../../machinery/validation/labels.js";
import { oneOf, sameValue } from "./rules.js";

export function validateHorizontalPodAutoscaler(autoscaler: KubeObject): FieldError[] {
  const spec = object(autoscaler.spec);
  const errors: FieldError[] = [];
  const [min, max] = [spec.minReplicas, number(spec.maxReplicas)];
  if (!absent(min) && number(min) < 1) {
    errors.push(invalidValue("spec.minReplicas", min, "must be greater than or equal to 1"));
  }
  if (max < 1) errors.push(invalidValue("spec.maxReplicas", max, "must be greater than 0"));
  if (!absent(min) && max < number(min)) {
    errors.push(invalidValue("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`"));
  }
  const target = object(spec.scaleTargetRef);
  for (const field of ["kind", "name"]) {
    if (text(target[field]) === "") errors.push(required(`spec.scaleTargetRef.${field}`));
  }
  const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];
  for (const [index, metric] of objects(spec.metrics).entries()) {
    const at = `spec.metrics[${index}].type`;
    if (text(metric.type) === "") errors.push(required(at, "must specify a metric source type"));
    else errors.push(...oneOf(metric.type, at, types));
  }
  return errors;
}

export function validatePodDisruptionBudget(budget: KubeObject): FieldError[] {
  const spec = object(budget.spec);
  const errors: FieldError[] = [];
  if (!absent(spec.minAvailable) && !absent(spec.maxUnavailable)) {
    errors.push(invalidValue("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const field of ["minAvailable", "maxUnavailable"]) {
    const value = spec[field];
    if (typeof value === "number" && value < 0) {
      errors.push(invalidValue(`spec.${field}`, value, "must be greater than or equal to 0"));
    }
    if (typeof value === "string" && !/^[0-9]+%$/.test(value)) {
      const detail =
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
      errors.push(invalidValue(`spec.${field}`, value, detail));
    }
  }
  return [...errors, ...validateLabelSelector(spec.selector as LabelSelectorObject | undefined, "spec.selector")];
}

const MAX_USER_PRIORITY = 1_000_000_000;

export function validatePriorityClass(priority: KubeObject): FieldError[] {
  const name = priority.metadata?.name ?? "";
  const errors: FieldError[] = [];
  if (name.startsWith("system-")) {
    if (!["system-node-critical", "system-cluster-critical"].includes(name)) {
      const detail = "priority class names with 'system-' prefix are reserved for system use only";
      errors.push(forbiddenField("metadata.name", detail));
    }
  } else if (number(priority.value) > MAX_USER_PRIORITY) {
    errors.push(forbiddenField("value", `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`));
  }
  return [...errors, ...oneOf(priority.preemptionPolicy, "preemptionPolicy", ["Never", "PreemptLowerPriority"])];
}

export function validatePriorityClassUpdate(priority: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  if (number(priority.value) !== number(old.value)) {
    errors.push(forbiddenField("value", "may not be changed in an update."));
  }
  if (!sameValue(priority.preemptionPolicy, old.preemptionPolicy)) {
    errors.push(invalidValue("preemptionPolicy", priority.preemptionPolicy ?? null, "field is immutable"));
  }
  return errors;
}

export function validateLease(lease: KubeObject): FieldError[] {
  const spec = object(lease.spec);
  const errors: FieldError[] = [];
  if (!absent(spec.leaseDurationSeconds) && number(spec.leaseDurationSeconds) <= 0) {
    errors.push(invalidValue("spec.leaseDurationSeconds", spec.leaseDurationSeconds, "must be greater than 0"));
  }
  if (!absent(spec.leaseTransitions) && number(spec.leaseTransitions) < 0) {
    errors.push(invalidValue("spec.leaseTransitions", spec.leaseTransitions, "must be greater than or equal to 0"));
  }
  return errors;
}

export function validateIngressClass(ingressClass: KubeObject): FieldError[] {
  return text(object(ingressClass.spec).controller) === "" ? [required("spec.controller")] : [];
}

export function validateRuntimeClass(runtimeClass: KubeObject): FieldError[] {
  return text(runtimeClass.handler) === "" ? [required("handler")] : [];
}
