import { append } from "../../../base/collections/append.js";
import { type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, isFields, number, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../../machinery/validation/names.js";
import { validateNames } from "../../../machinery/validation/object-meta.js";
import { goJson } from "../go-shapes.js";
import { IMMUTABLE, named, sameValue } from "../rules.js";

/** The version whose requests are held to every rule; core/v1 forgives what it always forgave. */
const STRICT = "events.k8s.io/v1";

/** A new event, in core/v1's shape whatever version it came in; `requestVersion` is the apiVersion of the request. */
export function validateEvent(event: KubeObject, requestVersion: string): FieldError[] {
  const errors = validateAlways(event);
  if (requestVersion !== STRICT) return errors;
  // A missing name is told of every event.
  const { metadata = {} } = event;
  if ((metadata.name ?? "") !== "") append(errors, validateNames(metadata, dns1123SubdomainErrors));
  append(errors, validateSeries(event));
  if (absent(event.eventTime)) errors.push(required("eventTime"));
  if (event.type !== "Normal" && event.type !== "Warning") {
    errors.push(invalidValue("type", "", `has invalid value: ${text(event.type)}`));
  }
  for (const field of ["firstTimestamp", "lastTimestamp"]) if (!absent(event[field])) errors.push(unset(field));
  if (number(event.count) !== 0) errors.push(unset("count"));
  const { component, host } = object(event.source);
  if (text(component) !== "" || text(host) !== "") errors.push(unset("source"));
  return errors;
}

/** An event says what happened once and for all; only its series goes on. */
export function validateEventUpdate(event: KubeObject, old: KubeObject, requestVersion: string): FieldError[] {
  const errors = validateAlways(event);
  if (requestVersion !== STRICT) return errors;
  if (!sameValue(event.series, old.series)) append(errors, validateSeries(event));
  for (const [field, name, shown] of FIXED) {
    if (!sameValue(event[field], old[field])) errors.push(invalidValue(name, shown(event[field]), IMMUTABLE));
  }
  return errors;
}

const asText = (value: unknown): unknown => value ?? "";
const asGiven = (value: unknown): unknown => value ?? null;
const asType =
  (type: string, whenAbsent?: null) =>
  (value: unknown): unknown =>
    whenAbsent === null && absent(value) ? null : goJson(type, object(value));

/** Field, its name in errors, how its value is shown; in the order Kubernetes looks at them. */
const FIXED: readonly (readonly [field: string, name: string, shown: (value: unknown) => unknown])[] = [
  ["involvedObject", "involvedObject", asType("ObjectReference")],
  ["reason", "reason", asText],
  ["message", "message", asText],
  ["source", "source", asType("EventSource")],
  ["firstTimestamp", "firstTimestamp", asGiven],
  ["lastTimestamp", "lastTimestamp", asGiven],
  ["count", "count", (value) => value ?? 0],
  // It is looked at twice, and told twice.
  ["reason", "reason", asText],
  ["type", "type", asText],
  ["eventTime", "eventTime", asGiven],
  ["action", "action", asText],
  ["related", "related", asType("ObjectReference", null)],
  ["reportingComponent", "reportingController", asText],
  ["reportingInstance", "reportingInstance", asText],
];

const unset = (field: string): FieldError => invalidValue(field, "", "needs to be unset");

function validateSeries({ series }: KubeObject): FieldError[] {
  if (!isFields(series)) return [];
  const errors = number(series.count) < 2 ? [invalidValue("series.count", "", "should be at least 2")] : [];
  return absent(series.lastObservedTime) ? [...errors, required("series.lastObservedTime")] : errors;
}

/** What every event must be. */
function validateAlways(event: KubeObject): FieldError[] {
  const { namespace = "" } = event.metadata ?? {};
  const errors = absent(event.eventTime) ? validateOldStyle(event, namespace) : validateNewStyle(event, namespace);
  return [...errors, ...named(namespace, "namespace", dns1123SubdomainErrors)];
}

const otherNamespace = (namespace: string): FieldError =>
  invalidValue("involvedObject.namespace", namespace, "does not match event.namespace");

const involvedNamespace = (event: ReadonlyFields): string => text(object(event.involvedObject).namespace);

function validateOldStyle(event: KubeObject, namespace: string): FieldError[] {
  const involved = involvedNamespace(event);
  // Events about what is in no namespace are kept in one of their own.
  const right = involved === "" ? namespace === "" || namespace === "default" : namespace === involved;
  return right ? [] : [otherNamespace(involved)];
}

function validateNewStyle(event: KubeObject, namespace: string): FieldError[] {
  const involved = involvedNamespace(event);
  const controller = text(event.reportingComponent);
  const errors: FieldError[] = [];
  if (involved === "" && namespace !== "default" && namespace !== "kube-system") errors.push(otherNamespace(involved));
  if (controller === "") errors.push(required("reportingController"));
  append(errors, named(controller, "reportingController", qualifiedNameErrors));
  for (const field of ["reportingInstance", "action", "reason"]) {
    if (text(event[field]) === "") errors.push(required(field));
    append(errors, atMost(text(event[field]), field, 128));
  }
  return [...errors, ...atMost(text(event.message), "message", 1024)];
}

function atMost(value: string, path: string, max: number): FieldError[] {
  return Buffer.byteLength(value) > max ? [invalidValue(path, "", `can have at most ${max} characters`)] : [];
}
