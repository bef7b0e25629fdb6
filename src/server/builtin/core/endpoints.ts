import { endpointsWarnings, validateEndpoints } from "../../../api/validation/core/endpoints.js";
import { number, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age, listWithMore, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { isOwnEndpoints } from "./services/own-endpoints.js";

export const endpointsRecord: ResourceRecord = {
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

function endpointsCell(subsets: readonly ReadonlyFields[]): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap((subset) => {
    const addresses = objects(subset.addresses).map((address) => text(address.ip));
    const ports = objects(subset.ports);
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${number(port.port)}`));
  });
  return listWithMore(all, 3);
}
