import { append } from "../../base/collections/append.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { Field, ScalarSchema, Schema, StructSchema } from "../../machinery/schema/schema.js";
import { isStructInGo, scalarZero } from "../../machinery/schema/zero-values.js";
import type { TypeSource } from "../facts/definitions.js";
import type { Release } from "../facts/release.js";
import type { ServedApi } from "../facts/resources.js";
import { commonDescriptionOf, descriptionOf } from "../descriptions/index.js";
import { META } from "./operation.js";

/** A JSON schema in either of OpenAPI's dialects. */
export type JsonSchema = Record<string, unknown>;

/** The differences between OpenAPI 2 and 3 in schemas. */
export interface Dialect {
  /** "#/components/schemas/" or "#/definitions/". */
  readonly refPrefix: string;
  /** Version 3 says allOf, oneOf and defaults; version 2 can not. */
  readonly isV3: boolean;
}

export const v3Dialect: Dialect = { refPrefix: "#/components/schemas/", isV3: true };
export const v2Dialect: Dialect = { refPrefix: "#/definitions/", isV3: false };

const SPECIAL: Readonly<Partial<Record<ScalarSchema["scalar"], string>>> = {
  time: `${META}.Time`,
  microTime: `${META}.MicroTime`,
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  intOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
};

/** Returns the definitions of the given names and of all types that they refer to, by name, sorted. */
export function describeDefinitions(
  names: Iterable<string>,
  dialect: Dialect,
  { types, release }: Pick<ServedApi, "types" | "release">,
): Record<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const refs: string[] = [];
    found.set(name, describeDefinition(name, { dialect, types, release, refs }));
    append(open, refs);
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

interface Context {
  readonly dialect: Dialect;
  readonly types: TypeSource;
  readonly release: Release;
  /** Collects the definitions that are referred to. */
  readonly refs: string[];
}

/** Whether a type is that of a kind which the release publishes. */
const isKind = (definition: string, { release }: Context): boolean =>
  release.definitions.kindsOf(definition).length > 0;

function describeDefinition(name: string, context: Context): JsonSchema {
  const description = descriptionOf(name, "", isKind(name, context));
  const described = description === undefined ? {} : { description };
  const special = specialDefinition(name, context.dialect);
  if (special !== undefined) return { ...described, ...special };
  const { types } = context;
  const struct = types.structOf(name);
  if (struct === undefined) return { ...described, type: "object" };
  const kinds = types.kindsOf(name);
  const unions = types.unionsOf(name);
  return {
    ...described,
    ...describeStruct(struct, context),
    ...(kinds.length > 0 ? { "x-kubernetes-group-version-kind": kinds } : {}),
    ...selectableFields(struct),
    ...(struct.mapType === undefined ? {} : { "x-kubernetes-map-type": struct.mapType }),
    ...(unions === undefined ? {} : { "x-kubernetes-unions": unions }),
  };
}

/** A custom kind, or that of a custom list's items, says by which of its fields clients may select. */
function selectableFields(struct: StructSchema): JsonSchema {
  const paths = customKindOf(struct)?.selectableFields ?? [];
  if (paths.length === 0) return {};
  return { "x-kubernetes-selectable-fields": paths.map((fieldPath) => ({ fieldPath })) };
}

/** The custom kind that a struct is, or that it is a list of; undefined for all others. */
function customKindOf(struct: StructSchema): StructSchema | undefined {
  if (struct.published !== undefined) return struct;
  const items = struct.byName.get("items")?.schema;
  const item = items?.type === "list" && items.items.type === "struct" ? items.items : undefined;
  return item?.published === undefined ? undefined : item;
}

function describeStruct(struct: StructSchema, context: Context): JsonSchema {
  if (struct.published !== undefined) return describePublished(struct, context);
  // Readers of version 2 take a struct with properties to have no others.
  const isOpen = struct.preservesUnknownFields === true && !context.dialect.isV3;
  const required = struct.fields.filter((field) => field.required && !(isOpen && isImplied(field, struct)));
  return {
    type: "object",
    ...(required.length > 0 ? { required: required.map(({ name }) => name).toSorted() } : {}),
    ...(struct.fields.length > 0 && !isOpen ? { properties: describeFields(struct, context) } : {}),
    ...(struct.preservesUnknownFields === true ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(struct.embeddedResource === true ? { "x-kubernetes-embedded-resource": true } : {}),
  };
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** A custom resource: its own schema beside what every resource has. */
function describePublished(struct: StructSchema, context: Context): JsonSchema {
  const fields = struct.fields.filter(({ name }) => META_FIELDS.has(name));
  const meta = describeFields({ ...struct, fields }, context) as JsonObject;
  const { isV3 } = context.dialect;
  const own = struct.published?.({ isV3, meta });
  // Readers take an object with properties to have no others.
  if (own === undefined) return { type: "object" };
  // Readers of version 2 take an object with properties to have no others.
  if (!isV3 && struct.preservesUnknownFields === true) return own;
  return { ...own, properties: { ...(own.properties as JsonObject | undefined), ...meta } };
}

/** What an embedded resource has without declaring it. */
const isImplied = ({ name }: Field, { embeddedResource }: StructSchema): boolean =>
  embeddedResource === true && (name === "kind" || name === "apiVersion");

/** Types with a JSON form of their own. */
function specialDefinition(name: string, { isV3 }: Dialect): JsonSchema | undefined {
  switch (name) {
    case SPECIAL.time:
    case SPECIAL.microTime:
      return { type: "string", format: "date-time" };
    case SPECIAL.quantity:
      return isV3 ? { oneOf: [{ type: "string" }, { type: "number" }] } : { type: "string" };
    case SPECIAL.intOrString:
      return isV3
        ? { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] }
        : { type: "string", format: "int-or-string" };
    default:
      // JSON, JSONSchemaPropsOrArray, ...: anything goes.
      return /\.apiextensions\.v1\.JSON($|SchemaPropsOr)/.test(name) ? {} : undefined;
  }
}

function describeFields(struct: StructSchema, context: Context): Record<string, JsonSchema> {
  const fields = struct.fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(fields.map((field) => [field.name, describeField(field, struct, context)]));
}

function describeField(field: Field, struct: StructSchema, context: Context): JsonSchema {
  const description = struct.definition === "" ? undefined : fieldDescription(struct, field.name, context);
  const extensions: JsonSchema = {
    ...(description === undefined ? {} : { description }),
    ...(field.mapType === undefined ? {} : { "x-kubernetes-map-type": field.mapType }),
    ...(field.patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patchMergeKey }),
    ...(field.patchStrategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patchStrategy.join(",") }),
  };
  const zero = !field.pointer && (!field.omitEmpty || field.schema.type === "struct");
  const fallback = field.default ?? (zero ? zeroDefault(field.schema) : undefined);
  return describe(field.schema, context, fallback, extensions);
}

/** The fields that a custom kind or its list shares with all others mean what they mean there. */
function fieldDescription(struct: StructSchema, field: string, context: Context): string | undefined {
  const own = descriptionOf(struct.definition, field, isKind(struct.definition, context));
  const custom = own === undefined ? customKindOf(struct) : undefined;
  return custom === undefined ? own : commonDescriptionOf(custom === struct ? "kind" : "list", field);
}

function describe(schema: Schema, context: Context, fallback: unknown, extensions: JsonSchema = {}): JsonSchema {
  const { dialect } = context;
  const defaults = dialect.isV3 && fallback !== undefined ? { default: fallback } : {};
  const reference = referenceOf(schema);
  if (reference !== undefined) {
    context.refs.push(reference);
    const ref = { $ref: `${dialect.refPrefix}${reference}` };
    if (!dialect.isV3) return { ...ref, ...extensions };
    const rest = { ...defaults, ...extensions };
    return Object.keys(rest).length === 0 ? ref : { allOf: [ref], ...rest };
  }
  switch (schema.type) {
    case "list":
      return {
        type: "array",
        items: describe(schema.items, context, zeroDefault(schema.items)),
        ...(schema.listMapKeys === undefined ? {} : { "x-kubernetes-list-map-keys": schema.listMapKeys }),
        ...(schema.listType === undefined ? {} : { "x-kubernetes-list-type": schema.listType }),
        ...extensions,
      };
    case "map":
      return {
        type: "object",
        additionalProperties: describe(schema.values, context, zeroDefault(schema.values)),
        ...(schema.mapType === undefined ? {} : { "x-kubernetes-map-type": schema.mapType }),
        ...extensions,
      };
    case "struct":
      return { ...describeStruct(schema, context), ...defaults, ...extensions };
    case "scalar":
      return { ...scalarForm(schema, dialect), ...defaults, ...extensions };
  }
}

function referenceOf(schema: Schema): string | undefined {
  if (schema.type === "struct") return schema.definition === "" ? undefined : schema.definition;
  if (schema.type !== "scalar" || schema.inPlace === true) return undefined;
  return schema.scalar === "any" ? schema.definition : SPECIAL[schema.scalar];
}

function scalarForm(schema: ScalarSchema, { isV3 }: Dialect): JsonSchema {
  switch (schema.scalar) {
    case "bool":
      return { type: "boolean" };
    case "int32":
    case "int64":
      return { type: "integer", format: schema.scalar };
    case "float64":
      return { type: "number", format: "double" };
    case "bytes":
      return { type: "string", format: "byte" };
    case "any":
      return {};
    case "intOrString":
      // One that has a definition is a reference.
      return { ...(isV3 && { anyOf: [{ type: "integer" }, { type: "string" }] }), "x-kubernetes-int-or-string": true };
    case "string":
    case "time":
    case "microTime":
    case "duration":
    case "quantity":
      return { type: "string", ...(schema.enum === undefined ? {} : { enum: schema.enum }) };
  }
}

/** What Go's zero value shows as a default; undefined where there is none to show. */
function zeroDefault(schema: Schema): unknown {
  if (schema.type === "struct") return {};
  if (schema.type !== "scalar" || isStructInGo(schema)) return undefined;
  return scalarZero[schema.scalar] ?? undefined;
}
