import type { Service } from "../../api/types/core/v1.js";
import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import type { Controller } from "../../client/manager/index.js";
import type { Stored } from "../../client/dynamic/stored.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { CHANGE_TIME, ChangeTimes } from "../service-endpoints/change-times.js";
import { followPodsOfServices, podsOf, takesPods } from "../service-endpoints/service-pods.js";
import { planSlices, SLICE_CONTROLLER, type TypeHints } from "./plan-slices.js";
import { MANAGED_BY, SERVICE_NAME } from "./slice-contents.js";
import { SliceWriter } from "./slice-writer.js";
import { changesShares, zoneShares, isOverloaded, type ZoneShares } from "./hints.js";
import type { EventRecorder } from "../../client/events/index.js";

/** Remembers which services have hints by zones' shares of CPU, and records events of them when that begins and ends. */
class TopologyHints {
  /** By service, the endpoints for each zone by address type. */
  readonly #zones = new Map<string, Map<string, ReadonlyMap<string, number>>>();

  constructor(private readonly events: EventRecorder) {}

  /** Whether any service has such hints. */
  get any(): boolean {
    return this.#zones.size > 0;
  }

  /** Takes what a plan of a service's slices came to. */
  note(key: string, service: Service, hints: readonly TypeHints[]): void {
    for (const { addressType, zones, problem } of hints) {
      const say = (type: "Normal" | "Warning", reason: string, message: string): void =>
        this.events.event(service, type, reason, `${message}, addressType: ${addressType}`);
      if (zones !== undefined) {
        if (!this.#zones.has(key)) say("Normal", ENABLED, "Topology Aware Hints has been enabled");
        this.#zones.set(key, (this.#zones.get(key) ?? new Map()).set(addressType, zones));
        continue;
      }
      if (problem !== undefined) say("Warning", DISABLED, problem);
      else if (this.#zones.has(key)) say("Warning", DISABLED, "Topology Aware Hints has been disabled");
      this.#forget(key, addressType);
    }
  }

  /** Forgets a service that is gone. */
  forget(key: string): void {
    this.#zones.delete(key);
  }

  /** The services that have too few endpoints for the clients of a zone. */
  overloaded(shares: ZoneShares | undefined): readonly string[] {
    return [...this.#zones]
      .filter(([, types]) => [...types.values()].some((zones) => isOverloaded(zones, shares)))
      .map(([key]) => key);
  }

  #forget(key: string, addressType: string): void {
    const types = this.#zones.get(key);
    types?.delete(addressType);
    if (types?.size === 0) this.#zones.delete(key);
  }
}

const ENABLED = "TopologyAwareHintsEnabled";
const DISABLED = "TopologyAwareHintsDisabled";

/** A slice that another has changed is put right after this time, not in a race with that one. */
const SLICE_CHANGE_MS = 1000;

/** Until then the cache shows what was written. */
const STALE_MS = 100;

/** The index of slices by the service that they are of. */
const SERVICE_INDEX = "service";

/** Writes the pods of services into their EndpointSlices. */
export function endpointSliceController(context: ControllerContext): void {
  const { client, manager, recorder } = context;
  const { informers } = manager;
  const events = recorder({ component: "endpoint-slice-controller" });
  const pods = informers.of("v1", "Pod").lister;
  const nodes = informers.of("v1", "Node").lister;
  const slices = informers.of("discovery.k8s.io/v1", "EndpointSlice");
  slices.addIndexers({ [SERVICE_INDEX]: (slice) => (isManaged(slice) ? [serviceKey(slice)] : []) });
  const writer = new SliceWriter(client, slices.lister);
  const times = new ChangeTimes();
  const hints = new TopologyHints(events);
  const shares = () => zoneShares(nodes.list());
  const sliceChanged = (slice: EndpointSlice): void => {
    if (isManaged(slice)) controller.enqueue(serviceKey(slice), SLICE_CHANGE_MS);
  };
  slices.addHandler({
    updated(before, slice) {
      if (!isManaged(slice) || serviceKey(before) !== serviceKey(slice)) sliceChanged(before);
      sliceChanged(slice);
    },
    deleted(slice) {
      writer.gone(serviceKey(slice), slice);
      sliceChanged(slice);
    },
  });
  const sharesChanged = (): void => {
    if (hints.any) for (const key of hints.overloaded(shares())) controller.enqueue(key);
  };
  informers.of("v1", "Node").addHandler({
    added: sharesChanged,
    updated(before, node) {
      if (changesShares(before, node)) sharesChanged();
    },
    deleted: sharesChanged,
  });
  followPodsOfServices(informers, (key) => controller.enqueue(key));
  const controller: Controller<Stored<Service>> = manager
    .controllerFor("v1", "Service")
    .named("endpointslice-controller")
    .workers(5)
    .reads("v1", "Pod")
    .reads("v1", "Node")
    .reads("discovery.k8s.io/v1", "EndpointSlice")
    .reconcile(async ({ namespace, name, object: service }) => {
      const key = `${namespace}/${name}`;
      if (service === undefined) {
        times.forget(key);
        hints.forget(key);
        writer.forget(key);
        return;
      }
      if (!takesPods(service)) return;
      if (writer.isStale(key, namespace)) return { requeueAfterMilliseconds: STALE_MS };
      const members = podsOf(service, pods);
      const existing = slices.cache
        .byIndex(SERVICE_INDEX, key)
        .filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
      const time = times.next(key, service, members);
      const plan = planSlices(service, members, existing, { nodeOf: (node) => nodes.get(node), shares });
      const stamp = (slice: EndpointSlice): EndpointSlice => stamped(slice, time);
      const changes = { create: plan.create.map(stamp), update: plan.update.map(stamp), remove: plan.remove };
      try {
        await writer.write(key, namespace, changes, service.metadata?.deletionTimestamp === undefined);
        hints.note(key, service, plan.hints);
        const [pod] = plan.withoutNode;
        if (pod !== undefined) throw new Error(withoutNode(pod.metadata?.name, pod.spec?.nodeName, key));
      } catch (error) {
        if (isConflict(error) || isNotFound(error)) return { requeueAfterMilliseconds: STALE_MS };
        const message = `Error updating Endpoint Slices for Service ${key}: ${(error as Error).message}`;
        events.event(service, "Warning", "FailedToUpdateEndpointSlices", message);
        throw error;
      }
    });
}

const withoutNode = (pod: string | undefined, node: string | undefined, service: string): string =>
  `skipping Pod ${pod} for Service ${service}: Node ${node ?? ""} Not Found`;

const isManaged = ({ metadata }: EndpointSlice): boolean => metadata?.labels?.[MANAGED_BY] === SLICE_CONTROLLER;

const serviceKey = ({ metadata }: EndpointSlice): string =>
  `${metadata?.namespace ?? ""}/${metadata?.labels?.[SERVICE_NAME] ?? ""}`;

function stamped(slice: EndpointSlice, time: string | undefined): EndpointSlice {
  const { [CHANGE_TIME]: _, ...annotations } = slice.metadata?.annotations ?? {};
  const stamps = time === undefined ? annotations : { ...annotations, [CHANGE_TIME]: time };
  return { ...slice, metadata: { ...slice.metadata, annotations: stamps } };
}
