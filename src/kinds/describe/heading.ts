import type { ApiObject } from "../../machinery/meta/object.js";
import { object, text } from "../../machinery/meta/received.js";
import type { DescriptionWriter } from "./description.js";
import { describeAnnotations, describeLabels } from "./labels.js";

/** "Name:" and, of what has one, "Namespace:". */
export function describeName(description: DescriptionWriter, { metadata }: ApiObject, namespaced = true): void {
  description.write(0, `Name:\t${text(object(metadata).name)}\n`);
  if (namespaced) description.write(0, `Namespace:\t${text(object(metadata).namespace)}\n`);
}

export function describeLabelsAndAnnotations(description: DescriptionWriter, { metadata }: ApiObject): void {
  describeLabels(description, "Labels", object(metadata).labels);
  describeAnnotations(description, "Annotations", object(metadata).annotations);
}
