import type { Event } from "../../../api/types/core/v1.js";
import { validateEvent, validateEventUpdate } from "../../../api/validation/core/event.js";
import { type FieldsOf, number, object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { name, since } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

const INVOLVED = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const;

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
export const eventRecord: RecordOf<Event> = {
  group: "",
  resource: "events",
  strategy: {
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
      } satisfies FieldsOf<Event>;
    },
    columns: columns(
      [
        ["Last Seen", "How long ago it last happened."],
        ["Type", "Normal or Warning."],
        ["Reason", "Why it was reported, as one word for programs."],
        ["Object", "The kind and name of the object it is about."],
        ["Subobject:string:1", "The part of the object that it is about."],
        ["Source:string:1", "The component, and its host, that reported it."],
        ["Message", "What happened, for people."],
        ["First Seen:string:1", "How long ago it first happened."],
        ["Count:string:1", "How often it happened."],
        "Name:string:1",
      ],
      (event, now) => {
        const involved = object(event.involvedObject);
        const [kind, target] = [text(involved.kind).toLowerCase(), text(involved.name)];
        const times = eventTimes(event, now);
        return [
          times.last,
          text(event.type),
          text(event.reason),
          target === "" ? kind : `${kind}/${target}`,
          text(involved.fieldPath),
          eventSource(event),
          text(event.message).trim(),
          times.first,
          times.count,
          name(event),
        ];
      },
    ),
  },
};

/** First and last sighting as ages, and how often. Events of the newer API carry a series or a single eventTime. */
function eventTimes(event: ReceivedObject<Event>, now: number): { first: string; last: string; count: number } {
  const first = since(event.firstTimestamp ?? event.eventTime, now);
  if (event.series !== undefined && event.series !== null) {
    const series = object(event.series);
    return { first, last: since(series.lastObservedTime, now), count: number(series.count) };
  }
  const last = typeof event.lastTimestamp === "string" ? since(event.lastTimestamp, now) : first;
  return { first, last, count: number(event.count) || 1 };
}

function eventSource(event: ReceivedObject<Event>): string {
  const source = object(event.source);
  const component = text(source.component) || text(event.reportingComponent);
  const instance = text(source.host) || text(event.reportingInstance);
  return instance === "" ? component : `${component}, ${instance}`;
}

/** Events of the newer API are the core group's, with its strategy. */
export const eventsEventRecord: RecordOf<Event> = {
  group: "events.k8s.io",
  resource: "events",
  storage: { sharedWith: "/events" },
};
