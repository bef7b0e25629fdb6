import { once } from "../../base/async/once.js";
import { publishedDefinitions, type TypeSource } from "../../api/facts/index.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import { structOfFields, sortedFields } from "../../machinery/schema/build-schema.js";
import type { Schema, StructSchema } from "../../machinery/schema/schema.js";

/** A kind of an installed resource. Its schema is made on first use. */
export class OwnKind {
  #schema: StructSchema | undefined;

  constructor(
    readonly gvk: GroupVersionKind,
    private readonly make: () => StructSchema,
  ) {}

  /** Its name in OpenAPI, which its schema has too. */
  get definition(): string {
    return definitionName(this.gvk);
  }

  get schema(): StructSchema {
    return (this.#schema ??= this.make());
  }
}

/**
 * "com.example.v1.Widget": the OpenAPI name of a kind of the group "example.com". A group may be such that this is the name of a
 * published type ("core.api.k8s.io"): then "_v2" stands behind it, as in kube-apiserver's documents.
 */
export function definitionName({ group, version, kind }: GroupVersionKind): string {
  const name = [...group.split(".").toReversed(), version, kind].join(".");
  return publishedDefinitions.structOf(name) === undefined ? name : `${name}_v2`;
}

/** A published kind whose fields kind, apiVersion and metadata every kind has, and its list. */
const MODEL = { group: "", version: "v1", kind: "ConfigMap" };
const MODEL_LIST = { ...MODEL, kind: "ConfigMapList" };

const COMMON = new Set(["kind", "apiVersion", "metadata"]);

/** Makes the schema of a kind: apiVersion, kind and metadata, then the fields of `content`, which are read on first use. */
export function objectSchema(gvk: GroupVersionKind, content: StructSchema): StructSchema {
  const definition = definitionName(gvk);
  const struct = once(() => {
    const rest = content.fields.filter(({ name }) => !COMMON.has(name));
    const fields = [...(isNumbered(content) ? commonNumberedFields() : commonFields()), ...rest];
    return structOfFields(gvk.kind, definition, content.isUnstructured === true ? sortedFields(fields) : fields);
  });
  return {
    type: "struct",
    name: gvk.kind,
    definition,
    get fields() {
      return struct().fields;
    },
    get byName() {
      return struct().byName;
    },
    get preservesUnknownFields() {
      return content.preservesUnknownFields;
    },
    conform: content.conform,
    published: content.published,
    selectableFields: content.selectableFields,
    isUnstructured: content.isUnstructured,
  };
}

/** Whether a kind has a protobuf form: its own fields have numbers then. */
const isNumbered = ({ fields }: StructSchema): boolean => fields.some(({ protobuf }) => protobuf !== undefined);

const commonNumberedFields = once(() => modelOf(MODEL).fields.filter(({ name }) => COMMON.has(name)));

const commonFields = once(() => commonNumberedFields().map((field) => ({ ...field, protobuf: undefined })));

/** Makes the schema of a kind's list. */
export function listSchema(gvk: GroupVersionKind, item: StructSchema): StructSchema {
  const common = item.byName.get("metadata")?.protobuf === undefined ? commonListFields() : modelOf(MODEL_LIST).fields;
  const fields = common.map((field) =>
    field.name === "items" ? { ...field, schema: { type: "list" as const, items: item } } : field,
  );
  return structOfFields(gvk.kind, definitionName(gvk), fields);
}

const commonListFields = once(() => modelOf(MODEL_LIST).fields.map((field) => ({ ...field, protobuf: undefined })));

function modelOf(gvk: GroupVersionKind): StructSchema {
  const schema = publishedDefinitions.schemaFor(gvk);
  if (schema === undefined) throw new Error(`the API facts have no ${gvk.kind}`);
  return schema;
}

/** Adds the types of installed kinds before those of `base`. */
export function withOwnTypes(base: TypeSource, kinds: readonly OwnKind[]): TypeSource {
  if (kinds.length === 0) return base;
  const own = once(() => typesOf(kinds));
  // A schema may be large, and few are ever asked for.
  const nested = once(() => {
    const structs = new Map<string, StructSchema>();
    for (const { schema } of kinds) if (schema.published === undefined) collect(schema, base, structs);
    return structs;
  });
  const structOf = (definition: string): StructSchema | undefined =>
    own().byDefinition.get(definition)?.kind.schema ?? nested().get(definition);
  return {
    definitionOf: (gvk) => own().byKind.get(keyOf(gvk))?.definition ?? base.definitionOf(gvk),
    kindsOf: (definition) => own().byDefinition.get(definition)?.gvks ?? base.kindsOf(definition),
    structOf: (definition) => structOf(definition) ?? base.structOf(definition),
    unionsOf: (definition) => (structOf(definition) === undefined ? base.unionsOf(definition) : undefined),
  };
}

interface OwnTypes {
  readonly byKind: ReadonlyMap<string, OwnKind>;
  readonly byDefinition: ReadonlyMap<string, { readonly kind: OwnKind; readonly gvks: GroupVersionKind[] }>;
}

function typesOf(kinds: readonly OwnKind[]): OwnTypes {
  const byKind = new Map<string, OwnKind>();
  const byDefinition = new Map<string, { readonly kind: OwnKind; readonly gvks: GroupVersionKind[] }>();
  for (const kind of kinds) {
    byKind.set(keyOf(kind.gvk), kind);
    const { definition } = kind;
    const known = byDefinition.get(definition);
    if (known === undefined) byDefinition.set(definition, { kind, gvks: [kind.gvk] });
    else known.gvks.push(kind.gvk);
  }
  return { byKind, byDefinition };
}

const keyOf = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

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
