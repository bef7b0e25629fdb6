import type { Endpoints, EndpointSubset } from "../../../api/types/core/v1.js";
import { endpointsWarnings, validateEndpoints } from "../../../api/validation/core/endpoints.js";
import { number, objects, type Received, text, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, listWithMore, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import type { EndpointSlice } from "../../../api/types/discovery/v1.js";

/**
 * Whether an object holds the addresses of API servers: "kubernetes", and a slice "kubernetes-PORT" for each further port. These
 * are loopback addresses where the servers listen on no others.
 */
export const isOwnEndpoints = ({ metadata }: ReceivedObject<EndpointSlice | Endpoints>): boolean =>
  metadata?.namespace === "default" && /^kubernetes(-\d{1,5})?$/.test(metadata.name ?? "");

export const endpointsRecord: RecordOf<Endpoints> = {
  group: "",
  resource: "endpoints",
  storage: { prefix: "services/endpoints" },
  strategy: {
    validate: (endpoints) => (isOwnEndpoints(endpoints) ? [] : validateEndpoints(endpoints)),
    validateUpdate: (endpoints, old) => (isOwnEndpoints(endpoints) ? [] : validateEndpoints(endpoints, old)),
    warningsOnCreate: endpointsWarnings,
    warningsOnUpdate: endpointsWarnings,
    allowCreateOnUpdate: true,
    columns: columns(
      ["Name", ["Endpoints", "The first addresses that are ready, with their ports."], "Age"],
      (endpoints, now) => [name(endpoints), endpointsCell(objects(endpoints.subsets)), age(endpoints, now)],
    ),
  },
};

function endpointsCell(subsets: readonly Received<EndpointSubset>[]): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap((subset) => {
    const addresses = objects(subset.addresses).map((address) => text(address.ip));
    const ports = objects(subset.ports);
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${number(port.port)}`));
  });
  return listWithMore(all, 3);
}
