import type { Event } from "../../../api/types/core/v1.js";
import type { RecordOf } from "../../endpoints/resource-record.js";

/** Events of the newer API are the core group's, with its strategy. */
export const eventsEventRecord: RecordOf<Event> = {
  group: "events.k8s.io",
  resource: "events",
  storage: { sharedWith: "/events" },
};
