// Made by tools/generate-api-types.mjs of the API facts.
import type { EventSource, ObjectReference } from "../core/v1.js";
import type { ListMeta, MicroTime, ObjectMeta, Time } from "../meta/v1.js";

/** Event of events.k8s.io/v1, since Kubernetes 1.19. Namespaced; resource `events`. */
export interface Event {
  kind?: "Event";
  apiVersion?: "events.k8s.io/v1";
  metadata?: ObjectMeta;
  eventTime: MicroTime | null;
  series?: EventSeries;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  related?: ObjectReference;
  note?: string;
  type?: string;
  deprecatedSource?: EventSource;
  deprecatedFirstTimestamp?: Time | null;
  deprecatedLastTimestamp?: Time | null;
  deprecatedCount?: number;
}

export interface EventList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Event[];
}

export interface EventSeries {
  count: number;
  lastObservedTime: MicroTime;
}
