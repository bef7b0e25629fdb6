import { text } from "../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import { formatGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import { isStated, partsOf, propertiesOf, SchemaDocument, findDocument } from "./schema-document.js";
import { exampleOf } from "../../api/examples/index.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { unpainted } from "../../printers/look.js";
import type { ExplainOptions } from "./explain.js";
import { kindSchema } from "./plaintext.js";
import { readRequest } from "./resource-request.js";

/**
 * Makes an object of a kind with its spec and its required fields only, each with its default, its first allowed value, or a
 * value of its type.
 */
export function skeletonOf(kind: GroupVersionKind, schema: JsonObject, document: SchemaDocument): JsonObject {
  const own = requiredOf(document.resolve(schema), document, new Set());
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = isRecord(own) ? own : {};
  const name = `my-${kind.kind.toLowerCase()}`;
  return { apiVersion: formatGroupVersion(kind), kind: kind.kind, metadata: { name }, spec: {}, ...rest };
}

function requiredOf(schema: JsonObject, document: SchemaDocument, seen: ReadonlySet<JsonObject>): JsonValue {
  if (seen.has(schema)) return {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const inner = new Set(seen).add(schema);
  // A spec is shown although it may be left out.
  const wanted = propertiesOf(schema).filter(
    ([name]) => required.includes(name) || (seen.size === 0 && name === "spec"),
  );
  return Object.fromEntries(wanted.map(([name, field]) => [name, valueOf(field, document, inner)]));
}

function valueOf(field: JsonObject, document: SchemaDocument, seen: ReadonlySet<JsonObject>): JsonValue {
  const schema = document.resolve(partsOf(field)[0] ?? field);
  if (field["default"] !== undefined) return field["default"];
  const [first] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  if (first !== undefined) return first;
  switch (text(schema["type"])) {
    case "array":
      return isStated(schema["items"]) ? [valueOf(schema["items"], document, seen)] : [];
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return false;
    case "string":
      return "text";
    default:
      return requiredOf(schema, document, seen);
  }
}

const isRecord = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Prints an example manifest of a kind: for Kubernetes' own kinds one that can be applied, for others the fields that their schema
 * requires. Throws an error for kinds that cannot be created from a manifest.
 */
export async function printExample(options: ExplainOptions): Promise<void> {
  const { request, mapper, out, look } = options;
  const { yaml } = look.paint ?? unpainted;
  const { resource } = await readRequest(request, mapper);
  const kind = await mapper.kindFor(resource);
  const example = exampleOf(kind.group, kind.kind);
  if (example !== undefined) return out(yaml(example));
  if (!kind.group.includes(".") || kind.group.endsWith(".k8s.io")) {
    throw new Error(`there is no example of ${kind.kind}: no manifest makes one that is kept`);
  }
  const root = await findDocument(resource, await options.documents());
  const schema = kindSchema(root, resource);
  if (schema === undefined) throw new Error(`the server does not publish a schema of ${kind.kind}`);
  out(yaml(emitYaml(skeletonOf(kind, schema, new SchemaDocument(root)))));
}
