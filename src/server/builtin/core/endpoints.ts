import {
  endpointSliceWarnings,
  validateEndpointSlice,
  validateEndpointSliceUpdate,
} from "../../../api/validation/endpoint-slice.js";
import { endpointsWarnings, validateEndpoints } from "../../../api/validation/endpoints.js";
import { sameValue } from "../../../api/validation/rules.js";
import { children } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { metadataOf } from "../../registry/metadata.js";
import type { Strategy } from "../../registry/strategy.js";

/** Where this server itself is found; that is a loopback address where it listens on no other. */
const isOwn = ({ metadata }: KubeObject): boolean =>
  metadata?.name === "kubernetes" && metadata.namespace === "default";

export const endpointsStrategy: Strategy = {
  validate: (endpoints) => (isOwn(endpoints) ? [] : validateEndpoints(endpoints)),
  validateUpdate: (endpoints, old) => (isOwn(endpoints) ? [] : validateEndpoints(endpoints, old)),
  warningsOnCreate: endpointsWarnings,
  warningsOnUpdate: endpointsWarnings,
  allowCreateOnUpdate: true,
};

/** A slice's labels say whose it is, so a change of them counts. What v1 has no use for any more is dropped. */
export const endpointSliceStrategy: Strategy = {
  prepareForCreate: dropTopology,
  prepareForUpdate(draft, old) {
    if (!sameValue(draft.endpoints, old.endpoints)) dropTopology(draft);
    const [metadata, before] = [metadataOf(draft), old.metadata ?? {}];
    if (!sameValue(metadata.labels, before.labels)) metadata.generation = (before.generation ?? 0) + 1;
  },
  validate: (slice) => (isOwn(slice) ? [] : validateEndpointSlice(slice)),
  validateUpdate: (slice, old) => (isOwn(slice) ? [] : validateEndpointSliceUpdate(slice, old)),
  warningsOnCreate: endpointSliceWarnings,
  warningsOnUpdate: endpointSliceWarnings,
};

function dropTopology(draft: KubeObject): void {
  for (const endpoint of children(draft, "endpoints")) delete endpoint.deprecatedTopology;
}
