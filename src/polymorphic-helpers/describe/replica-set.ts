import type { ReplicaSet } from "../../api/types/apps/v1.js";
import type { ReplicationController } from "../../api/types/core/v1.js";
import { object, type ReceivedObject } from "../../machinery/meta/received.js";
import { formatSelectorObject, selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { selectorFromSet } from "../../machinery/selectors/label-selector.js";
import { describeReasons, controllerText, podsStatus } from "./workload-status.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { texts, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName, formatLabels } from "./labels.js";
import { describePodTemplate } from "./pod-template.js";

export const describeReplicaSet: Describer = async (namespace, name, description, context) => {
  const set = await context.reader.get("apps/v1/ReplicaSet", namespace, name);
  const labelSelector = object(set.spec).selector;
  const pods = await podsStatus(set, selectorFromObject(labelSelector), context).catch(
    (error: Error) => `error in fetching pods: ${error.message}`,
  );
  const events = await eventsOf(set, "ReplicaSet", context);
  describeName(description, set);
  description.write(0, `Selector:\t${formatSelectorObject(labelSelector)}\n`);
  describeLabelsAndAnnotations(description, set);
  const controller = controllerText(set);
  if (controller !== undefined) description.write(0, `Controlled By:\t${controller}\n`);
  describeReplicas(description, set, pods);
  describeEvents(description, events, context);
};

export const describeReplicationController: Describer = async (namespace, name, description, context) => {
  const controller = await context.reader.get("v1/ReplicationController", namespace, name);
  const selected = texts(object(controller.spec).selector);
  const pods = await podsStatus(controller, selectorFromSet(selected), context);
  const events = await eventsOf(controller, "ReplicationController", context);
  describeName(description, controller);
  description.write(0, `Selector:\t${formatLabels(selected)}\n`);
  describeLabelsAndAnnotations(description, controller);
  describeReplicas(description, controller, pods);
  describeEvents(description, events, context);
};

function describeReplicas(
  description: Description,
  controller: ReceivedObject<ReplicaSet | ReplicationController>,
  pods: string,
): void {
  const [spec, status] = [object(controller.spec), object(controller.status)];
  description.write(0, `Replicas:\t${whole(status.replicas)} current / ${whole(spec.replicas)} desired\n`);
  description.write(0, `Pods Status:\t${pods}\n`);
  describePodTemplate(description, spec.template);
  describeReasons(description, status.conditions);
}
