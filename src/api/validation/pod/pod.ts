import { type FieldError, forbiddenField } from "../../../machinery/errors/field-error.js";
import {
  absent,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { Pod, PodSpec } from "../../types/core/v1.js";
import type { Errors } from "../collect.js";
import { checkImageSpaces } from "./containers.js";
import { checkProfilesMatch, validatePodAnnotations } from "./pod-annotations.js";
import { NEW_POD, type PodValidationOptions } from "./pod-options.js";
import { validatePodSpec } from "./pod-spec.js";

/** Validates a new pod. */
export function validatePod(pod: ReceivedObject<Pod>): FieldError[] {
  const errors: Errors = [];
  const spec = object(pod.spec);
  validateMetadataAndSpec(pod, NEW_POD, errors);
  if (objects(spec.ephemeralContainers).length > 0) {
    errors.push(forbiddenField("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (text(spec.nodeName) !== "" && list(spec.schedulingGates).length > 0) {
    errors.push(forbiddenField("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  checkProfilesMatch(object(pod.metadata?.annotations), spec, "spec", errors);
  return errors;
}

export function validateMetadataAndSpec(pod: ReceivedObject<Pod>, options: PodValidationOptions, errors: Errors): void {
  const spec = object(pod.spec);
  validatePodAnnotations(object(pod.metadata?.annotations), spec, "metadata.annotations", options, errors);
  validatePodSpec(spec, pod.metadata ?? {}, "spec", options, errors);
  if (text(spec.serviceAccountName) === "") checkTokens(spec, errors);
  for (const field of ["containers", "initContainers"] as const) {
    for (const [index, container] of objects(spec[field]).entries()) {
      checkImageSpaces(container, `spec.${field}[${index}]`, errors);
    }
  }
}

function checkTokens(spec: Received<PodSpec>, errors: Errors): void {
  for (const [index, volume] of objects(spec.volumes).entries()) {
    for (const [source, { serviceAccountToken }] of objects(object(volume.projected).sources).entries()) {
      if (absent(serviceAccountToken)) continue;
      const path = `spec.volumes[${index}].projected.sources[${source}].serviceAccountToken`;
      errors.push(forbiddenField(path, "must not be specified when serviceAccountName is not set"));
    }
  }
}
