import type { KubeObject } from "../../machinery/meta/object.js";
import { renameFields } from "./rename-fields.js";

/** Fields of events.k8s.io/v1 that have another name in core/v1; all others are alike. */
const TO_CORE: Readonly<Record<string, string>> = {
  regarding: "involvedObject",
  note: "message",
  reportingController: "reportingComponent",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
};

const FROM_CORE = Object.fromEntries(Object.entries(TO_CORE).map(([events, core]) => [core, events]));

/** events.k8s.io/v1 -> v1, the form events are stored in. */
export function eventToCore(event: KubeObject): KubeObject {
  return { ...renameFields(event, TO_CORE), apiVersion: "v1", kind: "Event" };
}

export function eventFromCore(event: KubeObject): KubeObject {
  return { ...renameFields(event, FROM_CORE), apiVersion: "events.k8s.io/v1", kind: "Event" };
}
