import { withMistyped } from "../../base/text/mistyped.js";
import { fieldNamesAt } from "../../client/openapi/openapi-fields.js";
import { goV } from "../../machinery/text/go/go-values.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { formatResource } from "../../machinery/rest-mapper.js";
import { unpainted, type TextPaint } from "../../printers/look.js";
import { describe, enumList, externalDocs, typeName, enumLine } from "./field-notes.js";
import { isStated, partsOf, SchemaDocument, sortedEntries, textOf, heldBy, propertiesOf } from "./schema-document.js";
import { indent, wordWrap } from "./word-wrap.js";

export interface Explanation extends FieldListing {
  readonly resource: GroupVersionResource;
  /** The way from the resource to what is explained; none: the resource itself. */
  readonly fields: readonly string[];
}

/**
 * Explains a resource or one of its fields from an OpenAPI v3 document, as kubectl's `plaintext` does. It writes to `out` as it
 * proceeds: the kind is printed before a missing field is found. Throws an error for a missing kind or field.
 */
export function explainPlainly(root: JsonObject, explanation: Explanation, out: (text: string) => void): void {
  const kind = kindOf(root, explanation.resource);
  if (kind === undefined) throw unknownResource(explanation.resource);
  const group = textOf(kind["group"]);
  const { key } = explanation.paint ?? unpainted;
  if (group !== undefined) out(`${key("GROUP:")}      ${group}\n`);
  const [name, version] = ["kind", "version"].map((key) => textOf(kind[key]) ?? "<no value>");
  out(`${key("KIND:")}       ${name}\n${key("VERSION:")}    ${version}\n\n`);
  const schema = schemaOf(root, kind);
  const document = new SchemaDocument(root);
  const text = explainField(schema, explanation.fields, { document, listing: explanation, seen: new Set() });
  if (text === "") throw noSuchField(schema, explanation.fields, root);
  out(`${text}\n`);
}

/** kubectl names the last field, whichever is not there. */
function noSuchField(schema: JsonObject, fields: readonly string[], root: JsonObject): Error {
  const error = new Error(`error: field "${fields.at(-1)}" does not exist`);
  return withMistyped(error, () => {
    for (const [at, typed] of fields.entries()) {
      const known = fieldNamesAt(schema, schemasOf(root), fields.slice(0, at));
      if (!known.includes(typed)) return { typed, known, suggest: (name) => fields.with(at, name).join(".") };
    }
    return { typed: "", known: [] };
  });
}

const unknownResource = (resource: GroupVersionResource): Error =>
  new Error(`error: GVR (${formatResource(resource)}) not found in OpenAPI schema`);

function schemaOf(root: JsonObject, kind: JsonObject): JsonObject {
  const found = sortedEntries(schemasOf(root)).find(([, schema]) => describesKind(schema, kind));
  if (found === undefined) throw new Error(`error: GVK ${goV(kind)} not found in OpenAPI schema`);
  return found[1] as JsonObject;
}

function schemasOf({ components }: JsonObject): JsonObject {
  const schemas = isJsonObject(components) ? components["schemas"] : undefined;
  return isJsonObject(schemas) ? schemas : {};
}

/** The schema of a resource's kind; undefined for a resource that the document does not describe. */
export function kindSchema(root: JsonObject, resource: GroupVersionResource): JsonObject | undefined {
  const kind = kindOf(root, resource);
  return kind === undefined ? undefined : schemaOf(root, kind);
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Which kind the operations on a resource say they handle; the last path that says so counts. */
function kindOf(root: JsonObject, { group, version, resource }: GroupVersionResource): JsonObject | undefined {
  const base = `${group === "" ? "/api" : `/apis/${group}`}/${version}`;
  const paths = root["paths"];
  let kind: JsonValue | undefined;
  for (const where of [base, `${base}/namespaces/{namespace}`]) {
    for (const path of [`${where}/${resource}`, `${where}/${resource}/{name}`]) {
      const item = isJsonObject(paths) ? paths[path] : undefined;
      for (const operation of METHODS.map((method) => (isJsonObject(item) ? item[method] : undefined))) {
        if (!isStated(operation)) continue;
        kind = operation["x-kubernetes-group-version-kind"];
        if (isStated(kind)) break;
      }
    }
  }
  return isStated(kind) ? kind : undefined;
}

function describesKind(schema: JsonValue, kind: JsonObject): boolean {
  const kinds = isJsonObject(schema) ? schema["x-kubernetes-group-version-kind"] : undefined;
  return Array.isArray(kinds) && kinds.some((one) => deepEqual(one, kind));
}

interface Context {
  readonly document: SchemaDocument;
  readonly listing: FieldListing;
  /** The references followed since the last field was found: a list of itself has no fields. */
  readonly seen: ReadonlySet<string>;
}

/** Follows the fields and explains what is at their end; "" when they lead nowhere. */
function explainField(schema: JsonObject, fields: readonly string[], context: Context): string {
  const { document, listing } = context;
  const resolved = document.resolve(schema);
  const [name, ...rest] = fields;
  if (name === undefined) return explainSchema(resolved, document, listing);
  const reference = textOf(schema["$ref"]);
  if (reference !== undefined && context.seen.has(reference)) return "";
  const properties = resolved["properties"];
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (isStated(property)) {
    const title = rest.length === 0 ? fieldTitle(name, property, context) : "";
    return title + explainField(property, rest, { ...context, seen: new Set() });
  }
  const next = { ...context, seen: reference === undefined ? context.seen : new Set(context.seen).add(reference) };
  const { items, additionalProperties: values } = resolved;
  if (isStated(items)) return explainField(items, fields, next);
  if (isStated(values)) return explainField(values, fields, next);
  for (const part of partsOf(resolved)) {
    const text = explainField(part, fields, next);
    if (text !== "") return text;
  }
  return "";
}

function fieldTitle(name: string, field: JsonObject, { document, listing }: Context): string {
  const { key, heading, type } = listing.paint ?? unpainted;
  const title = `${key("FIELD:")} ${heading(name)} ${type(`<${typeName(field, document)}>`)}`;
  return `${title}\n${enumList(field)}\n\n`;
}

function explainSchema(schema: JsonObject, document: SchemaDocument, listing: FieldListing): string {
  const { heading } = listing.paint ?? unpainted;
  const description = describe(schema, document) || "<empty>";
  const docs = externalDocs(schema, { title: 0, text: 4, width: 76 });
  const fields = listFields(schema, document, listing);
  return [
    `${heading("DESCRIPTION:")}\n${indent(wordWrap(description, 76), 4)}\n`,
    docs === "" ? "" : `\n${docs}`,
    fields === "" ? "" : `${heading("FIELDS:")}\n${fields}`,
  ].join("");
}

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
interface FieldListing {
  /** Lists the fields of fields too. */
  readonly recursive: boolean;
  /** How many levels of them; undefined for all. */
  readonly maxDepth?: number | undefined;
  /** Set where colours are wanted. */
  readonly paint?: TextPaint | undefined;
}

/** The fields of a schema, and of what its parts, items and values are. */
function listFields(
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
