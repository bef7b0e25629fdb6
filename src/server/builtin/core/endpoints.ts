import {
  endpointSliceWarnings,
  validateEndpointSlice,
  validateEndpointSliceUpdate,
} from "../../../api/validation/endpoint-slice.js";
import { endpointsWarnings, validateEndpoints } from "../../../api/validation/endpoints.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
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

export const endpointSliceStrategy: Strategy = {
  validate: (slice) => (isOwn(slice) ? [] : validateEndpointSlice(slice)),
  validateUpdate: (slice, old) => (isOwn(slice) ? [] : validateEndpointSliceUpdate(slice, old)),
  warningsOnCreate: endpointSliceWarnings,
  warningsOnUpdate: endpointSliceWarnings,
};
