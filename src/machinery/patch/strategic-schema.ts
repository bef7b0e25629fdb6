import type { Field, MapSchema, PatchStrategy, Schema, StructSchema } from "../schema/schema.js";
import { goQuote } from "../../base/go-quote.js";
import { PatchError } from "./patch-error.js";
import type { PatchField, PatchSchema } from "./patch-schema.js";

/** What a field's strategies come to. */
export interface Lookup {
  readonly schema: PatchSchema | undefined;
  readonly strategy: "merge" | "replace" | "";
  readonly retainKeys: boolean;
  readonly mergeKey: string;
}

const FREE_FORM: Lookup = { schema: undefined, strategy: "", retainKeys: false, mergeKey: "" };

/** Throws a {@link PatchError} when the type has no such field. Without a schema nothing is known and nothing refused. */
export function lookup(schema: PatchSchema | undefined, key: string): Lookup {
  if (schema === undefined) return FREE_FORM;
  const field = schema.field(key);
  if (field === undefined) {
    const text =
      schema.structName === undefined
        ? `unable to find api field "${key}"`
        : `unable to find api field in struct ${schema.structName} for the json field ${goQuote(key)}`;
    throw new PatchError(text, "internal", schema.definition);
  }
  const rest = field.strategies.filter((strategy) => strategy !== "retainKeys");
  const [strategy] = rest;
  if (rest.length > 1) throw new PatchError(`unexpected patch strategy: [${field.strategies.join(" ")}]`);
  return {
    schema: field.schema,
    strategy: strategy === "merge" || strategy === "replace" ? strategy : "",
    retainKeys: rest.length < field.strategies.length,
    mergeKey: field.mergeKey ?? "",
  };
}

const adapted = new WeakMap<StructSchema | MapSchema, PatchSchema>();

/** The patch view of an API type's schema. Lazy, so that recursive types are fine; one per schema. */
export function fromSchema(schema: StructSchema): PatchSchema {
  return adapt(schema);
}

function adapt(schema: StructSchema | MapSchema): PatchSchema {
  const known = adapted.get(schema);
  if (known !== undefined) return known;
  const made = schema.type === "struct" ? ofStruct(schema) : ofMap(schema);
  adapted.set(schema, made);
  return made;
}

function ofStruct(schema: StructSchema): PatchSchema {
  const fields = new Map<string, PatchField>();
  return {
    structName: schema.name,
    definition: schema.definition,
    field(name) {
      const made = fields.get(name);
      if (made !== undefined) return made;
      const field = schema.byName.get(name);
      if (field === undefined) return undefined;
      const patchField = ofField(field);
      fields.set(name, patchField);
      return patchField;
    },
  };
}

function ofField(field: Field): PatchField {
  return {
    schema: inner(field.schema),
    strategies: field.patchStrategy ?? NO_STRATEGIES,
    mergeKey: field.patchMergeKey,
  };
}

function ofMap(schema: MapSchema): PatchSchema {
  const field: PatchField = { schema: inner(schema.values), strategies: NO_STRATEGIES };
  return { field: () => field };
}

const NO_STRATEGIES: readonly PatchStrategy[] = [];

function inner(schema: Schema): PatchSchema | undefined {
  const value = schema.type === "list" ? schema.items : schema;
  return value.type === "struct" || value.type === "map" ? adapt(value) : undefined;
}
