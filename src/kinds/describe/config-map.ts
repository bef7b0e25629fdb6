import { object, text } from "../../machinery/meta/access.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { describeAnnotations, describeLabels } from "./labels.js";

const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps" };

export const describeConfigMap: Describer = async (namespace, name, description, context) => {
  const configMap = await context.reader.get(CONFIG_MAPS, namespace, name);
  const { metadata = {} } = configMap;
  description.write(0, `Name:\t${metadata.name}\n`);
  description.write(0, `Namespace:\t${metadata.namespace}\n`);
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

const sorted = (fields: Readonly<Record<string, unknown>>): readonly [string, unknown][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
