import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import { append } from "../../base/collections/append.js";
import type { Node, Pod, Service } from "../../api/types/core/v1.js";
import type { AddressType, Endpoint, EndpointPort, EndpointSlice } from "../../api/types/discovery/v1.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { controllerReference } from "../owned-pods/controller-ref.js";
import { inHashOrder } from "../service-endpoints/hash-order.js";
import { hasEndpoint, isHeadless, addressesOf, hostName, targetPort } from "../service-endpoints/service-pods.js";
import { wantsShares, withHints, hintsByShares, type HintedSlices, type SliceSet, type ZoneShares } from "./hints.js";
import {
  endpointsOf,
  HEADLESS,
  MANAGED_BY,
  portsKey,
  SERVICE_NAME,
  type SliceChanges,
  endpointKey,
  sameEndpoint,
} from "./slice-contents.js";
import { isReady } from "../owned-pods/pod-state.js";

/** The value of the managed-by label of this controller's slices. */
export const SLICE_CONTROLLER = "endpointslice-controller.k8s.io";

const PORT = "io.k8s.api.discovery.v1.EndpointPort";

const SERVICE_KIND = { apiVersion: "v1", kind: "Service" } as const;

export interface SlicePlan extends SliceChanges {
  /** Pods that were left out because their nodes are not there. */
  readonly withoutNode: readonly Pod[];
  readonly hints: readonly TypeHints[];
}

/** The hints by zones' shares for one address type; without `zones` and `problem` where the service does not request them. */
export interface TypeHints extends Pick<HintedSlices, "zones" | "problem"> {
  readonly addressType: AddressType;
}

/** The facts about nodes that slices contain. */
export interface NodeFacts {
  readonly nodeOf: (name: string) => Node | undefined;
  readonly shares: () => ZoneShares | undefined;
}

/** Plans the changes after which the slices of a service show its pods. */
export function planSlices(
  service: Service,
  pods: readonly Pod[],
  existing: readonly EndpointSlice[],
  nodes: NodeFacts,
): SlicePlan {
  const { nodeOf } = nodes;
  const types = addressTypesOf(service);
  const members = pods.filter(hasEndpoint);
  const withoutNode = members.filter(
    ({ spec }) => service.spec?.publishNotReadyAddresses !== true && nodeOf(spec?.nodeName ?? "") === undefined,
  );
  const present = members.filter((pod) => !withoutNode.includes(pod));
  const plans = types.map((type) => {
    const slices = existing.filter(({ addressType }) => addressType === type);
    return planType(service, present, slices, type, nodes);
  });
  const otherTypes = existing.filter(({ addressType }) => !types.includes(addressType));
  return {
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    remove: [...plans.flatMap(({ remove }) => remove), ...otherTypes],
    withoutNode,
    hints: plans.map(({ hints }) => hints),
  };
}

interface PortGroup {
  readonly ports: EndpointPort[];
  readonly endpoints: Endpoint[];
}

function planType(
  service: Service,
  pods: readonly Pod[],
  existing: readonly EndpointSlice[],
  addressType: AddressType,
  { nodeOf, shares }: NodeFacts,
): SliceChanges & { readonly hints: TypeHints } {
  const labels = sliceLabels(service);
  const groups = new Map<string, PortGroup>();
  for (const pod of pods) {
    const ports = portsOf(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports: inHashOrder(PORT, ports), endpoints: [] };
    groups.set(key, group);
    const endpoint = endpointOf(pod, nodeOf(pod.spec?.nodeName ?? ""), service, addressType);
    if (endpoint !== undefined) group.endpoints.push(endpoint);
  }
  const owned = existing.filter((slice) => isOwned(slice, service));
  let create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const unchanged: EndpointSlice[] = [];
  let remove = existing.filter((slice) => !owned.includes(slice) || !groups.has(portsKey(slice.ports)));
  for (const [key, { ports, endpoints }] of groups) {
    const slices = owned.filter((slice) => portsKey(slice.ports) === key);
    const empty = () => newSlice(service, addressType, ports);
    const changes = fillSlices(slices, { endpoints, labels, empty });
    append(create, changes.create);
    append(update, changes.update);
    append(unchanged, changes.unchanged);
    append(remove, changes.remove);
  }
  if (create.length === 0 && remove.length === existing.length) {
    const placeholder = newSlice(service, addressType, []);
    const [only] = remove;
    if (remove.length === 1 && only !== undefined && isPlaceholder(only, service)) remove = [];
    else create = [placeholder];
  }
  const hinted = wantsShares(service)
    ? hintsByShares({ create, update, unchanged }, shares())
    : hintsByDistribution(service, { create, update, unchanged });
  const { zones, problem } = hinted;
  const hints = { addressType, ...(zones && { zones }), ...(problem !== undefined && { problem }) };
  return { ...reuse(service, hinted.create, hinted.update, remove), hints };
}

function hintsByDistribution(service: Service, { create, update, unchanged }: SliceSet): HintedSlices {
  const changed = unchanged.map((slice) => withHints(slice, service)).filter((slice) => !unchanged.includes(slice));
  const hinted = (slice: EndpointSlice): EndpointSlice => withHints(slice, service);
  return { create: create.map(hinted), update: [...update.map(hinted), ...changed] };
}

/** Slices to be removed take what new ones would hold. */
function reuse(
  service: Service,
  create: readonly EndpointSlice[],
  update: readonly EndpointSlice[],
  remove: readonly EndpointSlice[],
): SliceChanges {
  const fresh = [...create];
  const updates = [...update];
  const gone = remove.filter((old) => {
    const slice = isOwned(old, service) ? fresh.pop() : undefined;
    if (slice === undefined) return true;
    const { generateName: _, ...metadata } = slice.metadata ?? {};
    updates.push({ ...slice, metadata: { ...old.metadata, ...metadata } });
    return false;
  });
  return { create: fresh, update: updates, remove: gone };
}

/** The labels of the service, except those that have a meaning of their own on slices. */
export function sliceLabels(service: Service): Readonly<Record<string, string>> {
  const {
    [SERVICE_NAME]: _name,
    [MANAGED_BY]: _managed,
    [HEADLESS]: _headless,
    ...labels
  } = service.metadata?.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) && { [HEADLESS]: "" }),
    [SERVICE_NAME]: service.metadata?.name ?? "",
    [MANAGED_BY]: SLICE_CONTROLLER,
  };
}

function newSlice(service: Service, addressType: AddressType, ports: EndpointPort[]): EndpointSlice {
  const { name = "", namespace } = service.metadata ?? {};
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: `${name}-`,
      ...(namespace !== undefined && ({ namespace } satisfies FieldsOf<ObjectMeta>)),
      labels: { ...sliceLabels(service) },
      ownerReferences: [controllerReference(SERVICE_KIND, service)],
    },
    addressType,
    endpoints: [],
    ports,
  };
}

function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  const labels = deepEqual(slice.metadata?.labels ?? {}, sliceLabels(service));
  return labels && isOwned(slice, service) && endpointsOf(slice).length + (slice.ports ?? []).length === 0;
}

function isOwned({ metadata }: EndpointSlice, service: Service): boolean {
  const { uid } = service.metadata ?? {};
  return metadata?.ownerReferences?.some((owner) => owner.uid === uid && owner.kind === "Service") === true;
}

const ZONE = "topology.kubernetes.io/zone";

/** The endpoint that a pod is for a service; undefined when it has no address of that type. */
function endpointOf(
  pod: Pod,
  node: Node | undefined,
  service: Service,
  addressType: AddressType,
): Endpoint | undefined {
  const addresses = addressesOf(pod).filter((ip) => ip.includes(":") === (addressType === "IPv6"));
  if (addresses.length === 0) return undefined;
  const serving = isReady(pod);
  const terminating = pod.metadata?.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const { nodeName = "" } = pod.spec ?? {};
  const zone = node?.metadata?.labels?.[ZONE] ?? "";
  const hostname = hostName(pod, service);
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && ({ hostname } satisfies FieldsOf<Endpoint>)),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName !== "" && ({ nodeName } satisfies FieldsOf<Endpoint>)),
    ...(zone !== "" && ({ zone } satisfies FieldsOf<Endpoint>)),
  };
}

/** The ports of a service, as numbers of the pod; without those that it does not have. */
function portsOf({ spec }: Service, pod: Pod): EndpointPort[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetPort(servicePort, pod);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [
      {
        name,
        protocol,
        port,
        ...(appProtocol !== undefined && ({ appProtocol } satisfies FieldsOf<EndpointPort>)),
      } satisfies FieldsOf<EndpointPort>,
    ];
  });
}

/** The address types of a service, by its IP families. */
function addressTypesOf({ spec }: Service): readonly AddressType[] {
  const families = spec?.ipFamilies ?? [];
  if (families.length > 0) return families.filter((family) => family === "IPv4" || family === "IPv6");
  const { clusterIP = "None" } = spec ?? {};
  if (clusterIP === "None" || clusterIP === "") return ["IPv4", "IPv6"];
  return [clusterIP.includes(":") ? "IPv6" : "IPv4"];
}

/** The maximum number of endpoints in a slice. */
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
function fillSlices(
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
    const relabelled = !deepEqual(slice.metadata?.labels ?? {}, labels);
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
