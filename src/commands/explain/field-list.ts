import type { JsonObject } from "../../machinery/meta/json.js";
import { enumLine, externalDocs, typeName } from "./field-notes.js";
import { heldBy, partsOf, propertiesOf, type SchemaDocument, textOf } from "./schema-document.js";
import { type TextPaint, unpainted } from "../../printers/look.js";
import { indent, wordWrap } from "./word-wrap.js";

interface ListContext {
  readonly document: SchemaDocument;
  /** Lists the fields of fields too, a line each, without what is said of them. */
  readonly recursive: boolean;
  readonly level: number;
  readonly paint: TextPaint;
  /** Fields below this level are left out; undefined for all. */
  readonly maxDepth: number | undefined;
  /** The references on the way here: a type that holds itself is listed once. */
  readonly seen: ReadonlySet<string>;
}

/** How much of the fields is listed. */
export interface FieldListing {
  /** Lists the fields of fields too. */
  readonly recursive: boolean;
  /** How many levels of them; undefined for all. */
  readonly maxDepth?: number | undefined;
  /** Set where colours are wanted. */
  readonly paint?: TextPaint | undefined;
}

/** The fields of a schema, and of what its parts, items and values are. */
export function listFields(
  schema: JsonObject,
  document: SchemaDocument,
  { recursive, maxDepth, paint = unpainted }: FieldListing,
): string {
  return list(schema, { document, recursive, maxDepth, paint, level: 1, seen: new Set() });
}

function list(schema: JsonObject, context: ListContext): string {
  const reference = textOf(schema["$ref"]);
  if (reference !== undefined && context.seen.has(reference)) return "";
  if (context.maxDepth !== undefined && context.level > context.maxDepth) return "";
  const seen = reference === undefined ? context.seen : new Set(context.seen).add(reference);
  const resolved = context.document.resolve(schema);
  let text = "";
  for (const [name, property] of propertiesOf(resolved)) {
    text += describeField(name, property, resolved, context);
    if (context.recursive) text += list(property, { ...context, seen, level: context.level + 1 });
  }
  for (const one of [...partsOf(resolved), ...heldBy(resolved)]) text += list(one, { ...context, seen });
  return text;
}

function describeField(name: string, field: JsonObject, owner: JsonObject, context: ListContext): string {
  const { document, recursive, level, paint } = context;
  const margin = level * 2;
  const required =
    Array.isArray(owner["required"]) && owner["required"].includes(name) ? ` ${paint.heading("-required-")}` : "";
  const title = `${indent(paint.key(name), margin)}\t${paint.type(`<${typeName(field, document)}>`)}`;
  const head = `${title}${required}${enumLine(field, margin)}\n`;
  if (recursive) return head;
  const description = textOf(field["description"]) ?? "<no description>";
  const docs = externalDocs(field, { title: margin + 2, text: margin + 4, width: 76 - margin });
  return `${head}${indent(wordWrap(description, 78 - margin), margin + 2)}\n${docs === "" ? "" : `\n${docs}`}\n`;
}
