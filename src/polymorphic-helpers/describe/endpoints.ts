import type { EndpointAddress, EndpointSubset } from "../../api/types/core/v1.js";
import { objects, type Received, text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import type { DescriptionWriter } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";

export const describeEndpoints: Describer = async (namespace, name, description, context) => {
  const endpoints = await context.reader.get("v1/Endpoints", namespace, name);
  const events = await eventsOf(endpoints, "Endpoints", context);
  describeName(description, endpoints);
  describeLabelsAndAnnotations(description, endpoints);
  description.write(0, "Subsets:\n");
  for (const subset of objects(endpoints.subsets)) describeSubset(description, subset);
  describeEvents(description, events, context);
};

function describeSubset(description: DescriptionWriter, subset: Received<EndpointSubset>): void {
  description.write(1, `Addresses:\t${ipsText(subset.addresses)}\n`);
  description.write(1, `NotReadyAddresses:\t${ipsText(subset.notReadyAddresses)}\n`);
  const ports = objects(subset.ports);
  if (ports.length > 0) {
    description.write(1, "Ports:\n");
    description.write(2, "Name\tPort\tProtocol\n");
    description.write(2, "----\t----\t--------\n");
  }
  for (const { name, port, protocol } of ports) {
    description.write(2, `${text(name) || "<unset>"}\t${whole(port)}\t${text(protocol)}\n`);
  }
  description.write(0, "\n");
}

const ipsText = (addresses: Received<EndpointAddress[]> | null | undefined): string =>
  objects(addresses)
    .map((address) => text(address.ip))
    .join(",") || "<none>";
