import { goV } from "../../machinery/text/go/go-values.js";
import { isFields } from "../../machinery/meta/access.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { fieldLabel } from "./field-label.js";
import { describeAnnotations, describeLabels } from "./labels.js";

/** Left out of the fields: they stand at the top, or say nothing to people. */
const SKIPPED = new Set(
  ["managedFields", "name", "namespace", "labels", "annotations"].map((field) => `.metadata.${field}`),
);

/** Any object, field by field: for kinds that have no description of their own. */
export function describeAny({ resource, kind }: RestMapping): Describer {
  return async (namespace, name, description, context) => {
    const object = await context.reader.getAny(resource, namespace, name);
    const { metadata } = object;
    const events = await eventsOf(object, kind.kind, context);
    description.write(0, `Name:\t${metadata?.name ?? ""}\n`);
    description.write(0, `Namespace:\t${metadata?.namespace ?? ""}\n`);
    describeLabels(description, "Labels", metadata?.labels);
    describeAnnotations(description, "Annotations", metadata?.annotations);
    describeFields(description, 0, object, "");
    describeEvents(description, events, context);
  };
}

function describeFields(
  description: Description,
  level: number,
  fields: Readonly<Record<string, unknown>>,
  path: string,
): void {
  for (const name of Object.keys(fields).sort()) {
    const at = `${path}.${name}`;
    if (SKIPPED.has(at)) continue;
    const value = fields[name];
    if (Array.isArray(value)) {
      description.write(level, `${fieldLabel(name)}:\n`);
      for (const item of value as unknown[]) {
        if (isFields(item)) describeFields(description, level + 1, item, at);
        else description.write(level + 1, `${goV(item as JsonValue)}\n`);
      }
    } else if (isFields(value)) {
      description.write(level, `${fieldLabel(name)}:\n`);
      describeFields(description, level + 1, value, at);
    } else {
      description.write(level, `${fieldLabel(name)}:\t${goV((value ?? null) as JsonValue)}\n`);
    }
  }
}
