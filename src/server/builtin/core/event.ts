import { validateEvent, validateEventUpdate } from "../../../api/validation/event.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { Strategy } from "../../registry/strategy.js";

const INVOLVED = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

const CORE_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  [...INVOLVED.map((field) => `involvedObject.${field}`), "reason", "reportingComponent", "source", "type"].map(
    (label) => [label, label],
  ),
);

const EVENTS_LABELS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(INVOLVED.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
  reason: "reason",
  reportingController: "reportingComponent",
  source: "source",
  type: "type",
};

/** Events of both groups; stored as core/v1, for an hour. */
export const eventStrategy: Strategy = {
  allowCreateOnUpdate: true,
  ttlSeconds: 3600,
  garbageCollection: "Unsupported",
  validateName: () => [],
  validate: (event, { apiVersion }) => validateEvent(event, apiVersion),
  validateUpdate: (event, old, { apiVersion }) => validateEventUpdate(event, old, apiVersion),
  fieldLabels: (apiVersion) => (apiVersion === "v1" ? CORE_LABELS : EVENTS_LABELS),
  fields(event) {
    const involved = object(event.involvedObject);
    return {
      ...Object.fromEntries(INVOLVED.map((field) => [`involvedObject.${field}`, text(involved[field])])),
      reason: text(event.reason),
      reportingComponent: text(event.reportingComponent),
      source: text(object(event.source).component) || text(event.reportingComponent),
      type: text(event.type),
    };
  },
};
