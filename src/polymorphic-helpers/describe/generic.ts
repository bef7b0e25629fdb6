import { goV } from "../../machinery/text/go/go-values.js";
import { isFields } from "../../machinery/meta/access.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { describeAnnotations, describeLabels } from "./labels.js";

/** Left out of the fields: they stand at the top, or say nothing to people. */
const SKIPPED = new Set(
  ["managedFields", "name", "namespace", "labels", "annotations"].map((field) => `.metadata.${field}`),
);

/** Describes any object, field by field, for kinds without a describer of their own. */
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

const ACRONYMS = new Set(["API", "URL", "UID", "GUID"]);

/** A field's name as words: "podIP" -> "Pod IP", "apiVersion" -> "API Version", "my.key" as it is. */
function fieldLabel(field: string): string {
  if (/[^\p{L}-]/u.test(field)) return field;
  const parts = mergeAcronyms(splitCamelCase(field));
  return parts
    .map((part) => {
      if (ACRONYMS.has(part.toUpperCase())) return part.toUpperCase();
      return part.toLowerCase() === part ? capitalised(part) : part;
    })
    .join(" ");
}

/** Where the class of characters changes; the last capital before small letters goes with them: "PDFLoader" -> "PDF", "Loader". */
function splitCamelCase(text: string): readonly string[] {
  const runs = text.match(/\p{Ll}+|\p{Lu}+|[^\p{Ll}\p{Lu}]+/gu) ?? [];
  const parts: string[] = [];
  for (const run of runs) {
    const before = parts.at(-1);
    if (before !== undefined && /^\p{Lu}+$/u.test(before) && /^\p{Ll}/u.test(run)) {
      const [, rest = "", last = ""] = /^(.*)(.)$/su.exec(before) ?? [];
      parts.pop();
      if (rest !== "") parts.push(rest);
      parts.push(last + run);
    } else parts.push(run);
  }
  return parts;
}

/** "IP" and "Address" were one word of capitals and another: kubectl writes them together. */
function mergeAcronyms(parts: readonly string[]): readonly string[] {
  const merged: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const [part = "", next = ""] = [parts[index], parts[index + 1]];
    if (/^[^\p{Ll}]{2,}$/u.test(part) && /^\p{Lu}/u.test(next)) {
      merged.push(part + next);
      index += 1;
    } else merged.push(part);
  }
  return merged;
}

const capitalised = (word: string): string =>
  word.replace(/\p{L}+/gu, (letters) => letters.charAt(0).toUpperCase() + letters.slice(1));
