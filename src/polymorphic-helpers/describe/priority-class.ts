import { text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { flag, whole } from "./go-fields.js";
import { describeName, formatLabels } from "./labels.js";

export const describePriorityClass: Describer = async (_namespace, name, description, context) => {
  const priorityClass = await context.reader.get("scheduling.k8s.io/v1/PriorityClass", "", name);
  const events = await eventsOf(priorityClass, "PriorityClass", context);
  describeName(description, priorityClass, false);
  description.write(0, `Value:\t${whole(priorityClass.value)}\n`);
  description.write(0, `GlobalDefault:\t${flag(priorityClass.globalDefault)}\n`);
  description.write(0, `PreemptionPolicy:\t${text(priorityClass.preemptionPolicy)}\n`);
  description.write(0, `Description:\t${text(priorityClass.description)}\n`);
  description.write(0, `Annotations:\t${formatLabels(priorityClass.metadata?.annotations)}\n`);
  describeEvents(description, events, context);
};
