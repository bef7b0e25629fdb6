import type { ResourceRecord } from "../../endpoints/resource-record.js";

/** Events of the newer API are the core group's, with its strategy. */
export const eventsEventRecord: ResourceRecord = {
  group: "events.k8s.io",
  resource: "events",
  storage: { sharedWith: "/events" },
};
