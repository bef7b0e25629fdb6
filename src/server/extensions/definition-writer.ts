import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import type { Timers } from "../../base/timers.js";
import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Transport } from "../../client/transport/transport.js";
import type { KubeObject } from "../../machinery/meta/object.js";

const DEFINITIONS = { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions" };

/** Writes definitions by requests, so that admission and field tracking see the extension server's changes too. */
export function definitionWriter(
  transport: Transport,
  surroundings: { readonly clock: Clock; readonly timers: Timers; readonly random?: Random },
): (definition: KubeObject, part: "status" | "object") => Promise<unknown> {
  const headers = { "user-agent": "kube-apiserver" };
  const client = kubernetesClient({ transport: () => transport }, { ...surroundings, headers });
  const definitions = client.resource(DEFINITIONS);
  return (definition, part) =>
    part === "status" ? definitions.updateStatus(definition) : definitions.update(definition);
}
