import { type FieldError, invalidValue, required } from "../../machinery/errors/field-error.js";
import { absent, object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../machinery/validation/names.js";
import { named } from "./rules.js";

/** In core/v1's shape, whatever version it came in: what every event must be. */
export function validateEvent(event: KubeObject): FieldError[] {
  const { namespace = "" } = event.metadata ?? {};
  const errors = absent(event.eventTime) ? validateOldStyle(event, namespace) : validateNewStyle(event, namespace);
  return [...errors, ...named(namespace, "namespace", dns1123SubdomainErrors)];
}

const otherNamespace = (namespace: string): FieldError =>
  invalidValue("involvedObject.namespace", namespace, "does not match event.namespace");

function validateOldStyle(event: KubeObject, namespace: string): FieldError[] {
  const involved = text(object(event.involvedObject).namespace);
  // Events about what is in no namespace are kept in one of their own.
  const right = involved === "" ? namespace === "" || namespace === "default" : namespace === involved;
  return right ? [] : [otherNamespace(involved)];
}

function validateNewStyle(event: KubeObject, namespace: string): FieldError[] {
  const involved = text(object(event.involvedObject).namespace);
  const controller = text(event.reportingComponent);
  const errors: FieldError[] = [];
  if (involved === "" && namespace !== "default" && namespace !== "kube-system") errors.push(otherNamespace(involved));
  if (controller === "") errors.push(required("reportingController"));
  errors.push(...named(controller, "reportingController", qualifiedNameErrors));
  for (const field of ["reportingInstance", "action", "reason"]) {
    if (text(event[field]) === "") errors.push(required(field));
    errors.push(...atMost(text(event[field]), field, 128));
  }
  return [...errors, ...atMost(text(event.message), "message", 1024)];
}

function atMost(value: string, path: string, max: number): FieldError[] {
  return Buffer.byteLength(value) > max ? [invalidValue(path, "", `can have at most ${max} characters`)] : [];
}
