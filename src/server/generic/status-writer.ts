import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Transport } from "../../client/transport/transport.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/**
 * Writes the status of objects by requests for the subresource status, so that admission and field tracking see the server's own changes
 * too. Of definitions it writes the finalizers as well: rules about their updates do not cover it, as with kube-apiserver.
 */
export function statusWriter(
  resource: GroupVersionResource,
  transport: Transport,
  surroundings: { readonly clock: Clock; readonly timers: Timers; readonly random?: Random },
): (object: KubeObject) => Promise<unknown> {
  const headers = { "user-agent": "kube-apiserver" };
  const client = kubernetesClient({ transport: () => transport }, { ...surroundings, headers });
  const objects = client.resource(resource);
  return (object) => objects.updateStatus(object);
}
