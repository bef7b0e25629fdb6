import type { Pod } from "../../../api/types/core/v1.js";
import { forbidden } from "../../../machinery/errors/status-error.js";
import { object, objects, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { handling, WRITES, type AdmissionPlugin } from "../plugin.js";

const HOSTNAME = "kubernetes.io/hostname";

/** Rejects pods with a required anti-affinity over another topology than the node. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: "LimitPodHardAntiAffinityTopology",
  handles: handling(WRITES, "pods"),
  validate(attributes) {
    const pod: ReceivedObject<Pod> | undefined = attributes.object;
    const antiAffinity = object(object(object(pod?.spec).affinity).podAntiAffinity);
    for (const term of objects(antiAffinity.requiredDuringSchedulingIgnoredDuringExecution)) {
      const key = text(term.topologyKey);
      if (key === HOSTNAME) continue;
      const message = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${HOSTNAME} is allowed`;
      throw forbidden({ group: "", resource: "pods" }, pod?.metadata?.name ?? "", message);
    }
  },
};
