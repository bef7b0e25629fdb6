import { absent, list, object, objects, text } from "../../machinery/meta/received.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { slice, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";

export const describeCsiNode: Describer = async (_namespace, name, description, context) => {
  const node = await context.reader.get("storage.k8s.io/v1/CSINode", "", name);
  const events = await eventsOf(node, "CSINode", context);
  describeName(description, node, false);
  describeLabelsAndAnnotations(description, node);
  description.write(0, `CreationTimestamp:\t${dateText(node.metadata?.creationTimestamp)}\n`);
  description.write(0, "Spec:\n");
  const { drivers } = object(node.spec);
  // kubectl reads protobuf, where an empty list is no list.
  if (list(drivers).length > 0) description.write(1, "Drivers:\n");
  for (const driver of objects(drivers)) {
    description.write(2, `${text(driver.name)}:\n`);
    description.write(3, `Node ID:\t${text(driver.nodeID)}\n`);
    const { count } = object(driver.allocatable);
    if (!absent(count)) {
      description.write(3, "Allocatables:\n");
      description.write(4, `Count:\t${whole(count)}\n`);
    }
    if (list(driver.topologyKeys).length > 0) description.write(3, `Topology Keys:\t${slice(driver.topologyKeys)}\n`);
  }
  describeEvents(description, events, context);
};
