import { append } from "../../base/collections/append.js";
import type { FieldError } from "../../machinery/errors/field-error.js";
import { isFields, object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { validateLabels } from "../../machinery/validation/labels.js";
import { dns1123LabelErrors } from "../../machinery/validation/names.js";
import { nodeLabelWarnings } from "./pod/node-selector.js";
import { NEW_TEMPLATE } from "./pod/pod-options.js";
import { validateResources } from "./resources.js";
import { immutable, named } from "./rules.js";
import { validateTolerations } from "./pod/tolerations.js";

export function validateRuntimeClass(runtimeClass: KubeObject): FieldError[] {
  const { overhead, scheduling } = runtimeClass;
  const errors = named(text(runtimeClass.handler), "handler", dns1123LabelErrors);
  if (isFields(overhead)) {
    validateResources({ limits: overhead.podFixed }, new Set(), "overhead", NEW_TEMPLATE, errors);
  }
  if (!isFields(scheduling)) return errors;
  append(errors, validateLabels(object(scheduling.nodeSelector) as Record<string, string>, "scheduling.nodeSelector"));
  validateTolerations(objects(scheduling.tolerations), "scheduling.tolerations", NEW_TEMPLATE, errors);
  return errors;
}

export function validateRuntimeClassUpdate(runtimeClass: KubeObject, old: KubeObject): FieldError[] {
  return immutable(runtimeClass.handler, old.handler, "handler");
}

/** Nodes chosen by labels that have newer names. */
export function runtimeClassWarnings(runtimeClass: KubeObject): string[] {
  const selector = object(object(runtimeClass.scheduling).nodeSelector);
  return Object.keys(selector).flatMap((key) => nodeLabelWarnings(key, `scheduling.nodeSelector[${key}]`));
}
