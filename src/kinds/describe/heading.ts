import type { KubeObject } from "../../machinery/meta/object.js";
import type { DescriptionWriter } from "./description.js";
import { describeAnnotations, describeLabels } from "./labels.js";

/** "Name:" and, of what has one, "Namespace:". */
export function describeName(description: DescriptionWriter, { metadata = {} }: KubeObject, namespaced = true): void {
  description.write(0, `Name:\t${metadata.name ?? ""}\n`);
  if (namespaced) description.write(0, `Namespace:\t${metadata.namespace ?? ""}\n`);
}

export function describeLabelsAndAnnotations(description: DescriptionWriter, { metadata = {} }: KubeObject): void {
  describeLabels(description, "Labels", metadata.labels);
  describeAnnotations(description, "Annotations", metadata.annotations);
}
