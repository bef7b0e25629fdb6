import type { Endpoint, EndpointSlice } from "../../api/types/discovery/v1.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { endpointKey, endpointsOf, sameEndpoint, type SliceChanges } from "./slice-contents.js";

/** A slice has at most so many endpoints. */
export const MOST_ENDPOINTS = 100;

export interface WantedEndpoints {
  readonly endpoints: readonly Endpoint[];
  /** What the slices are labelled with. */
  readonly labels: Readonly<Record<string, string>>;
  /** A slice without endpoints. */
  readonly empty: () => EndpointSlice;
}

/**
 * Brings slices of the same ports and addresses to the wanted endpoints with few writes: an endpoint stays in its slice, new
 * ones go to slices that change anyway, then to one that has room for all of them, else to new slices.
 */
export function fillSlices(
  existing: readonly EndpointSlice[],
  { endpoints, labels, empty }: WantedEndpoints,
): SliceChanges & { readonly unchanged: readonly EndpointSlice[] } {
  const left = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const take = (slice: EndpointSlice): EndpointSlice => {
    const room = MOST_ENDPOINTS - endpointsOf(slice).length;
    const more = [...left].slice(0, Math.max(0, room));
    for (const [key] of more) left.delete(key);
    return more.length === 0 ? slice : { ...slice, endpoints: [...endpointsOf(slice), ...more.map(([, one]) => one)] };
  };
  let update: EndpointSlice[] = [];
  let unchanged: EndpointSlice[] = [];
  const remove: EndpointSlice[] = [];
  for (const slice of existing) {
    const kept = keptEndpoints(slice, left);
    const relabelled = !deepEqual((slice.metadata?.labels ?? {}) as JsonObject, labels as JsonObject);
    if (kept === undefined && !relabelled) unchanged.push(slice);
    else if (kept?.length === 0) remove.push(slice);
    else
      update.push({
        ...slice,
        metadata: { ...slice.metadata, labels: { ...labels } },
        endpoints: kept ?? [...endpointsOf(slice)],
      });
  }
  update = update.sort((a, b) => endpointsOf(b).length - endpointsOf(a).length).map(take);
  const create: EndpointSlice[] = [];
  while (left.size > 0) {
    const roomy = left.size < MOST_ENDPOINTS ? fullestWithRoom(unchanged, left.size) : undefined;
    if (roomy === undefined) create.push(take(empty()));
    else {
      unchanged = unchanged.filter((slice) => slice !== roomy);
      update.push(take(roomy));
    }
  }
  return { create, update, remove, unchanged };
}

/** The wanted endpoints that the slice holds, which are taken from `left`; undefined when they are all that it has, unchanged. */
function keptEndpoints(slice: EndpointSlice, left: Map<string, Endpoint>): Endpoint[] | undefined {
  const held = endpointsOf(slice);
  const kept: Endpoint[] = [];
  let changed = false;
  for (const endpoint of held) {
    const key = endpointKey(endpoint);
    const wanted = left.get(key);
    if (wanted === undefined) continue;
    left.delete(key);
    kept.push(wanted);
    changed ||= !sameEndpoint(wanted, endpoint);
  }
  return changed || kept.length < held.length ? kept : undefined;
}

function fullestWithRoom(slices: readonly EndpointSlice[], count: number): EndpointSlice | undefined {
  const fitting = slices.filter((slice) => endpointsOf(slice).length + count <= MOST_ENDPOINTS);
  return fitting.sort((a, b) => endpointsOf(b).length - endpointsOf(a).length)[0];
}
