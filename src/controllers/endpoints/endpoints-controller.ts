import type { Endpoints, Service } from "../../api/types/core/v1.js";
import type { NamespacedName } from "../../client/informers/index.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { Controller } from "../../client/manager/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";
import type { ControllerContext } from "../context.js";
import { isNamespaceTerminating } from "../owned-pods/pod-control.js";
import { ChangeTimes } from "../service-endpoints/change-times.js";
import { followPodsOfServices, podsOf, takesPods } from "../service-endpoints/service-pods.js";
import { ENDPOINTS_CONTROLLER, MANAGED_BY, wantedEndpoints } from "./wanted-endpoints.js";

/** Until then the cache shows what was written. */
const STALE_MS = 100;

/** Keeps the Endpoints of services that select pods, the older form of their EndpointSlices. */
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
