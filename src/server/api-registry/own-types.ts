import { publishedDefinitions, type TypeSource } from "../../api/facts/index.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import { structOfFields } from "../../machinery/schema/build-schema.js";
import type { Schema, StructSchema } from "../../machinery/schema/schema.js";

/** A kind that an installed resource brings, with its schema. */
export interface OwnKind {
  readonly gvk: GroupVersionKind;
  readonly schema: StructSchema;
}

/** "com.example.v1.Widget": the OpenAPI name of a kind of the group "example.com". */
export const definitionName = ({ group, version, kind }: GroupVersionKind): string =>
  [...group.split(".").toReversed(), version, kind].join(".");

/** A published kind whose fields kind, apiVersion and metadata every kind has, and its list. */
const MODEL = { group: "", version: "v1", kind: "ConfigMap" };
const MODEL_LIST = { ...MODEL, kind: "ConfigMapList" };

/** The schema of a kind: apiVersion, kind and metadata, then the fields of `content`. */
export function objectSchema(gvk: GroupVersionKind, content: StructSchema): StructSchema {
  const own = new Set(["kind", "apiVersion", "metadata"]);
  // No kind of an installed resource has a protobuf form.
  const common = modelOf(MODEL)
    .fields.filter(({ name }) => own.has(name))
    .map((field) => ({ ...field, protobuf: undefined }));
  const rest = content.fields.filter(({ name }) => !own.has(name));
  const { preservesUnknownFields, conform, published } = content;
  const schema = structOfFields(gvk.kind, definitionName(gvk), [...common, ...rest]);
  return { ...schema, preservesUnknownFields, conform, published };
}

/** The schema of a kind's list. */
export function listSchema(gvk: GroupVersionKind, item: StructSchema): StructSchema {
  const fields = modelOf(MODEL_LIST).fields.map((field) =>
    field.name === "items"
      ? { ...field, protobuf: undefined, schema: { type: "list" as const, items: item } }
      : { ...field, protobuf: undefined },
  );
  return structOfFields(gvk.kind, definitionName(gvk), fields);
}

function modelOf(gvk: GroupVersionKind): StructSchema {
  const schema = publishedDefinitions.schemaFor(gvk);
  if (schema === undefined) throw new Error(`the API facts have no ${gvk.kind}`);
  return schema;
}

/** The types of installed kinds, before those of `base`. */
export function withOwnTypes(base: TypeSource, kinds: readonly OwnKind[]): TypeSource {
  if (kinds.length === 0) return base;
  const structs = new Map<string, StructSchema>();
  const kindsByDefinition = new Map<string, GroupVersionKind[]>();
  for (const { gvk, schema } of kinds) {
    collect(schema, base, structs);
    const named = kindsByDefinition.get(schema.definition) ?? [];
    kindsByDefinition.set(schema.definition, [...named, gvk]);
  }
  const isSame = (one: GroupVersionKind, other: GroupVersionKind): boolean =>
    one.kind === other.kind && one.version === other.version && one.group === other.group;
  return {
    definitionOf: (gvk) => kinds.find((own) => isSame(own.gvk, gvk))?.schema.definition ?? base.definitionOf(gvk),
    kindsOf: (definition) => kindsByDefinition.get(definition) ?? base.kindsOf(definition),
    structOf: (definition) => structs.get(definition) ?? base.structOf(definition),
    unionsOf: (definition) => (structs.has(definition) ? undefined : base.unionsOf(definition)),
  };
}

/** Adds the struct and those it leads to, except the ones that `base` has. */
function collect(schema: Schema, base: TypeSource, structs: Map<string, StructSchema>): void {
  switch (schema.type) {
    case "struct":
      if (structs.has(schema.definition) || base.structOf(schema.definition) === schema) return;
      if (schema.definition !== "") structs.set(schema.definition, schema);
      for (const field of schema.fields) collect(field.schema, base, structs);
      return;
    case "list":
      return collect(schema.items, base, structs);
    case "map":
      return collect(schema.values, base, structs);
    case "scalar":
  }
}
