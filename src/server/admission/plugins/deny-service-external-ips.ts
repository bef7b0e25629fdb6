import { list, object } from "../../../machinery/meta/access.js";
import { handling, WRITES } from "../handling.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";

/** Refuses external IPs that a service does not have already. */
export const denyServiceExternalIPs: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  handles: handling(WRITES, "services"),
  validate(attributes) {
    const { object: service, oldObject } = attributes;
    const before = new Set(list(object(oldObject?.["spec"])["externalIPs"]));
    if (list(object(service?.["spec"])["externalIPs"]).every((ip) => before.has(ip))) return;
    throw refused(attributes, "Use of external IPs is denied by admission control");
  },
};
