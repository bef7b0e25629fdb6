import type { IPAddress } from "../../api/types/networking/v1.js";
import { isStruct, object, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";

/** Describes an IPAddress. From a server without v1 it reads v1beta1, which has the same fields. */
export const describeIpAddress: Describer = async (_namespace, name, description, context) => {
  const { reader } = context;
  const beta = { group: "networking.k8s.io", version: "v1beta1", resource: "ipaddresses" };
  const address = await reader
    .get("networking.k8s.io/v1/IPAddress", "", name)
    .catch(async () => (await reader.getAny(beta, "", name)) as ReceivedObject<IPAddress>);
  const events = await eventsOf(address, "IPAddress", context);
  describeName(description, address, false);
  describeLabelsAndAnnotations(description, address);
  const { parentRef } = object(address.spec);
  if (isStruct(parentRef)) {
    description.write(0, "Parent Reference:\n");
    description.write(1, `Group:\t${text(parentRef.group)}\n`);
    description.write(1, `Resource:\t${text(parentRef.resource)}\n`);
    description.write(1, `Namespace:\t${text(parentRef.namespace)}\n`);
    description.write(1, `Name:\t${text(parentRef.name)}\n`);
  }
  describeEvents(description, events, context);
};
