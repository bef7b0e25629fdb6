import { append } from "../../../base/collections/append.js";
import { type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, isStruct, number, object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../../machinery/validation/names.js";
import { validateNames } from "../../../machinery/validation/object-meta.js";
import type { Event } from "../../types/core/v1.js";
import { goJson } from "../go-shapes.js";
import { IMMUTABLE, named, sameValue } from "../rules.js";

/** The version whose requests are held to every rule; core/v1 forgives what it always forgave. */
const STRICT = "events.k8s.io/v1";

/** Validates a new event in core/v1's shape; `requestVersion` is the apiVersion of the request. */
export function validateEvent(event: ReceivedObject<Event>, requestVersion: string): FieldError[] {
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
  for (const field of ["firstTimestamp", "lastTimestamp"] as const)
    if (!absent(event[field])) errors.push(unset(field));
  if (number(event.count) !== 0) errors.push(unset("count"));
  const { component, host } = object(event.source);
  if (text(component) !== "" || text(host) !== "") errors.push(unset("source"));
  return errors;
}

/** Validates an update of an event: in a request of events.k8s.io/v1 only its series may change. */
export function validateEventUpdate(
  event: ReceivedObject<Event>,
  old: ReceivedObject<Event>,
  requestVersion: string,
): FieldError[] {
  const errors = validateAlways(event);
  if (requestVersion !== STRICT) return errors;
  if (!sameValue(event.series, old.series)) append(errors, validateSeries(event));
  for (const [field, name, show] of FIXED) {
    if (!sameValue(event[field], old[field])) errors.push(invalidValue(name, show(event), IMMUTABLE));
  }
  return errors;
}

type ShowValue = (event: ReceivedObject<Event>) => unknown;

/** Field, its name in errors, how its value is shown; in the order Kubernetes looks at them. */
const FIXED: readonly (readonly [field: keyof Event, name: string, show: ShowValue])[] = [
  ["involvedObject", "involvedObject", (event) => goJson("ObjectReference", object(event.involvedObject))],
  ["reason", "reason", (event) => event.reason ?? ""],
  ["message", "message", (event) => event.message ?? ""],
  ["source", "source", (event) => goJson("EventSource", object(event.source))],
  ["firstTimestamp", "firstTimestamp", (event) => event.firstTimestamp ?? null],
  ["lastTimestamp", "lastTimestamp", (event) => event.lastTimestamp ?? null],
  ["count", "count", (event) => event.count ?? 0],
  // Kubernetes compares the reason twice and reports it twice.
  ["reason", "reason", (event) => event.reason ?? ""],
  ["type", "type", (event) => event.type ?? ""],
  ["eventTime", "eventTime", (event) => event.eventTime ?? null],
  ["action", "action", (event) => event.action ?? ""],
  ["related", "related", ({ related }) => (absent(related) ? null : goJson("ObjectReference", object(related)))],
  ["reportingComponent", "reportingController", (event) => event.reportingComponent ?? ""],
  ["reportingInstance", "reportingInstance", (event) => event.reportingInstance ?? ""],
];

const unset = (field: string): FieldError => invalidValue(field, "", "needs to be unset");

function validateSeries({ series }: ReceivedObject<Event>): FieldError[] {
  if (!isStruct(series)) return [];
  const errors = number(series.count) < 2 ? [invalidValue("series.count", "", "should be at least 2")] : [];
  return absent(series.lastObservedTime) ? [...errors, required("series.lastObservedTime")] : errors;
}

/** What every event must be. */
function validateAlways(event: ReceivedObject<Event>): FieldError[] {
  const { namespace = "" } = event.metadata ?? {};
  const errors = absent(event.eventTime) ? validateOldStyle(event, namespace) : validateNewStyle(event, namespace);
  return [...errors, ...named(namespace, "namespace", dns1123SubdomainErrors)];
}

const otherNamespace = (namespace: string): FieldError =>
  invalidValue("involvedObject.namespace", namespace, "does not match event.namespace");

const involvedNamespace = (event: ReceivedObject<Event>): string => text(object(event.involvedObject).namespace);

function validateOldStyle(event: ReceivedObject<Event>, namespace: string): FieldError[] {
  const involved = involvedNamespace(event);
  // Events about what is in no namespace are kept in one of their own.
  const right = involved === "" ? namespace === "" || namespace === "default" : namespace === involved;
  return right ? [] : [otherNamespace(involved)];
}

function validateNewStyle(event: ReceivedObject<Event>, namespace: string): FieldError[] {
  const involved = involvedNamespace(event);
  const controller = text(event.reportingComponent);
  const errors: FieldError[] = [];
  if (involved === "" && namespace !== "default" && namespace !== "kube-system") errors.push(otherNamespace(involved));
  if (controller === "") errors.push(required("reportingController"));
  append(errors, named(controller, "reportingController", qualifiedNameErrors));
  for (const field of ["reportingInstance", "action", "reason"] as const) {
    if (text(event[field]) === "") errors.push(required(field));
    append(errors, atMost(text(event[field]), field, 128));
  }
  return [...errors, ...atMost(text(event.message), "message", 1024)];
}

function atMost(value: string, path: string, max: number): FieldError[] {
  return Buffer.byteLength(value) > max ? [invalidValue(path, "", `can have at most ${max} characters`)] : [];
}
