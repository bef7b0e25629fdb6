import type { FieldsOf } from "../../machinery/meta/received.js";
import type { JSONSchemaProps } from "../../api/types/apiextensions/v1.js";
import { isFields, list, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { formatGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import { CUSTOM_UPDATES } from "../extensions/custom-strategy.js";
import { versionFromOpenApi } from "./kind-from-crd.js";
import type { Kind, KindOptions } from "./declaration.js";
import { declarationOf, definitionOf } from "./kind.js";

/**
 * The kind of a document of OpenAPI, version 2 or 3, as `kubectl get --raw /openapi/v2` prints it. Plural, scope and status come from the paths of the
 * document where `options` do not say them. Throws a TypeError where the document does not have the kind.
 */
export function kindFromOpenApi(document: OpenApiDocument, gvk: GroupVersionKind, options: KindOptions = {}): Kind {
  const { group, version, kind } = gvk;
  const definitions = object(document.definitions ?? object(document.components).schemas);
  const found = Object.entries(definitions).find(([, definition]) => isOfKind(definition, gvk));
  if (found === undefined) {
    throw new TypeError(`the OpenAPI document has no ${kind} of ${formatGroupVersion(gvk)}`);
  }
  const openApi = rootOf(new Inliner(definitions).inline(found[1] as JsonObject, [found[0]]));
  const places = pathsOf(document, gvk);
  const completed: KindOptions = { ...places, ...options };
  const declared = versionFromOpenApi({ kind, name: version, openApi }, completed, {});
  const strategy = { ...CUSTOM_UPDATES, ...completed.strategy };
  return definitionOf(declarationOf(group, kind, [declared], completed), { ...completed, strategy }, true);
}

/** What is read of a document of OpenAPI 2 or 3. */
interface OpenApiDocument {
  readonly definitions?: unknown;
  readonly components?: unknown;
  readonly paths?: unknown;
}

type Schema = { readonly [Field in keyof JSONSchemaProps]?: JsonValue };

const GVK = "x-kubernetes-group-version-kind";

function isOfKind(holder: unknown, { group, version, kind }: GroupVersionKind): boolean {
  if (!isFields(holder)) return false;
  const stated = holder[GVK];
  const all = Array.isArray(stated) ? objects(stated) : [object(stated)];
  return all.some(
    (one: FieldsOf<GroupVersionKind>) => text(one.group) === group && one.version === version && one.kind === kind,
  );
}

/** The schema of an object with what every object has as a CustomResourceDefinition says it. */
function rootOf(schema: JsonObject): JsonObject {
  const { [GVK]: _, ...rest } = schema;
  const { properties: given, required: names }: Schema = rest;
  const properties = { ...(given as JsonObject | undefined) };
  for (const name of ["apiVersion", "kind"]) properties[name] = { type: "string" } satisfies Schema;
  properties.metadata = { type: "object" } satisfies Schema;
  const required = list(names).filter((name) => !META.has(name as string)) as readonly string[];
  const { required: __, ...open } = rest;
  return {
    ...open,
    type: "object",
    properties,
    ...(required.length > 0 && ({ required: [...required] } satisfies Schema)),
  } satisfies Schema;
}

const META: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const UNKNOWN = { "x-kubernetes-preserve-unknown-fields": true } satisfies Schema;
const EITHER = {
  "x-kubernetes-int-or-string": true,
  anyOf: [{ type: "integer" } satisfies Schema, { type: "string" } satisfies Schema],
} satisfies Schema;

/** Puts the definitions that a schema refers to in the places of the references: a structural schema has none. */
class Inliner {
  constructor(private readonly definitions: ReadonlyFields) {}

  /** `outer` are the names of the definitions that the schema stands in: one in itself is JSON of any form. */
  inline(schema: JsonObject, outer: readonly string[]): JsonObject {
    const { $ref, allOf }: Schema = schema;
    const { $ref: _, allOf: __, ...rest } = schema;
    if (typeof $ref === "string") return this.#referred($ref, rest, outer);
    // Version 3 puts a reference with a description or a default into allOf.
    const [only, ...more] = objects(allOf);
    if (only !== undefined && more.length === 0 && typeof only.$ref === "string") {
      return this.#referred(only.$ref, rest, outer);
    }
    if (isIntOrString(schema)) return { ...described(schema), ...EITHER };
    const { type, properties, items, additionalProperties: others }: Schema = schema;
    const inner = (one: unknown): JsonValue => this.inline(object(one) as JsonObject, outer);
    const inlined: JsonObject = {
      ...schema,
      ...(isFields(properties) &&
        ({
          properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)])),
        } satisfies Schema)),
      ...(isFields(items) && ({ items: inner(items) } satisfies Schema)),
      ...(isFields(others) && ({ additionalProperties: inner(others) } satisfies Schema)),
    };
    const isOpen = !isFields(properties) && others === undefined;
    return (type === undefined || type === "object") && isOpen ? { ...inlined, ...UNKNOWN } : inlined;
  }

  #referred(reference: string, beside: JsonObject, outer: readonly string[]): JsonObject {
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    if (outer.includes(name)) return { ...described(beside), ...UNKNOWN };
    if (!isFields(this.definitions[name])) throw new TypeError(`the OpenAPI document has no definition ${name}`);
    if (name.endsWith(".Quantity")) return { ...described(beside), ...EITHER };
    const { [GVK]: _, ...inlined } = this.inline(this.definitions[name] as JsonObject, [...outer, name]);
    return { ...inlined, ...beside };
  }
}

const isIntOrString = (schema: Schema): boolean =>
  schema.format === "int-or-string" || schema["x-kubernetes-int-or-string"] === true;

const described = ({ description }: Schema): JsonObject =>
  description === undefined ? {} : ({ description } satisfies Schema);

/** What the paths of a document say of a kind. */
function pathsOf(
  { paths }: OpenApiDocument,
  gvk: GroupVersionKind,
): Pick<KindOptions, "plural" | "namespaced" | "status"> {
  const prefix = gvk.group === "" ? `/api/${gvk.version}/` : `/apis/${gvk.group}/${gvk.version}/`;
  const own = Object.entries(object(paths)).filter(([path, item]) => {
    return path.startsWith(prefix) && Object.values(object(item)).some((operation) => isOfKind(operation, gvk));
  });
  const item = own.map(([path]) => path).find((path) => path.endsWith("/{name}"));
  if (item === undefined) return {};
  const segments = item.split("/");
  return {
    plural: segments[segments.length - 2] ?? "",
    namespaced: segments.includes("{namespace}"),
    status: own.some(([path]) => path === `${item}/status`),
  };
}
