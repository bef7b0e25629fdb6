import { type FieldError, forbiddenField } from "../../machinery/errors/field-error.js";
import { object, objects, type ReadonlyFields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { validatePodSpec } from "./pod-spec.js";
import { sameValue } from "./rules.js";

export function validatePod(pod: KubeObject): FieldError[] {
  return validatePodSpec(object(pod.spec), "spec");
}

/** Of a pod's spec only images, deadline, tolerations and scheduling gates change. */
export function validatePodUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [object(pod.spec), object(old.spec)];
  if (sameValue(fixedPart(spec), fixedPart(before))) return [];
  const detail =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
  return [forbiddenField("spec", detail)];
}

const MUTABLE: ReadonlySet<string> = new Set([
  "activeDeadlineSeconds",
  "tolerations",
  "schedulingGates",
  "ephemeralContainers",
  "containers",
  "initContainers",
]);

function fixedPart(spec: ReadonlyFields): ReadonlyFields {
  const fixed = without(spec, MUTABLE);
  return { ...fixed, containers: withoutImages(spec.containers), initContainers: withoutImages(spec.initContainers) };
}

function withoutImages(containers: unknown): ReadonlyFields[] {
  return objects(containers).map((container) => without(container, new Set(["image"])));
}

function without(fields: ReadonlyFields, names: ReadonlySet<string>): ReadonlyFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}
