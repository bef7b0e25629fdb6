import { own } from "../../base/collections/own.js";
import type { Pod, Service, ServicePort } from "../../api/types/core/v1.js";
import { type InformerFactory, type Lister, objectKey } from "../../client/informers/index.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { isOver, isReady } from "../owned-pods/pod-state.js";

/** Whether controllers fill in the endpoints of the service: it selects pods, and is no alias of another name. */
export function takesPods({ spec }: Service): boolean {
  return spec?.selector !== undefined && spec.type !== "ExternalName";
}

/** The labels of selectors: one may have a hundred thousand, and is compared with each pod. */
const selectorEntries = new WeakMap<object, readonly (readonly [key: string, value: string])[]>();

export function selects({ spec }: Service, { metadata }: Pod): boolean {
  const { selector } = spec ?? {};
  if (selector === undefined) return true;
  let entries = selectorEntries.get(selector);
  if (entries === undefined) selectorEntries.set(selector, (entries = Object.entries(selector)));
  return entries.every(([key, value]) => own(metadata?.labels, key) === value);
}

/** The pods that the service selects, by name, so that endpoints have an order. */
export function podsOf(service: Service, pods: Lister<Pod>): readonly Pod[] {
  return pods
    .namespace(service.metadata?.namespace ?? "")
    .list()
    .filter((pod) => selects(service, pod))
    .sort((a, b) => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1));
}

/** Whether the pod is an endpoint: it has an address and its containers have not ended for good. */
export function hasEndpoint(pod: Pod): boolean {
  return !isOver(pod) && addressesOf(pod).length > 0;
}

export function addressesOf({ status }: Pod): readonly string[] {
  const addresses = (status?.podIPs ?? []).map(({ ip }) => ip);
  return addresses.length === 0 && (status?.podIP ?? "") !== "" ? [status?.podIP ?? ""] : addresses;
}

/** The port number of the pod that a service's port targets; undefined when the pod has no port of that name. */
export function targetPort({ targetPort: target, protocol, port }: ServicePort, { spec }: Pod): number | undefined {
  if (typeof target !== "string") return target ?? port;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const container of [...(spec?.containers ?? []), ...sidecars]) {
    const found = container.ports?.find(
      (one) => one.name === target && (one.protocol ?? "TCP") === (protocol ?? "TCP"),
    );
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** The host name of the pod in DNS below the service; undefined when it has none. */
export function hostName({ spec, metadata }: Pod, service: Service): string | undefined {
  const { hostname = "", subdomain } = spec ?? {};
  const isMember = subdomain === service.metadata?.name && metadata?.namespace === service.metadata?.namespace;
  return hostname !== "" && isMember ? hostname : undefined;
}

export function isHeadless({ spec }: Service): boolean {
  return spec?.clusterIP === "None" || (spec?.clusterIP ?? "") === "";
}

/** Calls `enqueue` with the key of each service whose endpoints may change with a pod. */
export function followPodsOfServices(informers: InformerFactory, enqueue: (key: string) => void): void {
  const services = informers.of("v1", "Service").lister;
  const servicesOf = (pod: Pod): Set<string> =>
    new Set(
      services
        .namespace(pod.metadata?.namespace ?? "")
        .list()
        .filter((service) => takesPods(service) && selects(service, pod))
        .map(objectKey),
    );
  const enqueueAll = (keys: Iterable<string>): void => {
    for (const key of keys) enqueue(key);
  };
  informers.of("v1", "Pod").addHandler({
    added: (pod) => enqueueAll(servicesOf(pod)),
    deleted: (pod) => enqueueAll(servicesOf(pod)),
    updated(before, pod) {
      const [changed, moved] = [changesEndpoint(before, pod), changesMembership(before, pod)];
      if (!changed && !moved) return;
      const now = servicesOf(pod);
      if (!moved) return enqueueAll(now);
      const then = servicesOf(before);
      const all = new Set([...now, ...then]);
      enqueueAll(changed ? all : [...all].filter((key) => !now.has(key) || !then.has(key)));
    },
  });
}

/** The endpoint of a pod changes with its deletion, its end, its readiness and its addresses. */
function changesEndpoint(before: Pod, pod: Pod): boolean {
  return (
    before.metadata?.deletionTimestamp !== pod.metadata?.deletionTimestamp ||
    isReady(before) !== isReady(pod) ||
    isOver(before) !== isOver(pod) ||
    !deepEqual(addressesOf(before), addressesOf(pod))
  );
}

function changesMembership(before: Pod, pod: Pod): boolean {
  return (
    before.spec?.hostname !== pod.spec?.hostname ||
    before.spec?.subdomain !== pod.spec?.subdomain ||
    !deepEqual(before.metadata?.labels ?? {}, pod.metadata?.labels ?? {})
  );
}
