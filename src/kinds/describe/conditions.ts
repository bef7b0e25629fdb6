import type { DeploymentCondition, ReplicaSetCondition } from "../../api/types/apps/v1.js";
import type { ReplicationControllerCondition } from "../../api/types/core/v1.js";
import { objects, type Received, text } from "../../machinery/meta/received.js";
import type { DescriptionWriter } from "./description.js";

type Condition = Received<DeploymentCondition | ReplicaSetCondition | ReplicationControllerCondition>;

/** The conditions of a workload: type, status and reason. Nothing without any. */
export function describeReasons(
  description: DescriptionWriter,
  conditions: readonly (Condition | null)[] | null | undefined,
): void {
  const all = objects(conditions);
  if (all.length === 0) return;
  description.write(0, "Conditions:\n  Type\tStatus\tReason\n");
  description.write(1, "----\t------\t------\n");
  // The space is kubectl's own.
  for (const { type, status, reason } of all)
    description.write(1, `${text(type)} \t${text(status)}\t${text(reason)}\n`);
}
