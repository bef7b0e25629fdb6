import type { ApiObject } from "../../machinery/meta/object.js";
import type { ObjectReference } from "./object-reference.js";

export type EventType = "Normal" | "Warning";

/** An Event of core/v1, as recorders write it. Times are RFC 3339 with whole seconds. */
export interface CoreEvent extends ApiObject {
  readonly involvedObject: ObjectReference;
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component: string; readonly host?: string };
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
  readonly type: EventType;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

/** An Event of events.k8s.io/v1, as recorders write it. Times are MicroTimes. */
export interface ActionEvent extends ApiObject {
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly note: string;
  readonly type: EventType;
  readonly series?: EventSeries;
}

/** The event that goes on happening. */
export interface EventSeries {
  /** At least 2. */
  readonly count: number;
  readonly lastObservedTime: string;
}

export const CORE_EVENTS = { group: "", version: "v1", resource: "events" } as const;
export const ACTION_EVENTS = { group: "events.k8s.io", version: "v1", resource: "events" } as const;
