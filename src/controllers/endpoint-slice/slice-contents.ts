import type { Endpoint, EndpointPort, EndpointSlice } from "../../api/types/discovery/v1.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { deepEqual } from "../../machinery/patch/json-values.js";

export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
export const HEADLESS = "service.kubernetes.io/headless";

export const endpointsOf = ({ endpoints }: EndpointSlice): readonly Endpoint[] => endpoints ?? [];

/** A key that is equal for slices with the same ports in any order: these may hold the same endpoints. */
export function portsKey(ports: readonly EndpointPort[] | null | undefined): string {
  const each = (ports ?? []).map(({ name = "", protocol = "TCP", port, appProtocol }) =>
    JSON.stringify([name, protocol, port ?? null, appProtocol ?? null]),
  );
  return each.sort().join();
}

/** A key by which two endpoints count as the same one: its addresses and its target. */
export function endpointKey({ addresses, targetRef }: Endpoint): string {
  return JSON.stringify([[...addresses].sort(), targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

/** Whether two endpoints with one key are equal, except for hints and the version of the pod that they refer to. */
export function sameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return deepEqual(compared(a), compared(b));
}

function compared({ conditions, nodeName, zone, hostname, targetRef }: Endpoint): JsonObject {
  const { resourceVersion: _, ...reference } = targetRef ?? {};
  return JSON.parse(JSON.stringify({ conditions, nodeName, zone, hostname, reference })) as JsonObject;
}

/** Changes of the slices of one service. */
export interface SliceChanges {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}
