import { inOrder } from "../../base/async/turns.js";
import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { followObjects } from "../../server/aggregator/followed-objects.js";
import { IN_FLIGHT_LIMITS } from "../../server/filters/max-in-flight.js";
import type { Fairness, FairnessParts } from "../../server/flow-control/fairness.js";
import type { Server } from "../../server/generic/server.js";
import type { BootStep } from "../composition.js";
import type { OpenedParts } from "./opened-parts.js";
import type { Opening } from "./opened-server.js";

const FLOW_SCHEMAS = { group: "flowcontrol.apiserver.k8s.io", version: "v1", resource: "flowschemas" };
/** kube-apiserver's name as a manager of fields. */
const MANAGER = "api-priority-and-fairness-config-consumer-v1";

/** Priority and fairness of a server that is being opened. */
export interface OpenedFairness {
  readonly fairness: Fairness;
  /** Follows the stored objects, before the server serves. */
  readonly step: BootStep;
}

/** Undefined where the options do not ask for it; nothing of it is loaded then. */
export async function openFairness(
  { options, clock, timers }: Opening,
  parts: OpenedParts,
  reportError: (error: unknown) => void,
): Promise<OpenedFairness | undefined> {
  const limits = options.inFlight ?? IN_FLIGHT_LIMITS;
  if (limits.fairness !== true) return undefined;
  const [{ Fairness: Made }, { ObjectSizes }, { debugPages }] = await Promise.all([
    inOrder(import("../../server/flow-control/fairness.js")),
    inOrder(import("../../server/flow-control/object-sizes.js")),
    inOrder(import("../../server/flow-control/debug-dump.js")),
  ]);
  const requestTimeout = options.conduct?.requestTimeout;
  const seats = limits.readOnly + limits.mutating;
  const fairness = new Made({ seats, clock, timers, requestTimeout, reportError });
  parts.add(() => fairness.stop());
  const step: BootStep = {
    name: "priority-and-fairness-config-consumer",
    async run(server) {
      const { registry } = server;
      const source: FairnessParts["source"] = {
        follow: (id, listener) => followObjects(registry, id, { ...listener, timers, reportError }),
      };
      const sizes = new ObjectSizes(registry, () => clock.now());
      for (const [path, handler] of debugPages(fairness.levels)) server.paths.handleUnlisted(path, handler);
      await fairness.start({ source, sizeOf: sizes.of, writeCondition: conditionWriter(server, { clock, timers }) });
    },
  };
  return { fairness, step };
}

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
        apiVersion: `${FLOW_SCHEMAS.group}/${FLOW_SCHEMAS.version}`,
        kind: "FlowSchema",
        metadata: { name },
        status: { conditions: [{ ...condition, lastTransitionTime }] },
      },
      { fieldManager: MANAGER, force: true, subresource: "status" },
    );
  };
}
