import type { KubeObject } from "../../machinery/meta/object.js";
import type { Conversion } from "../../machinery/scheme/scheme.js";
import { renameFields } from "./copies.js";
import type { VersionTable } from "./version-table.js";

/** Fields of events.k8s.io that have another name in core/v1, the form events are stored in; all others are alike. */
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

const conversion: Conversion = {
  toHub: (event: KubeObject) => renameFields(event, TO_CORE),
  fromHub: (event: KubeObject) => renameFields(event, FROM_CORE),
};

export const EVENTS: VersionTable = { "events.k8s.io/v1/Event": { hub: "v1/Event", conversion } };

export const EVENTS_BETA: VersionTable = { "events.k8s.io/v1beta1/Event": { hub: "v1/Event", conversion } };
