import type { Endpoints } from "../../../../api/types/core/v1.js";
import type { EndpointSlice } from "../../../../api/types/discovery/v1.js";
import type { ReceivedObject } from "../../../../machinery/meta/received.js";

/**
 * True for the objects that hold the addresses of API servers: "kubernetes", and a slice "kubernetes-PORT" for each further port. They are
 * loopback addresses where the servers listen on no others.
 */
export const isOwnEndpoints = ({ metadata }: ReceivedObject<EndpointSlice | Endpoints>): boolean =>
  metadata?.namespace === "default" && /^kubernetes(-\d{1,5})?$/.test(metadata.name ?? "");
