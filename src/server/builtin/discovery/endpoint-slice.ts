import type { EndpointSlice } from "../../../api/types/discovery/v1.js";
import {
  endpointSliceWarnings,
  validateEndpointSlice,
  validateEndpointSliceUpdate,
} from "../../../api/validation/endpoint-slice.js";
import { sameValue } from "../../../api/validation/rules.js";
import { children, type DraftObject, list, number, objects, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { metadataOf } from "../../registry/metadata.js";
import { isOwnEndpoints } from "../core/endpoints.js";
import { age, listWithMore, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/**
 * The record of EndpointSlices. A change of labels counts as a new generation, because they name the owner. Deprecated topology
 * fields are dropped.
 */
export const endpointSliceRecord: RecordOf<EndpointSlice> = {
  group: "discovery.k8s.io",
  resource: "endpointslices",
  strategy: {
    hasGeneration: true,
    prepareForCreate: dropTopology,
    prepareForUpdate(draft, old) {
      if (!sameValue(draft.endpoints, old.endpoints)) dropTopology(draft);
      const [metadata, before] = [metadataOf(draft), old.metadata ?? {}];
      if (!sameValue(metadata.labels, before.labels)) metadata.generation = (before.generation ?? 0) + 1;
    },
    validate: (slice) => (isOwnEndpoints(slice) ? [] : validateEndpointSlice(slice)),
    validateUpdate: (slice, old) => (isOwnEndpoints(slice) ? [] : validateEndpointSliceUpdate(slice, old)),
    warningsOnCreate: endpointSliceWarnings,
    warningsOnUpdate: endpointSliceWarnings,
    columns: columns(
      [
        "Name",
        ["AddressType", "Whether addresses are IPv4, IPv6 or names."],
        ["Ports", "The first ports of the endpoints."],
        ["Endpoints", "The first addresses of the endpoints."],
        "Age",
      ],
      (slice, now) => {
        const ports = objects(slice.ports).map((port) =>
          port.port !== undefined ? String(number(port.port)) : port.name === undefined ? "*" : text(port.name),
        );
        const addresses = objects(slice.endpoints).flatMap((endpoint) => list(endpoint.addresses).map(text));
        return [
          name(slice),
          text(slice.addressType),
          orUnset(listWithMore(ports, 3)),
          orUnset(listWithMore(addresses, 3)),
          age(slice, now),
        ];
      },
    ),
  },
};

function dropTopology(draft: DraftObject<EndpointSlice>): void {
  for (const endpoint of children(draft, "endpoints")) delete endpoint.deprecatedTopology;
}

function orUnset(value: string): string {
  return value === "" ? "<unset>" : value;
}
