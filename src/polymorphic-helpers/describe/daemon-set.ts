import { object } from "../../machinery/meta/received.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { texts, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName, formatLabels } from "./labels.js";
import { podsStatus } from "./workload-status.js";
import { describePodTemplate } from "./pod-template.js";

const COUNTS = [
  ["Desired Number of Nodes Scheduled", "desiredNumberScheduled"],
  ["Current Number of Nodes Scheduled", "currentNumberScheduled"],
  ["Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"],
  ["Number of Nodes Scheduled with Available Pods", "numberAvailable"],
  ["Number of Nodes Misscheduled", "numberMisscheduled"],
] as const;

export const describeDaemonSet: Describer = async (namespace, name, description, context) => {
  const daemon = await context.reader.get("apps/v1/DaemonSet", namespace, name);
  const [spec, status] = [object(daemon.spec), object(daemon.status)];
  const selector = selectorFromObject(spec.selector);
  const pods = await podsStatus(daemon, selector, context);
  const events = await eventsOf(daemon, "DaemonSet", context);
  describeName(description, daemon);
  description.write(0, `Selector:\t${selector.toString()}\n`);
  const { nodeSelector } = object(object(spec.template).spec);
  description.write(0, `Node-Selector:\t${formatLabels(texts(nodeSelector))}\n`);
  describeLabelsAndAnnotations(description, daemon);
  for (const [title, field] of COUNTS) description.write(0, `${title}: ${whole(status[field])}\n`);
  description.write(0, `Pods Status:\t${pods}\n`);
  describePodTemplate(description, spec.template);
  describeEvents(description, events, context);
};
