import type { Service } from "../../../api/types/core/v1.js";
import { list, object, type ReceivedObject } from "../../../machinery/meta/received.js";
import { handling, WRITES, type AdmissionPlugin } from "../plugin.js";
import { refused } from "../attributes.js";

/** Refuses external IPs that a service does not have already. */
export const denyServiceExternalIPs: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  handles: handling(WRITES, "services"),
  validate(attributes) {
    const service: ReceivedObject<Service> | undefined = attributes.object;
    const oldObject: ReceivedObject<Service> | undefined = attributes.oldObject;
    const before = new Set(list(object(oldObject?.spec).externalIPs));
    if (list(object(service?.spec).externalIPs).every((ip) => before.has(ip))) return;
    throw refused(attributes, "Use of external IPs is denied by admission control");
  },
};
