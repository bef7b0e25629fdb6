import { goQuote } from "../../base/text/go-quote.js";
import type { RolloutStatus } from "../../kinds/rollout/status.js";

/** kubectl's line of how far a rollout is, without its newline. */
export function statusText(kind: string, name: string, status: RolloutStatus): string {
  if (kind === "StatefulSet") return statefulSetText(status);
  const type = kind === "DaemonSet" ? "daemon set" : "deployment";
  const rest = (what: string): string => `Waiting for ${type} ${goQuote(name)} rollout to finish: ${what}...`;
  switch (status.step) {
    case "unobserved":
      return `Waiting for ${type} spec update to be observed...`;
    case "updating": {
      const pods = kind === "DaemonSet" ? "pods" : "replicas";
      return rest(`${status.updated} out of ${status.wanted} new ${pods} have been updated`);
    }
    case "terminating":
      return rest(`${status.old} old replicas are pending termination`);
    case "unavailable": {
      const pods = kind === "DaemonSet" ? "updated pods" : "updated replicas";
      return rest(`${status.available} of ${status.wanted} ${pods} are available`);
    }
    case "complete":
    case "unready":
      return `${type} ${goQuote(name)} successfully rolled out`;
  }
}

function statefulSetText(status: RolloutStatus): string {
  switch (status.step) {
    case "unready":
      return `Waiting for ${status.missing} pods to be ready...`;
    case "updating":
      return status.revision === undefined
        ? `Waiting for partitioned roll out to finish: ${status.updated} out of ${status.wanted} new pods have been updated...`
        : `waiting for statefulset rolling update to complete ${status.updated} pods at revision ${status.revision}...`;
    case "complete":
      return status.revision === undefined
        ? `partitioned roll out complete: ${status.updated} new pods have been updated...`
        : `statefulset rolling update complete ${status.updated} pods at revision ${status.revision}...`;
    case "unobserved":
    case "terminating":
    case "unavailable":
      return "Waiting for statefulset spec update to be observed...";
  }
}
