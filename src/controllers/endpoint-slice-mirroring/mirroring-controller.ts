import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Endpoints, EndpointAddress } from "../../api/types/core/v1.js";
import type { EndpointSlice, AddressType, Endpoint, EndpointPort } from "../../api/types/discovery/v1.js";
import type { NamespacedName } from "../../client/informers/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ObjectMeta, ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import {
  MANAGED_BY,
  SERVICE_NAME,
  endpointKey,
  endpointsOf,
  portsKey,
  sameEndpoint,
  type SliceChanges,
} from "../endpoint-slice/slice-contents.js";
import { SliceWriter } from "../endpoint-slice/slice-writer.js";
import { append } from "../../base/collections/append.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { ipText, parseIp } from "../../machinery/validation/ip.js";
import { repackSubsets } from "../endpoints/repack-subsets.js";
import { controllerReference } from "../owned-pods/controller-ref.js";
import { CHANGE_TIME } from "../service-endpoints/change-times.js";

/** What slices of this controller are labelled as managed by. */
const MIRRORING_CONTROLLER = "endpointslicemirroring-controller.k8s.io";

/** Of each subset at most so many addresses are mirrored, in one slice. */
const MOST_MIRRORED = 1000;

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

const ENDPOINTS_KIND = { apiVersion: "v1", kind: "Endpoints" } as const;

export interface MirrorPlan extends SliceChanges {
  /** How many addresses cannot be read. */
  readonly invalid: number;
  /** With those: how many are not mirrored. */
  readonly skipped: number;
}

interface Group {
  readonly addressType: AddressType;
  readonly ports: EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

/** Plans the slices that mirror Endpoints which a user wrote: one slice for each subset and address type. */
export function planMirror(endpoints: Endpoints, existing: readonly EndpointSlice[]): MirrorPlan {
  const { groups, invalid, skipped } = groupsOf(endpoints);
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const remove = existing.filter((slice) => !groups.has(groupKey(slice.addressType, slice.ports)));
  for (const [key, group] of groups) {
    const [slice, ...others] = existing.filter((one) => groupKey(one.addressType, one.ports) === key);
    append(remove, others);
    const wanted = mirrorOf(endpoints, group);
    if (slice === undefined) create.push(wanted);
    else if (!isMirror(slice, wanted)) update.push(inPlaceOf(slice, wanted));
  }
  // Slices to be removed take what new ones would hold.
  const left = remove.filter((slice) => {
    const at = create.findIndex(({ addressType }) => addressType === slice.addressType);
    if (at < 0) return true;
    const [fresh] = create.splice(at, 1);
    if (fresh !== undefined) update.push(inPlaceOf(slice, fresh));
    return false;
  });
  return { create, update, remove: left, invalid, skipped };
}

const groupKey = (type: AddressType, ports: readonly EndpointPort[] | null | undefined): string =>
  `${type} ${portsKey(ports)}`;

function groupsOf(endpoints: Endpoints) {
  const groups = new Map<string, Group>();
  let [invalid, skipped] = [0, 0];
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of repackSubsets(endpoints.subsets ?? [])) {
    const slicePorts = ports.map(({ name = "", ...port }) => ({ name, ...port }));
    let mirrored = 0;
    const all = [
      ...addresses.map((one) => [one, true] as const),
      ...notReadyAddresses.map((one) => [one, false] as const),
    ];
    for (const [address, ready] of all) {
      if (mirrored >= MOST_MIRRORED) break;
      const endpoint = mirroredEndpoint(address, ready);
      if (endpoint === undefined) {
        invalid += 1;
        continue;
      }
      mirrored += 1;
      const addressType = endpoint.addresses[0]?.includes(":") ? "IPv6" : "IPv4";
      const key = groupKey(addressType, slicePorts);
      const group = groups.get(key) ?? { addressType, ports: slicePorts, endpoints: new Map<string, Endpoint>() };
      groups.set(key, group);
      group.endpoints.set(endpointKey(endpoint), endpoint);
    }
    skipped += all.length - mirrored;
  }
  return { groups, invalid, skipped };
}

/** Undefined for an address that cannot be read. */
function mirroredEndpoint(
  { ip, hostname, nodeName, targetRef }: EndpointAddress,
  ready: boolean,
): Endpoint | undefined {
  const parsed = parseIp(ip);
  const address = parsed && ipText(parsed.bytes);
  if (address === undefined) return undefined;
  return {
    addresses: [address],
    conditions: { ready },
    ...((hostname ?? "") !== "" && ({ hostname } satisfies FieldsOf<Endpoint>)),
    ...(targetRef && ({ targetRef } satisfies FieldsOf<Endpoint>)),
    ...(nodeName !== undefined && ({ nodeName } satisfies FieldsOf<Endpoint>)),
  };
}

function mirrorOf(endpoints: Endpoints, { addressType, ports, endpoints: held }: Group): EndpointSlice {
  const { name = "", namespace, labels } = endpoints.metadata ?? {};
  const { [CHANGE_TIME]: _, [LAST_APPLIED]: _applied, ...annotations } = endpoints.metadata?.annotations ?? {};
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: `${name}-`,
      ...(namespace !== undefined && ({ namespace } satisfies FieldsOf<ObjectMeta>)),
      labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: MIRRORING_CONTROLLER },
      annotations,
      ownerReferences: [controllerReference(ENDPOINTS_KIND, endpoints)],
    },
    addressType,
    endpoints: [...held.values()],
    ports,
  };
}

function isMirror(slice: EndpointSlice, wanted: EndpointSlice): boolean {
  const [has, wants] = [endpointsOf(slice), endpointsOf(wanted)];
  const held = new Map(has.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const same = (field: "labels" | "annotations"): boolean =>
    deepEqual(slice.metadata?.[field] ?? {}, wanted.metadata?.[field] ?? {});
  if (has.length !== wants.length || !same("labels") || !same("annotations")) return false;
  return wants.every((endpoint) => {
    const known = held.get(endpointKey(endpoint));
    return known !== undefined && sameEndpoint(known, endpoint);
  });
}

function inPlaceOf(slice: EndpointSlice, wanted: EndpointSlice): EndpointSlice {
  const { generateName: _, ...metadata } = wanted.metadata ?? {};
  return { ...wanted, metadata: { ...slice.metadata, ...metadata } };
}

const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
const ELECTION = "control-plane.alpha.kubernetes.io/leader";

/** Until then the cache shows what was written. */
const STALE_MS = 100;

/** The index of mirrored slices by the service that they are of. */
const MIRROR_INDEX = "mirrored";

/** Mirrors Endpoints that users write for services without selectors into EndpointSlices. */
export function mirroringController({ client, manager, recorder }: ControllerContext): void {
  const { informers } = manager;
  const events = recorder({ component: "endpoint-slice-mirroring-controller" });
  const services = informers.of("v1", "Service").lister;
  const slices = informers.of("discovery.k8s.io/v1", "EndpointSlice");
  slices.addIndexers({ [MIRROR_INDEX]: (slice) => (isMirrored(slice) ? [serviceKey(slice)] : []) });
  const writer = new SliceWriter(client, slices.lister);
  slices.addHandler({ deleted: (slice) => writer.gone(serviceKey(slice), slice) });
  manager
    .controllerFor("v1", "Endpoints")
    .named("endpointslice-mirroring-controller")
    .workers(5)
    .watches("v1", "Service", sameName)
    .watches("discovery.k8s.io/v1", "EndpointSlice", mirroredName)
    .reconcile(async ({ namespace, name, object: endpoints }) => {
      const key = `${namespace}/${name}`;
      const service = services.namespace(namespace).get(name);
      // A service that selects pods has other slices, and the mirrored ones are left as they are.
      if (endpoints !== undefined && service?.spec?.selector !== undefined) return;
      if (writer.isStale(key, namespace)) return { requeueAfterMilliseconds: STALE_MS };
      const existing = slices.cache.byIndex(MIRROR_INDEX, key);
      const mirrored = endpoints !== undefined && service !== undefined && isToBeMirrored(endpoints);
      const plan = mirrored ? planMirror(endpoints, existing) : { create: [], update: [], remove: existing };
      if ("skipped" in plan && endpoints !== undefined) {
        const { invalid, skipped } = plan;
        if (invalid > 0) {
          const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
          events.event(endpoints, "Warning", "InvalidIPAddress", message);
        }
        if (skipped > invalid) {
          const message = `A max of ${MOST_MIRRORED} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
          events.event(endpoints, "Warning", "TooManyAddressesToMirror", message);
        }
      }
      try {
        await writer.write(key, namespace, plan, endpoints?.metadata?.deletionTimestamp === undefined);
      } catch (error) {
        if (isConflict(error) || isNotFound(error)) return { requeueAfterMilliseconds: STALE_MS };
        throw error;
      }
      if (endpoints === undefined && existing.length === 0) writer.forget(key);
    });
}

const isToBeMirrored = ({ metadata }: Endpoints): boolean =>
  metadata?.labels?.[SKIP_MIRROR] !== "true" && metadata?.annotations?.[ELECTION] === undefined;

const isMirrored = ({ metadata }: EndpointSlice): boolean => metadata?.labels?.[MANAGED_BY] === MIRRORING_CONTROLLER;

const serviceKey = ({ metadata }: EndpointSlice): string =>
  `${metadata?.namespace ?? ""}/${metadata?.labels?.[SERVICE_NAME] ?? ""}`;

const sameName = ({ metadata = {} }: ApiObject): NamespacedName[] => [
  { namespace: metadata.namespace ?? "", name: metadata.name ?? "" },
];

const mirroredName = (slice: EndpointSlice): NamespacedName[] =>
  isMirrored(slice)
    ? [{ namespace: slice.metadata?.namespace ?? "", name: slice.metadata?.labels?.[SERVICE_NAME] ?? "" }]
    : [];
