import type { Field, PatchStrategy, ScalarSchema, Schema, StructSchema } from "../schema/schema.js";
import { goQuote } from "../../base/text/go-quote.js";
import { PatchError } from "./patch-error.js";

/** The patch strategies of a field, and the schema of its values. */
export interface Lookup {
  readonly schema: PatchSchema | undefined;
  readonly strategy: "merge" | "replace" | "";
  readonly retainKeys: boolean;
  readonly mergeKey: string;
}

const FREE_FORM: Lookup = { schema: undefined, strategy: "", retainKeys: false, mergeKey: "" };

/**
 * Looks up the strategies of a field that is a map or a list. Throws a {@link PatchError} when the type lacks the field, or the
 * field cannot be a list. Without a schema every field is free-form.
 */
export function lookup(schema: PatchSchema | undefined, key: string, value: "map" | "list"): Lookup {
  if (schema === undefined) return FREE_FORM;
  const field = schema.field(key);
  if (field === undefined) {
    const text = schema.refusal?.(key) ?? `unable to find api field "${key}"`;
    throw new PatchError(text, "misfit", schema.definition);
  }
  if (value === "list" && field.holds === "value") {
    throw new PatchError("expected slice or array type, but got: struct", "misfit", schema.definition);
  }
  const rest = field.strategies.filter((strategy) => strategy !== "retainKeys");
  const [strategy] = rest;
  if (rest.length > 1) throw new PatchError(`unexpected patch strategy: [${field.strategies.join(" ")}]`);
  return {
    schema: value === "map" && field.holds === "list" ? SLICE : field.schema,
    strategy: strategy === "merge" || strategy === "replace" ? strategy : "",
    retainKeys: rest.length < field.strategies.length,
    mergeKey: field.mergeKey ?? "",
  };
}

const adapted = new WeakMap<StructSchema, PatchSchema>();

/** Makes the patch view of an API type's schema, one per schema. It is lazy, so that types may be recursive. */
export function fromSchema(schema: StructSchema): PatchSchema {
  const known = adapted.get(schema);
  if (known !== undefined) return known;
  const made = ofStruct(schema);
  adapted.set(schema, made);
  return made;
}

function ofStruct(schema: StructSchema): PatchSchema {
  const fields = new Map<string, PatchField>();
  return {
    definition: schema.definition,
    refusal: (name) => noSuchField(schema.name, name),
    field(name) {
      const made = fields.get(name);
      if (made !== undefined) return made;
      const field = schema.byName.get(name) ?? inAnyCase(schema, name);
      if (field === undefined) return schema.preservesUnknownFields === true ? FREE_FIELD : undefined;
      const patchField = ofField(field);
      fields.set(name, patchField);
      return patchField;
    },
  };
}

/** A field that is preserved without being declared: it merges as in a JSON merge patch. */
const FREE_FIELD: PatchField = { schema: undefined, strategies: [] };

const noSuchField = (type: string, name: string): string =>
  `unable to find api field in struct ${type} for the json field ${goQuote(name)}`;

/** Patches find fields as Go's JSON decoder does, which does not mind the case, although objects are decoded strictly. */
function inAnyCase({ fields }: StructSchema, name: string): Field | undefined {
  const wanted = folded(name);
  return fields.find((field) => folded(field.name) === wanted);
}

/** Go folds the long s too; the Kelvin sign becomes a k anyway. */
const folded = (name: string): string => name.toLowerCase().replaceAll("ſ", "s");

function ofField({ schema, pointer, patchStrategy, patchMergeKey }: Field): PatchField {
  const isList = schema.type === "list" || (schema.type === "scalar" && schema.scalar === "bytes");
  return {
    holds: isList ? "list" : pointer ? "pointer" : "value",
    schema: inner(schema.type === "list" ? schema.items : schema),
    strategies: patchStrategy ?? NO_STRATEGIES,
    mergeKey: patchMergeKey,
  };
}

const NO_STRATEGIES: readonly PatchStrategy[] = [];

function inner(schema: Schema): PatchSchema {
  switch (schema.type) {
    case "struct":
      return fromSchema(schema);
    case "list":
      return SLICE;
    case "map":
      // Where a map's value is a map or a list, apimachinery asks the map for a field, and there is none.
      return MAP;
    case "scalar":
      return ofScalar(schema);
  }
}

/** For a type in which no field can be found, in the words of Go's reflection. */
const notStruct = (kind: string): PatchSchema => ({
  field: () => undefined,
  refusal: () => `merging an object in json but data type is not struct, instead is: ${kind}`,
});

const MAP = notStruct("map");
const SLICE = notStruct("slice");

/** What is a scalar in JSON may be a struct in Go. */
function ofScalar({ scalar, definition }: ScalarSchema): PatchSchema {
  const type = definition === undefined ? STRUCTS[scalar] : isPlain(scalar) ? undefined : lastPart(definition);
  if (type !== undefined) return { field: () => undefined, refusal: (name) => noSuchField(type, name), definition };
  return notStruct(scalar === "bytes" ? "slice" : scalar === "any" ? "interface" : scalar);
}

const STRUCTS: Readonly<Partial<Record<ScalarSchema["scalar"], string>>> = {
  time: "Time",
  microTime: "MicroTime",
  duration: "Duration",
  quantity: "Quantity",
  intOrString: "IntOrString",
};

const isPlain = (scalar: ScalarSchema["scalar"]): boolean => scalar !== "any" && STRUCTS[scalar] === undefined;
const lastPart = (definition: string): string => definition.slice(definition.lastIndexOf(".") + 1);

/**
 * The part of a type that a strategic merge patch uses. The server makes it from its API facts, the CLI from an OpenAPI document.
 * A value without one (free-form JSON) is merged as JSON merge patch does.
 */
export interface PatchSchema {
  /**
   * undefined for a field the type does not have: a patch that must look inside such a field is refused.
   */
  field(name: string): PatchField | undefined;
  /** What is said of a field that the type does not have, where it is not what kubectl says of an OpenAPI document's. */
  refusal?(name: string): string;
  /** The OpenAPI definition's name, where it is known. */
  readonly definition?: string | undefined;
}

export interface PatchField {
  /** What the field holds, where that is known: a list where none belongs is refused, and so is a map in a list's place. */
  readonly holds?: "list" | "pointer" | "value" | undefined;
  /** Of the value; for a list, of its items. Absent for scalars and free-form values. */
  readonly schema?: PatchSchema | undefined;
  readonly strategies: readonly PatchStrategy[];
  readonly mergeKey?: string | undefined;
}
