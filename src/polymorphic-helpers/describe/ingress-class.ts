import { absent, isStruct, object, text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";

export const describeIngressClass: Describer = async (_namespace, name, description, context) => {
  const ingressClass = await context.reader.get("networking.k8s.io/v1/IngressClass", "", name);
  const events = await eventsOf(ingressClass, "IngressClass", context);
  const { controller, parameters } = object(ingressClass.spec);
  describeName(description, ingressClass, false);
  describeLabelsAndAnnotations(description, ingressClass);
  description.write(0, `Controller:\t${text(controller)}\n`);
  if (isStruct(parameters)) {
    description.write(0, "Parameters:\n");
    if (!absent(parameters.apiGroup)) description.write(1, `APIGroup:\t${text(parameters.apiGroup)}\n`);
    description.write(1, `Kind:\t${text(parameters.kind)}\n`);
    description.write(1, `Name:\t${text(parameters.name)}\n`);
  }
  describeEvents(description, events, context);
};
