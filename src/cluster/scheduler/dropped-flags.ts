import type { ComponentFlag, FlagSection } from "../../component/component-flag.js";
import type { FlagType } from "../../component/flags/flag-set.js";

const NO_PLAIN_PORT = "the one port is --secure-port";
const USE_CONFIG = "choose plugins in the profiles of --config";

/** Flags of earlier versions of kube-scheduler, with which older texts start it. */
export const droppedSection: FlagSection = {
  name: "dropped",
  flags: [
    dropped("address", "string", NO_PLAIN_PORT),
    refused("algorithm-provider", USE_CONFIG, ["DefaultProvider"]),
    dropped("failure-domains", "string", "the topology keys of pods say it"),
    dropped("hard-pod-affinity-symmetric-weight", "int", "the arguments of InterPodAffinity in --config say it"),
    dropped("lock-object-name", "string", "use --leader-elect-resource-name"),
    dropped("lock-object-namespace", "string", "use --leader-elect-resource-namespace"),
    refused("policy-config-file", USE_CONFIG),
    refused("policy-configmap", USE_CONFIG),
    refused("policy-configmap-namespace", USE_CONFIG, ["kube-system"]),
    dropped("port", "int", NO_PLAIN_PORT),
    refused("scheduler-name", "name it in the profiles of --config", ["default-scheduler"]),
    refused("use-legacy-policy-config", USE_CONFIG, ["false"], "bool"),
  ],
};

function dropped(name: string, type: FlagType, instead: string): ComponentFlag {
  return { name, type, usage: "A flag of earlier versions.", dropped: instead, hidden: true };
}

/** A dropped flag that chose where kube-scheduler puts pods. The scheduler refuses every value but `accepted`, which is what it does anyway. */
function refused(
  name: string,
  instead: string,
  accepted: readonly string[] = [],
  type: FlagType = "string",
): ComponentFlag {
  const reason = `Kubernetes has dropped it, ${instead}`;
  return { name, type, usage: "A flag of earlier versions.", refused: reason, alsoAccepted: accepted, hidden: true };
}
