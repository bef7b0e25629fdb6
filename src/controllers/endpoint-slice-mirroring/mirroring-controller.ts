import type { Endpoints } from "../../api/types/core/v1.js";
import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import type { NamespacedName } from "../../client/informers/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import { MANAGED_BY, SERVICE_NAME } from "../endpoint-slice/slice-contents.js";
import { SliceWriter } from "../endpoint-slice/slice-writer.js";
import { MIRRORING_CONTROLLER, MOST_MIRRORED, planMirror } from "./plan-mirror.js";

const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
const ELECTION = "control-plane.alpha.kubernetes.io/leader";

/** Until then the cache shows what was written. */
const STALE_MS = 100;

/** The index of mirrored slices by the service that they are of. */
const MIRROR_INDEX = "mirrored";

/** Shows the Endpoints that users write, for services without selectors, in EndpointSlices. */
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
