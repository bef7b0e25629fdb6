import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Service, Node } from "../../api/types/core/v1.js";
import type { Endpoint, EndpointHints, EndpointSlice } from "../../api/types/discovery/v1.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { endpointsOf } from "./slice-contents.js";
import { parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";

/** Returns the slice with the hints for the service's trafficDistribution; the same object where it has them already. */
export function withHints(slice: EndpointSlice, service: Service): EndpointSlice {
  const distribution = service.spec?.trafficDistribution ?? "";
  const endpoints = endpointsOf(slice).map((endpoint) => {
    const hints = hintsFor(endpoint, distribution);
    if (deepEqual(hints ?? {}, endpoint.hints ?? {})) return endpoint;
    const { hints: _, ...others } = endpoint;
    return { ...others, ...(hints && ({ hints } satisfies FieldsOf<Endpoint>)) };
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
    ...(zone !== undefined && ({ forZones: [{ name: zone }] } satisfies FieldsOf<EndpointHints>)),
    ...(byNode && nodeName !== undefined && ({ forNodes: [{ name: nodeName }] } satisfies FieldsOf<EndpointHints>)),
  };
  return Object.keys(wanted).length === 0 ? undefined : wanted;
}

/** Whether an annotation requests hints by the zones' shares of CPU, Kubernetes' older method, which overrides trafficDistribution. */
export function wantsShares({ metadata: { annotations = {} } = {} }: Service): boolean {
  const mode =
    annotations["service.kubernetes.io/topology-aware-hints"] ??
    annotations["service.kubernetes.io/topology-mode"] ??
    "";
  return mode === "Auto" || mode === "auto";
}

/** The slices of a service and an address type. */
export interface SliceSet {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly unchanged: readonly EndpointSlice[];
}

/** The slices to write, with hints, or without them and why. */
export interface HintedSlices extends Pick<SliceSet, "create" | "update"> {
  /** How many endpoints are for the clients of each zone. */
  readonly zones?: ReadonlyMap<string, number>;
  readonly problem?: string;
}

/** How many endpoints a zone should have. */
interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

type Counts = Map<string, number>;

/**
 * Computes hints by which the endpoints of a zone get as much traffic as the zone has clients, by the zones' shares of CPU: each
 * endpoint serves its own zone, except those that a zone with too many gives to one with too few.
 */
export function hintsByShares(slices: SliceSet, shares: ZoneShares | undefined): HintedSlices {
  const { create, update, unchanged } = slices;
  const ready = [...create, ...update, ...unchanged].flatMap((slice) => endpointsOf(slice).filter(isReady)).length;
  const allocations = allocate(ready, shares);
  if (typeof allocations === "string") return withoutHints(slices, allocations);
  const counts: Counts = new Map();
  const outdated = unchanged.filter((slice) => !takeHints(slice, counts, allocations));
  const open = [...create, ...update, ...outdated].flatMap((slice) => endpointsOf(slice).filter(isReady));
  if (open.some(({ zone }) => (zone ?? "") === "")) {
    return withoutHints(slices, "One or more endpoints do not have a zone specified");
  }
  for (const { zone = "" } of open) add(counts, zone, 1);
  const zoneFor = redistribution(transfers(allocations, counts), counts);
  const hinted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: endpointsOf(slice).map((endpoint) =>
      isReady(endpoint)
        ? ({ ...endpoint, hints: { forZones: [{ name: zoneFor(endpoint.zone ?? "") }] } } satisfies FieldsOf<Endpoint>)
        : endpoint,
    ),
  });
  return { create: create.map(hinted), update: [...update, ...outdated].map(hinted), zones: counts };
}

/** Why there can be no hints, or how many endpoints each zone should have. */
function allocate(endpoints: number, shares: ZoneShares | undefined): string | ReadonlyMap<string, Allocation> {
  if (shares === undefined) {
    return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  }
  const numbers = `(${endpoints} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints) return `Insufficient number of endpoints ${numbers}`;
  const wanted = [...shares].map(([zone, share]) => {
    const desired = share * endpoints;
    const minimum = Math.ceil(desired * (1 / (1 + OVERLOAD)));
    return { zone, minimum, desired: Math.max(desired, minimum) };
  });
  const spare = endpoints - wanted.reduce((sum, { minimum }) => sum + minimum, 0);
  if (spare < 0) {
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${numbers}`;
  }
  return new Map(
    wanted.map(({ zone, minimum, desired }) => [zone, { minimum, desired, maximum: minimum + spare }] as const),
  );
}

/** Adds the hints of a slice that stays as it is to the counts. False for one whose hints are missing or too many for a zone. */
function takeHints(slice: EndpointSlice, counts: Counts, allocations: ReadonlyMap<string, Allocation>): boolean {
  const own: Counts = new Map();
  for (const { hints } of endpointsOf(slice).filter(isReady)) {
    const zones = hints?.forZones ?? [];
    if (zones.length === 0) return false;
    for (const { name } of zones) add(own, name, 1);
  }
  for (const [zone, count] of own) {
    if (count + (counts.get(zone) ?? 0) > (allocations.get(zone)?.maximum ?? -1)) return false;
  }
  for (const [zone, count] of own) add(counts, zone, count);
  return true;
}

/** How many endpoints zones give and receive. */
interface Transfers {
  readonly give: Counts;
  readonly receive: Counts;
}

function transfers(allocations: ReadonlyMap<string, Allocation>, counts: Counts): Transfers {
  const surplus: Counts = new Map();
  const need: Counts = new Map();
  for (const [zone, { desired }] of allocations) {
    const difference = (counts.get(zone) ?? 0) - desired;
    if (difference > 0) surplus.set(zone, difference);
    if (difference < 0) need.set(zone, -difference);
  }
  const give: Counts = new Map();
  const receive: Counts = new Map();
  for (;;) {
    const [from, more] = most(surplus);
    const [to, less] = most(need);
    if (from === "" || to === "" || (more < 1 && less < 1) || more < 0.5 || less < 0.5) return { give, receive };
    add(give, from, 1);
    add(surplus, from, -1);
    add(receive, to, 1);
    add(need, to, -1);
  }
}

function most(zones: Counts): readonly [zone: string, count: number] {
  let found: readonly [string, number] = ["", 0];
  for (const entry of zones) if (entry[1] > found[1]) found = entry;
  return found;
}

/** The zone whose clients the next endpoint of a zone is for; keeps the counts right. */
function redistribution({ give, receive }: Transfers, counts: Counts): (zone: string) => string {
  return (zone) => {
    const [to] = [...receive].find(([, count]) => count > 0) ?? [];
    if (to === undefined || (give.get(zone) ?? 0) <= 0) return zone;
    add(give, zone, -1);
    add(receive, to, -1);
    add(counts, zone, -1);
    add(counts, to, 1);
    return to;
  };
}

function withoutHints({ create, update, unchanged }: SliceSet, problem: string): HintedSlices {
  const bare = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: endpointsOf(slice).map((endpoint) => {
      const { hints: _, ...others } = endpoint;
      return others;
    }),
  });
  const hinted = unchanged.filter((slice) => endpointsOf(slice).some(({ hints }) => hints !== undefined));
  return { create: create.map(bare), update: [...update, ...hinted].map(bare), problem };
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true;

const add = (counts: Counts, zone: string, count: number): void =>
  void counts.set(zone, (counts.get(zone) ?? 0) + count);

/** Each zone's share of all nodes' CPU, in the order of the zones' names. */
export type ZoneShares = ReadonlyMap<string, number>;

/** How many times more than its part of the traffic an endpoint may get. */
const OVERLOAD = 0.2;

const CONTROL_PLANE = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/**
 * Computes the shares of CPU of the ready nodes' zones, without control plane nodes. Undefined where a node has no zone or no CPU,
 * and where there are fewer than two zones.
 */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const cpus = new Map<string, number>();
  let total = 0;
  for (const node of nodes.filter(counts)) {
    const zone = zoneOf(node);
    const cpu = cpuOf(node);
    if (zone === "" || cpu === 0) return undefined;
    cpus.set(zone, (cpus.get(zone) ?? 0) + cpu);
    total += cpu;
  }
  if (cpus.size < 2) return undefined;
  const sorted = [...cpus].sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(sorted.map(([zone, cpu]) => [zone, cpu / total]));
}

/** Whether a zone has too few of the endpoints that are hinted at. */
export function isOverloaded(endpoints: ReadonlyMap<string, number>, shares: ZoneShares | undefined): boolean {
  if (endpoints.size === 0) return false;
  if (shares === undefined) return true;
  const total = [...endpoints.values()].reduce((sum, count) => sum + count, 0);
  return [...shares].some(
    ([zone, share]) => (endpoints.get(zone) ?? 0) < Math.ceil(total * share * (1 / (1 + OVERLOAD))),
  );
}

/** Whether a change of a node may change shares. */
export function changesShares(before: Node, node: Node): boolean {
  return counts(before) !== counts(node) || zoneOf(before) !== zoneOf(node) || cpuOf(before) !== cpuOf(node);
}

function counts({ metadata, status }: Node): boolean {
  if (CONTROL_PLANE.some((label) => metadata?.labels?.[label] !== undefined)) return false;
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

const zoneOf = ({ metadata }: Node): string => metadata?.labels?.["topology.kubernetes.io/zone"] ?? "";

/** Thousandths of a core. */
const cpuOf = ({ status }: Node): number => {
  const cpu = status?.allocatable?.["cpu"];
  return cpu === undefined ? 0 : Number(quantityValue(parseQuantity(String(cpu)), -3));
};
