import { object, type Received, text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { describeAnnotations, describeLabels } from "./labels.js";

export const describeConfigMap: Describer = async (namespace, name, description, context) => {
  const configMap = await context.reader.get("v1/ConfigMap", namespace, name);
  const metadata = object(configMap.metadata);
  description.write(0, `Name:\t${text(metadata.name)}\n`);
  description.write(0, `Namespace:\t${text(metadata.namespace)}\n`);
  describeLabels(description, "Labels", metadata.labels);
  describeAnnotations(description, "Annotations", metadata.annotations);
  description.write(0, "\nData\n====\n");
  for (const [key, value] of sorted(object(configMap.data))) {
    description.write(0, `${key}:\n----\n${text(value)}\n\n`);
  }
  description.write(0, "\nBinaryData\n====\n");
  for (const [key, value] of sorted(object(configMap.binaryData))) {
    description.write(0, `${key}: ${atob(text(value)).length} bytes\n`);
  }
  description.write(0, "\n");
  describeEvents(description, await eventsOf(configMap, "ConfigMap", context), context);
};

const sorted = (fields: Received<Record<string, string>>): readonly [string, string | null | undefined][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
