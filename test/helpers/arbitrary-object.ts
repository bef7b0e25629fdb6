import fc from "fast-check";
import { kindsOf } from "../../src/api/facts/index.js";
import { formatGroupVersion } from "../../src/machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/machinery/meta/json.js";
import type { Field, ListSchema, MapSchema, Schema, StructSchema } from "../../src/machinery/schema/schema.js";
import { isOmitted } from "../../src/machinery/schema/zero-values.js";
import { arbitraryMapKey, arbitraryName, arbitraryScalar } from "./arbitrary-scalar.js";

export interface ArbitraryObjectOptions {
  /**
   * "some" (the default): required fields, merge keys and a few of the others, lists and maps of up to three items.
   * "all": every field at every level, with one or two items in every list and map, and no zero value anywhere.
   */
  readonly fields?: "some" | "all";
  /** Fields that are left out, wherever they are. */
  readonly omit?: (field: Field, struct: StructSchema) => boolean;
}

/**
 * Objects of a type, as Kubernetes would write them: scalars are in their canonical form, nothing is there that Go's
 * omitempty leaves out, list items differ in their merge key and in their map keys. They fit the type; they need not
 * pass validation. A kind's apiVersion and kind are there, and its own. A type inside itself is entered once.
 */
export function arbitraryOf(schema: StructSchema, options: ArbitraryObjectOptions = {}): fc.Arbitrary<JsonObject> {
  return new Builder(options).struct(schema, []);
}

/** One object with every field filled; the same one for the same seed. */
export function filledObject(
  schema: StructSchema,
  seed: number,
  options: Omit<ArbitraryObjectOptions, "fields"> = {},
): JsonObject {
  const [made] = fc.sample(arbitraryOf(schema, { ...options, fields: "all" }), { seed, numRuns: 1 });
  return made as JsonObject;
}

/** How many of a big type's optional fields are there at a time. */
const USUAL_FIELDS = 4;

const ABSENT = Symbol("absent");
type Held = JsonValue | typeof ABSENT;

class Builder {
  readonly #all: boolean;
  readonly #omit: (field: Field, struct: StructSchema) => boolean;

  constructor({ fields = "some", omit = () => false }: ArbitraryObjectOptions) {
    this.#all = fields === "all";
    this.#omit = omit;
  }

  struct(
    schema: StructSchema,
    outer: readonly StructSchema[],
    needed: readonly string[] = [],
  ): fc.Arbitrary<JsonObject> {
    const path = [...outer, schema];
    const fields = schema.fields.filter((field) => !this.#omit(field, schema) && !entersAgain(field.schema, path));
    const held = fields.map((field) => this.#held(field, schema, fields.length, needed.includes(field.name), path));
    return fc.tuple(...held).map((values) => {
      const object: JsonObject = {};
      for (const [index, field] of fields.entries()) {
        const value = values[index] as Held;
        if (value !== ABSENT && isWritten(field, value)) object[field.name] = value;
      }
      return object;
    });
  }

  #held(
    field: Field,
    struct: StructSchema,
    siblings: number,
    needed: boolean,
    path: readonly StructSchema[],
  ): fc.Arbitrary<Held> {
    const typed = typeMeta(field, struct);
    if (typed !== undefined) return typed;
    const value = this.#field(field, needed, path);
    if (this.#all || needed || field.required) return value;
    const present = Math.min(USUAL_FIELDS, siblings);
    return fc.oneof(
      { weight: Math.max(1, siblings - present), arbitrary: fc.constant<Held>(ABSENT) },
      { weight: present, arbitrary: value },
    );
  }

  #field(field: Field, key: boolean, path: readonly StructSchema[]): fc.Arbitrary<JsonValue> {
    const { schema } = field;
    if (key && schema.type === "scalar" && schema.scalar === "string" && schema.enum === undefined) {
      return arbitraryName;
    }
    if (schema.type === "list") return this.#list(schema, path, field);
    return this.#value(schema, path, key);
  }

  #value(schema: Schema, path: readonly StructSchema[], nonZero = false): fc.Arbitrary<JsonValue> {
    switch (schema.type) {
      case "struct":
        return this.struct(schema, path);
      case "map":
        return this.#map(schema, path);
      case "list":
        return this.#list(schema, path);
      case "scalar":
        return arbitraryScalar(schema, this.#all || nonZero);
    }
  }

  #map(schema: MapSchema, path: readonly StructSchema[]): fc.Arbitrary<JsonValue> {
    return fc.dictionary(arbitraryMapKey, this.#value(schema.values, path), {
      ...this.#length("Keys"),
      noNullPrototype: true,
    }) as fc.Arbitrary<JsonValue>;
  }

  #list(schema: ListSchema, path: readonly StructSchema[], field?: Field): fc.Arbitrary<JsonValue> {
    const { items } = schema;
    const length = this.#length("Length");
    const merges = field?.patchStrategy?.includes("merge") === true;
    const mergeKey = field?.patchMergeKey === undefined ? [] : [field.patchMergeKey];
    if (items.type === "struct") {
      // A map key with a default may be left out; a merge key may not.
      const mapKeys = schema.listMapKeys ?? [];
      const needed = mapKeys.filter((name) => items.byName.get(name)?.default === undefined);
      const item = this.struct(items, path, [...mergeKey, ...needed]);
      const keys = [mergeKey, mapKeys].filter((names) => names.length > 0);
      if (keys.length === 0) return fc.array(item, length);
      return fc.uniqueArray(item, {
        ...length,
        comparator: (a, b) => keys.some((names) => identity(a, names, items) === identity(b, names, items)),
      });
    }
    const item = this.#value(items, path, merges || schema.listType === "set");
    return merges || schema.listType === "set" ? fc.uniqueArray(item, length) : fc.array(item, length);
  }

  #length<Unit extends "Keys" | "Length">(unit: Unit): { readonly [key in `${"min" | "max"}${Unit}`]: number } {
    const [min, max] = this.#all ? [1, 2] : [0, 3];
    return { [`min${unit}`]: min, [`max${unit}`]: max } as { readonly [key in `${"min" | "max"}${Unit}`]: number };
  }
}

/** apiVersion and kind of a type that is one kind. */
function typeMeta(field: Field, struct: StructSchema): fc.Arbitrary<JsonValue> | undefined {
  if (field.name !== "apiVersion" && field.name !== "kind") return undefined;
  const [kind, ...others] = kindsOf(struct.definition);
  if (kind === undefined || others.length > 0) return undefined;
  return fc.constant(field.name === "kind" ? kind.kind : formatGroupVersion(kind));
}

/** Whether a type is, or holds, one that the path has been through twice. */
function entersAgain(schema: Schema, path: readonly StructSchema[]): boolean {
  if (schema.type === "list") return entersAgain(schema.items, path);
  if (schema.type === "map") return entersAgain(schema.values, path);
  return schema.type === "struct" && path.filter((one) => one === schema).length > 1;
}

function isWritten(field: Field, value: JsonValue): boolean {
  if (field.pointer) return true;
  if (field.omitEmpty && isOmitted(value, field.schema)) return false;
  return !(field.omitZero && isJsonObject(value) && Object.keys(value).length === 0);
}

function identity(item: JsonObject, names: readonly string[], schema: StructSchema): string {
  return JSON.stringify(names.map((name) => item[name] ?? schema.byName.get(name)?.default ?? null));
}
