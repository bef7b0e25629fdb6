import type { KubeObject } from "../../../machinery/meta/object.js";
import { convertPodTemplate } from "../core/pod-template.js";
import { withChild, zeroWhereAbsent } from "../with-child.js";

/** Which fields of a workload's internal type are plain numbers, though pointers in its versions. */
export interface WorkloadShape {
  /** Of the spec. */
  readonly counts: readonly string[];
  /** The field of the spec that has `rollingUpdate`. */
  readonly strategy?: string;
  /** Of `rollingUpdate`. */
  readonly rolling?: readonly string[];
}

export const DEPLOYMENT: WorkloadShape = {
  counts: ["replicas"],
  strategy: "strategy",
  rolling: ["maxUnavailable", "maxSurge"],
};
export const DAEMON_SET: WorkloadShape = {
  counts: [],
  strategy: "updateStrategy",
  rolling: ["maxUnavailable", "maxSurge"],
};
export const STATEFUL_SET: WorkloadShape = {
  counts: ["replicas"],
  strategy: "updateStrategy",
  rolling: ["partition"],
};
export const REPLICA_SET: WorkloadShape = { counts: ["replicas"] };

/** What the way through the internal type does to every workload, whatever its versions; what is left out stays so. */
export function convertWorkload(workload: KubeObject, { counts, strategy, rolling = [] }: WorkloadShape): KubeObject {
  return withChild(workload, "spec", (spec) => {
    const converted = withChild(zeroWhereAbsent(spec, counts), "template", convertPodTemplate);
    if (strategy === undefined) return converted;
    return withChild(converted, strategy, (value) =>
      withChild(value, "rollingUpdate", (update) => zeroWhereAbsent(update, rolling)),
    );
  });
}
