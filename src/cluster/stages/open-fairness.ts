import { stopwatchOf } from "../../base/time/timers.js";
import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { followObjects } from "../../server/aggregator/followed-objects.js";
import { IN_FLIGHT_LIMITS } from "../../server/filters/max-in-flight.js";
import type { SourceListener } from "../../server/flow-control/configuration.js";
import { debugPages } from "../../server/flow-control/debug-dump.js";
import { Fairness, type FairnessParts } from "../../server/flow-control/fairness.js";
import { FairnessMetrics } from "../../server/flow-control/fairness-metrics.js";
import { ObjectSizes } from "../../server/flow-control/object-sizes.js";
import type { Measuring } from "../../server/metrics/measures.js";
import type { Server } from "../../server/generic/server.js";
import type { BootStep } from "../composition.js";
import type { OpenedAccess } from "../delegation/core-api.js";
import type { OpenedParts } from "./opened-parts.js";
import type { Opening } from "./opened-server.js";

const FLOW_SCHEMAS = { group: "flowcontrol.apiserver.k8s.io", version: "v1", resource: "flowschemas" };
const VERSION = `${FLOW_SCHEMAS.group}/${FLOW_SCHEMAS.version}`;
/** kube-apiserver's name as a manager of fields. */
const MANAGER = "api-priority-and-fairness-config-consumer-v1";

/** Priority and fairness of a server that is being opened. */
export interface OpenedFairness {
  readonly fairness: Fairness;
  /** Follows the stored objects, before the server serves. */
  readonly step: BootStep;
}

/** Opens API priority and fairness for a server. */
export async function openFairness(
  { options, clock, timers }: Opening,
  parts: OpenedParts,
  { coreApi, measuring }: { readonly coreApi: OpenedAccess | undefined; readonly measuring: Measuring },
  reportError: (error: unknown) => void,
): Promise<OpenedFairness> {
  const limits = options.inFlight ?? IN_FLIGHT_LIMITS;
  const requestTimeout = options.conduct?.requestTimeout;
  const seats = limits.readOnly + limits.mutating;
  const stopwatch = stopwatchOf(timers)();
  const observer = new FairnessMetrics(seats, () => Math.round(stopwatch() * 1e6));
  measuring.addSource((table) => observer.show(table));
  const fairness = new Fairness({ seats, clock, timers, requestTimeout, reportError, observer });
  parts.add(() => fairness.stop());
  const step: BootStep = {
    name: "priority-and-fairness-config-consumer",
    async run(server) {
      const { registry } = server;
      const isOwn = registry.current.find(VERSION, FLOW_SCHEMAS.resource) !== undefined;
      const writeCondition = isOwn ? conditionWriter(server, { clock, timers }) : keptElsewhere;
      const source = isOwn
        ? {
            follow: (id: string, listener: SourceListener) =>
              followObjects(registry, id, { ...listener, timers, reportError }),
          }
        : ofMainServer(coreApi);
      const sizes = new ObjectSizes(registry, () => clock.now());
      for (const [path, handler] of debugPages(fairness.levels)) server.paths.handleUnlisted(path, handler);
      await fairness.start({ source, sizeOf: sizes.of, writeCondition });
    },
  };
  return { fairness, step };
}

/** The objects of the main server, by informers that start with those of plugins. Throws in kube-apiserver's words where there is no main server. */
function ofMainServer(coreApi: OpenedAccess | undefined): FairnessParts["source"] {
  if (coreApi === undefined) {
    throw new Error(
      `invalid configuration: priority and fairness requires a core Kubernetes client: serve ${VERSION}, or give coreApi or --kubeconfig`,
    );
  }
  return {
    follow(id, { changed }) {
      const [group = "", resource = ""] = id.split("/");
      coreApi.informers.resource({ group, version: FLOW_SCHEMAS.version, resource }).addHandler({
        added: (object) => changed("ADDED", object),
        updated: (_, object) => changed("MODIFIED", object),
        deleted: (object) => changed("DELETED", object),
      });
      return Promise.resolve();
    },
  };
}

/** The main server keeps the conditions of its FlowSchemas. */
const keptElsewhere = (): Promise<void> => Promise.resolve();

/** Writes as the server itself, by server-side apply. */
function conditionWriter(
  server: Server,
  { clock, timers }: Pick<Opening, "clock" | "timers">,
): FairnessParts["writeCondition"] {
  const headers = { "user-agent": "kube-apiserver" };
  const schemas = kubernetesClient({ transport: () => server.loopback() }, { clock, timers, headers }).resource(
    FLOW_SCHEMAS,
  );
  return (name, condition) => {
    const lastTransitionTime = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    return schemas.apply(
      {
        apiVersion: VERSION,
        kind: "FlowSchema",
        metadata: { name },
        status: { conditions: [{ ...condition, lastTransitionTime }] },
      },
      { fieldManager: MANAGER, force: true, subresource: "status" },
    );
  };
}
