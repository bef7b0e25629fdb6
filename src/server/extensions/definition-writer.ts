import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Transport } from "../../client/transport/transport.js";
import type { KubeObject } from "../../machinery/meta/object.js";

const DEFINITIONS = { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions" };

/**
 * Writes status and finalizers of definitions by requests for the subresource status, so that admission and field tracking see the
 * extension server's changes too. Rules about updates of definitions do not cover it, as with kube-apiserver.
 */
export function definitionWriter(
  transport: Transport,
  surroundings: { readonly clock: Clock; readonly timers: Timers; readonly random?: Random },
): (definition: KubeObject) => Promise<unknown> {
  const headers = { "user-agent": "kube-apiserver" };
  const client = kubernetesClient({ transport: () => transport }, { ...surroundings, headers });
  const definitions = client.resource(DEFINITIONS);
  return (definition) => definitions.updateStatus(definition);
}
