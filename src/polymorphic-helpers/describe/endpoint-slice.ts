import type { Endpoint, EndpointPort } from "../../api/types/discovery/v1.js";
import { absent, isStruct, object, objects, type Received, text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import type { DescriptionWriter } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { joined, scalar } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";

const UNSET = "<unset>";

export const describeEndpointSlice: Describer = async (namespace, name, description, context) => {
  const slice = await context.reader.get("discovery.k8s.io/v1/EndpointSlice", namespace, name);
  const events = await eventsOf(slice, "EndpointSlice", context);
  describeName(description, slice);
  describeLabelsAndAnnotations(description, slice);
  description.write(0, `AddressType:\t${text(slice.addressType)}\n`);
  describePorts(description, objects(slice.ports));
  const endpoints = objects(slice.endpoints);
  description.write(0, `Endpoints:${endpoints.length === 0 ? " <none>" : ""}\n`);
  for (const endpoint of endpoints) describeEndpoint(description, endpoint);
  describeEvents(description, events, context);
};

function describePorts(description: DescriptionWriter, ports: readonly Received<EndpointPort>[]): void {
  if (ports.length === 0) {
    description.write(0, `Ports: ${UNSET}\n`);
    return;
  }
  description.write(0, "Ports:\n");
  description.write(1, "Name\tPort\tProtocol\n");
  description.write(1, "----\t----\t--------\n");
  for (const { name, port, protocol } of ports) {
    description.write(1, `${text(name) || UNSET}\t${scalar(port, UNSET)}\t${text(protocol)}\n`);
  }
}

function describeEndpoint(description: DescriptionWriter, endpoint: Received<Endpoint>): void {
  const { addresses, conditions, hostname, targetRef, nodeName, zone } = endpoint;
  description.write(1, `- Addresses:\t${joined(addresses, ", ") || "<none>"}\n`);
  description.write(2, "Conditions:\n");
  description.write(3, `Ready:\t${scalar(object(conditions).ready, UNSET)}\n`);
  description.write(2, `Hostname:\t${textOrUnset(hostname)}\n`);
  if (isStruct(targetRef)) description.write(2, `TargetRef:\t${text(targetRef.kind)}/${text(targetRef.name)}\n`);
  description.write(2, `NodeName:\t${textOrUnset(nodeName)}\n`);
  description.write(2, `Zone:\t${textOrUnset(zone)}\n`);
}

/** An empty text is one that was set. */
const textOrUnset = (value: string | null | undefined): string => (absent(value) ? UNSET : text(value));
