import type { Pod } from "../../api/types/core/v1.js";
import { object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { LabelSelector } from "../../machinery/selectors/label-selector.js";
import type { DescribeContext } from "./describer.js";

/** "2 Running / 0 Waiting / 0 Succeeded / 0 Failed": the pods that an object selects and controls. A request. */
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

/** "ReplicaSet/web"; undefined for an object without a controller. */
export function controllerText(controllee: KubeObject): string | undefined {
  const controller = controllerOf(controllee);
  return controller && `${text(controller.kind)}/${text(controller.name)}`;
}
