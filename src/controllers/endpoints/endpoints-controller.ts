import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import type {
  EndpointPort,
  Endpoints,
  Service,
  EndpointAddress,
  EndpointSubset,
  Pod,
} from "../../api/types/core/v1.js";
import type { NamespacedName } from "../../client/informers/index.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { Controller } from "../../client/manager/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";
import type { ControllerContext } from "../context.js";
import { isNamespaceTerminating } from "../owned-pods/pod-control.js";
import { ChangeTimes, CHANGE_TIME } from "../service-endpoints/change-times.js";
import {
  followPodsOfServices,
  podsOf,
  takesPods,
  addressesOf,
  hasEndpoint,
  hostName,
  isHeadless,
  targetPort,
} from "../service-endpoints/service-pods.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { isReady } from "../owned-pods/pod-state.js";
import { repackSubsets } from "./repack-subsets.js";

/** Labels Endpoints of this controller: mirroring leaves them alone, and leftovers are known by it. */
const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const ENDPOINTS_CONTROLLER = "endpoint-controller";
export const HEADLESS = "service.kubernetes.io/headless";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

/** The subsets of a service's Endpoints, in their canonical form. */
export function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const { ports = [], publishNotReadyAddresses = false } = service.spec ?? {};
  const subsets: EndpointSubset[] = [];
  for (const pod of pods) {
    if (!hasEndpoint(pod) || (pod.metadata?.deletionTimestamp !== undefined && !publishNotReadyAddresses)) continue;
    const address = addressOf(pod, service);
    if (address === undefined) continue;
    const state = publishNotReadyAddresses || isReady(pod) ? "addresses" : "notReadyAddresses";
    if (ports.length === 0 && isHeadless(service)) subsets.push({ [state]: [address] });
    for (const servicePort of ports) {
      const port = targetPort(servicePort, pod);
      if (port === undefined) continue;
      const { name, protocol = "TCP", appProtocol } = servicePort;
      const named = {
        ...(name !== undefined && ({ name } satisfies FieldsOf<EndpointPort>)),
        port,
        protocol,
      } satisfies FieldsOf<EndpointPort>;
      subsets.push({
        [state]: [address],
        ports: [{ ...named, ...(appProtocol !== undefined && ({ appProtocol } satisfies FieldsOf<EndpointPort>)) }],
      });
    }
  }
  return repackSubsets(subsets);
}

/** The pod's address of the service's first family. */
function addressOf(pod: Pod, service: Service): EndpointAddress | undefined {
  const { ipFamilies = [], clusterIP = "" } = service.spec ?? {};
  const family = ipFamilies[0] ?? (clusterIP.includes(":") ? "IPv6" : "IPv4");
  const ip = addressesOf(pod).find((one) => one.includes(":") === (family === "IPv6"));
  if (ip === undefined) return undefined;
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const hostname = hostName(pod, service);
  return {
    ip,
    ...(hostname !== undefined && ({ hostname } satisfies FieldsOf<EndpointAddress>)),
    ...(pod.spec?.nodeName !== undefined && ({ nodeName: pod.spec.nodeName } satisfies FieldsOf<EndpointAddress>)),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

/** Computes the Endpoints of a service; undefined when they are up to date. `time` is that of the change which caused this, in RFC 3339. */
export function wantedEndpoints(
  service: Service,
  pods: readonly Pod[],
  current: Endpoints | undefined,
  time: string | undefined,
): Endpoints | undefined {
  const all = subsetsOf(service, pods);
  const { [MANAGED_BY]: _managed, [HEADLESS]: _headless, ...serviceLabels } = service.metadata?.labels ?? {};
  const labels = {
    ...serviceLabels,
    [MANAGED_BY]: ENDPOINTS_CONTROLLER,
    ...(isHeadless(service) && { [HEADLESS]: "" }),
  };
  const cut = truncateSubsets(all);
  const subsets = cut ?? all;
  const { [CHANGE_TIME]: _time, [OVER_CAPACITY]: capacity, ...annotations } = current?.metadata?.annotations ?? {};
  const sameSubsets = deepEqual(current?.subsets ?? [], subsets);
  const sameLabels = deepEqual(current?.metadata?.labels ?? {}, labels);
  const sameCapacity = (capacity !== undefined) === (cut !== undefined);
  if (current !== undefined && sameSubsets && sameLabels && sameCapacity) return undefined;
  const { namespace = "", name = "" } = service.metadata ?? {};
  return {
    ...(current ?? ({ apiVersion: "v1", kind: "Endpoints" } satisfies Endpoints)),
    metadata: {
      ...(current?.metadata ?? ({ namespace, name } satisfies FieldsOf<ObjectMeta>)),
      labels,
      annotations: {
        ...annotations,
        ...(time !== undefined && { [CHANGE_TIME]: time }),
        ...(cut !== undefined && { [OVER_CAPACITY]: "truncated" }),
      },
    },
    subsets,
  };
}

/** Endpoints hold at most so many addresses. */
const MOST_ADDRESSES = 1000;

/**
 * Truncates subsets to the most addresses that Endpoints may have, in proportion to their sizes; ready addresses are kept before
 * others. Undefined where there are no more than that.
 */
export function truncateSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] | undefined {
  const total = (field: "addresses" | "notReadyAddresses"): number =>
    subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
  const [ready, notReady] = [total("addresses"), total("notReadyAddresses")];
  if (ready + notReady <= MOST_ADDRESSES) return undefined;
  const cutsReady = ready > MOST_ADDRESSES;
  const field = cutsReady ? "addresses" : "notReadyAddresses";
  const room = cutsReady ? MOST_ADDRESSES : MOST_ADDRESSES - ready;
  let left = room;
  return subsets.map((subset) => {
    const held = subset[field] ?? [];
    const share = Math.min(left, Math.ceil((held.length / (cutsReady ? ready : notReady)) * room));
    const kept = held.slice(0, share);
    left -= kept.length;
    const { addresses, notReadyAddresses: _, ...others } = subset;
    const [first, second] = cutsReady ? [kept, []] : [addresses ?? [], kept];
    return {
      ...(first.length > 0 && ({ addresses: first } satisfies FieldsOf<EndpointSubset>)),
      ...(second.length > 0 && ({ notReadyAddresses: second } satisfies FieldsOf<EndpointSubset>)),
      ...others,
    };
  });
}

/** Until then the cache shows what was written. */
const STALE_MS = 100;

/** Maintains the Endpoints of services that select pods, the older form of their EndpointSlices. */
export function endpointsController({ client, manager, recorder }: ControllerContext): void {
  const { informers } = manager;
  const events = recorder({ component: "endpoint-controller" });
  const objects = client.of("v1", "Endpoints");
  const pods = informers.of("v1", "Pod").lister;
  const known = informers.of("v1", "Endpoints");
  const times = new ChangeTimes();
  /** By service: the resourceVersion of its Endpoints that was written last. */
  const written = new Map<string, string>();
  /** The services there were: their Endpoints go with them, those that users wrote too. */
  const seen = new Set<string>();
  const remove = async (namespace: string, name: string): Promise<void> => {
    try {
      await objects.namespace(namespace).delete(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  followPodsOfServices(informers, (key) => controller.enqueue(key));
  const controller: Controller<Stored<Service>> = manager
    .controllerFor("v1", "Service")
    .named("endpoints-controller")
    .workers(5)
    .reads("v1", "Pod")
    // One that is deleted is made again. One whose service went before this controller began goes.
    .watches("v1", "Endpoints", sameName, { when: (endpoints, before) => before === undefined && isOwn(endpoints) })
    .reconcile(async ({ namespace, name, object: service }) => {
      const key = `${namespace}/${name}`;
      const current = known.lister.namespace(namespace).get(name);
      if (service === undefined) {
        times.forget(key);
        written.delete(key);
        if (current !== undefined && (seen.delete(key) || isOwn(current))) await remove(namespace, name);
        return;
      }
      seen.add(key);
      if (!takesPods(service)) return;
      const version = written.get(key);
      const shown = current?.metadata?.resourceVersion ?? "";
      if (version !== undefined && (compareResourceVersions(shown, version) ?? 0) < 0) {
        return { requeueAfterMilliseconds: STALE_MS };
      }
      const members = podsOf(service, pods);
      const wanted = wantedEndpoints(service, members, current, times.next(key, service, members));
      if (wanted === undefined) return;
      try {
        const saved = current === undefined ? await objects.create(wanted) : await objects.update(wanted);
        written.set(key, saved.metadata?.resourceVersion ?? "");
      } catch (error) {
        if (isConflict(error) || isNotFound(error)) return { requeueAfterMilliseconds: STALE_MS };
        if (isNamespaceTerminating(error)) return;
        const [reason, what] =
          current === undefined
            ? ["FailedToCreateEndpoint", `Failed to create endpoint for service ${key}`]
            : ["FailedToUpdateEndpoint", `Failed to update endpoint ${key}`];
        events.event(wanted, "Warning", reason, `${what}: ${(error as Error).message}`);
        throw error;
      }
    });
}

const isOwn = ({ metadata }: Endpoints): boolean => metadata?.labels?.[MANAGED_BY] === ENDPOINTS_CONTROLLER;

const sameName = ({ metadata = {} }: Endpoints): NamespacedName[] => [
  { namespace: metadata.namespace ?? "", name: metadata.name ?? "" },
];
