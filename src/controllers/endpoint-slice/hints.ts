import type { Service } from "../../api/types/core/v1.js";
import type { Endpoint, EndpointHints, EndpointSlice } from "../../api/types/discovery/v1.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { endpointsOf } from "./slice-contents.js";

/** The slice with the hints that the service's trafficDistribution asks for; the same one where it has them already. */
export function withHints(slice: EndpointSlice, service: Service): EndpointSlice {
  const distribution = service.spec?.trafficDistribution ?? "";
  const endpoints = endpointsOf(slice).map((endpoint) => {
    const hints = hintsFor(endpoint, distribution);
    if (deepEqual((hints ?? {}) as JsonObject, (endpoint.hints ?? {}) as JsonObject)) return endpoint;
    const { hints: _, ...others } = endpoint;
    return { ...others, ...(hints && { hints }) };
  });
  const same = endpoints.every((endpoint, index) => endpoint === endpointsOf(slice)[index]);
  return same ? slice : { ...slice, endpoints };
}

/** Which clients an endpoint is for: those of its zone or its node. One that is not ready keeps the hints that it has. */
function hintsFor({ conditions, zone, nodeName, hints }: Endpoint, distribution: string): EndpointHints | undefined {
  const byNode = distribution === "PreferSameNode";
  if (!byNode && distribution !== "PreferClose" && distribution !== "PreferSameZone") return undefined;
  if (conditions?.ready !== true) return hints;
  const wanted = {
    ...(zone !== undefined && { forZones: [{ name: zone }] }),
    ...(byNode && nodeName !== undefined && { forNodes: [{ name: nodeName }] }),
  };
  return Object.keys(wanted).length === 0 ? undefined : wanted;
}

/** Whether an annotation asks for hints by zones' shares of CPU, Kubernetes' older way; it goes before trafficDistribution. */
export function wantsShares({ metadata: { annotations = {} } = {} }: Service): boolean {
  const mode =
    annotations["service.kubernetes.io/topology-aware-hints"] ??
    annotations["service.kubernetes.io/topology-mode"] ??
    "";
  return mode === "Auto" || mode === "auto";
}
