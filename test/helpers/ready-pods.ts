import { kubernetesClient } from "../../src/client/dynamic/kubernetes-client.js";
import { InformerFactory } from "../../src/client/informers/index.js";
import type { Transport } from "../../src/client/transport/transport.js";
import type { Pod, PodCondition } from "../../src/api/types/core/v1.js";
import { isConflict, isNotFound } from "../../src/machinery/errors/status-error.js";

/**
 * Writes of every pod that it is running and ready, in the place of a node, until it is disposed of. For clusters without a
 * scheduler, where a deleted pod is gone at once.
 */
export function readyPods(transport: Transport): AsyncDisposable {
  const client = kubernetesClient({ transport: () => transport });
  const informers = new InformerFactory(client);
  const stop = new AbortController();
  const makeReady = async ({ metadata, status }: Pod): Promise<void> => {
    if (status?.phase !== "Pending" || metadata?.deletionTimestamp !== undefined) return;
    const conditions: PodCondition[] = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
    const pods = client.of("v1", "Pod").namespace(metadata?.namespace ?? "");
    try {
      await pods.patchStatus(metadata?.name ?? "", { status: { phase: "Running", conditions } }, { type: "merge" });
    } catch (error) {
      if (!stop.signal.aborted && !isNotFound(error) && !isConflict(error)) throw error;
    }
  };
  informers.of("v1", "Pod").addHandler({ added: makeReady });
  informers.start(stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await informers.stopped();
      await client.close();
    },
  };
}
