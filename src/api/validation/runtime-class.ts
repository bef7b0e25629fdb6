import { append } from "../../base/collections/append.js";
import type { FieldError } from "../../machinery/errors/field-error.js";
import { isStruct, object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { validateLabels } from "../../machinery/validation/labels.js";
import { dns1123LabelErrors } from "../../machinery/validation/names.js";
import type { RuntimeClass } from "../types/node/v1.js";
import { nodeLabelWarnings } from "./pod/node-selector.js";
import { NEW_TEMPLATE } from "./pod/pod-options.js";
import { validateTolerations } from "./pod/tolerations.js";
import { validateResources } from "./resources.js";
import { immutable, named } from "./rules.js";

export function validateRuntimeClass(runtimeClass: ReceivedObject<RuntimeClass>): FieldError[] {
  const { overhead, scheduling } = runtimeClass;
  const errors = named(text(runtimeClass.handler), "handler", dns1123LabelErrors);
  if (isStruct(overhead)) {
    validateResources({ limits: overhead.podFixed }, new Set(), "overhead", NEW_TEMPLATE, errors);
  }
  if (!isStruct(scheduling)) return errors;
  append(errors, validateLabels(scheduling.nodeSelector, "scheduling.nodeSelector"));
  validateTolerations(objects(scheduling.tolerations), "scheduling.tolerations", NEW_TEMPLATE, errors);
  return errors;
}

export function validateRuntimeClassUpdate(
  runtimeClass: ReceivedObject<RuntimeClass>,
  old: ReceivedObject<RuntimeClass>,
): FieldError[] {
  return immutable(runtimeClass.handler, old.handler, "handler");
}

/** Returns the warnings about a node selector with deprecated labels. */
export function runtimeClassWarnings(runtimeClass: ReceivedObject<RuntimeClass>): string[] {
  const selector = object(object(runtimeClass.scheduling).nodeSelector);
  return Object.keys(selector).flatMap((key) => nodeLabelWarnings(key, `scheduling.nodeSelector[${key}]`));
}
