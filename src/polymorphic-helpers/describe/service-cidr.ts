import type { ServiceCIDR } from "../../api/types/networking/v1.js";
import { object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { joined } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";

/** Describes a ServiceCIDR. From a server without v1 it reads v1beta1, which has the same fields. */
export const describeServiceCidr: Describer = async (_namespace, name, description, context) => {
  const { reader } = context;
  const beta = { group: "networking.k8s.io", version: "v1beta1", resource: "servicecidrs" };
  const cidr = await reader
    .get("networking.k8s.io/v1/ServiceCIDR", "", name)
    .catch(async () => (await reader.getAny(beta, "", name)) as ReceivedObject<ServiceCIDR>);
  const events = await eventsOf(cidr, "ServiceCIDR", context);
  describeName(description, cidr, false);
  describeLabelsAndAnnotations(description, cidr);
  description.write(0, `CIDRs:\t${joined(object(cidr.spec).cidrs, ", ")}\n`);
  const conditions = objects(object(cidr.status).conditions);
  if (conditions.length > 0) {
    description.write(0, "Status:\nConditions:\n");
    description.write(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage\n");
    description.write(1, "----\t------\t------------------\t------\t-------\n");
  }
  for (const { type, status, lastTransitionTime, reason, message } of conditions) {
    const cells = [text(type), text(status), dateText(lastTransitionTime), text(reason), text(message)];
    description.write(1, `${cells.join("\t")}\n`);
  }
  describeEvents(description, events, context);
};
