import type { DeploymentCondition, ReplicaSetCondition } from "../../api/types/apps/v1.js";
import type { ReplicationControllerCondition, Pod } from "../../api/types/core/v1.js";
import { objects, type Received, text, object, type ReceivedObject } from "../../machinery/meta/received.js";
import type { DescriptionWriter } from "./description.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { LabelSelector } from "../../machinery/selectors/label-selector.js";
import type { DescribeContext } from "./describer.js";

type Condition = Received<DeploymentCondition | ReplicaSetCondition | ReplicationControllerCondition>;

/** Writes the conditions of a workload: type, status and reason. Nothing without any. */
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

/** Requests and counts the pods that an object selects and controls: "2 Running / 0 Waiting / 0 Succeeded / 0 Failed". */
export async function podsStatus(
  { metadata }: KubeObject,
  selector: LabelSelector,
  { reader }: DescribeContext,
): Promise<string> {
  const selected = await reader.list("v1/Pod", metadata?.namespace ?? "", { labelSelector: selector.toString() });
  const phases = selected.filter((pod) => controllerOf(pod)?.uid === metadata?.uid).map(phaseOf);
  const count = (wanted: string): number => phases.filter((phase) => phase === wanted).length;
  return `${count("Running")} Running / ${count("Pending")} Waiting / ${count("Succeeded")} Succeeded / ${count("Failed")} Failed`;
}

const phaseOf = ({ status }: ReceivedObject<Pod>): string => text(object(status).phase);

export const controllerOf = ({ metadata }: KubeObject) =>
  objects(metadata?.ownerReferences).find(({ controller }) => controller === true);

/** Names the controller of an object: "ReplicaSet/web"; undefined without one. */
export function controllerText(controllee: KubeObject): string | undefined {
  const controller = controllerOf(controllee);
  return controller && `${text(controller.kind)}/${text(controller.name)}`;
}
