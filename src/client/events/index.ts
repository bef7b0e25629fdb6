/** Events: what happened to objects, for people to read. */
export {
  type EventBroadcaster,
  eventBroadcaster,
  type EventBroadcasterOptions,
  type EventDetails,
  type EventRecorder,
  type EventSource,
} from "./event-broadcaster.js";
export type { CorrelationOptions } from "./event-correlator.js";
export type { ActionEvent, CoreEvent, EventSeries, EventType } from "./event-objects.js";
export type { ObjectReference } from "./object-reference.js";
