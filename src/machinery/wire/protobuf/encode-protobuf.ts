import { compareKeys } from "../../../base/collections/key-order.js";
import type { GroupVersionKind } from "../../meta/gvk.js";
import type { Field, ListSchema, ScalarSchema, Schema, StructSchema } from "../../schema/schema.js";
import { scalarZero } from "../../schema/zero-values.js";
import { fieldsV1Text } from "../json/fields-v1-text.js";
import { encodeJson } from "../json/json-encoder.js";
import { ownValue } from "../json/own-keys.js";
import { BackwardWriter } from "./backward-writer.js";
import { sealEnvelope } from "./envelope.js";
import { type Numbers, numbered, type StructLookup } from "./field-numbers.js";
import { writeDuration, writeIntOrString, writeTime } from "./scalar-messages.js";

/** Encodes an object as Go's generated marshallers do, in the envelope that states its kind. Throws as {@link encodeProtobufMessage} does. */
export function encodeProtobufDocument(
  object: object,
  kind: GroupVersionKind,
  schema: StructSchema,
  structOf?: StructLookup,
): Uint8Array {
  return sealEnvelope(kind, encodeProtobufMessage(object, schema, structOf));
}

/**
 * Encodes an object as a message, without its kind: fields by their numbers, map keys sorted, and zero values written unless the
 * field is a pointer, a list or a map. The values must fit the schema. Throws a TypeError for a union of JSON Schema when
 * `structOf` is left out.
 */
export function encodeProtobufMessage(object: object, schema: StructSchema, structOf?: StructLookup): Uint8Array {
  try {
    new Encoder(structOf).struct(object, planOf(schema));
    return writer.finish();
  } catch (error) {
    writer.discard();
    throw error;
  }
}

/** Encoding is never interrupted, so one buffer does. */
const writer = new BackwardWriter();

/** The fields of a message, the last number first. */
type Plan = readonly PlannedField[];

type PlannedField =
  | { readonly number: number; readonly field: Field }
  | { readonly number: number; readonly inlined: Plan };

const plans = new WeakMap<StructSchema, Plan>();

function planOf(schema: StructSchema): Plan {
  let plan = plans.get(schema);
  if (plan === undefined) plans.set(schema, (plan = planned(numbered(schema))));
  return plan;
}

function planned({ fields, inlined }: Numbers): Plan {
  const all: PlannedField[] = [
    ...[...fields].map(([number, field]) => ({ number, field })),
    ...[...inlined].map(([number, inner]) => ({ number, inlined: planned(inner) })),
  ];
  return all.sort((a, b) => b.number - a.number);
}

class Encoder {
  constructor(private readonly structOf: StructLookup | undefined) {}

  struct(value: unknown, plan: Plan): void {
    const object = typeof value === "object" && value !== null ? value : {};
    for (const one of plan) {
      if ("field" in one) this.#field(one.number, ownValue(object, one.field.name) ?? undefined, one.field);
      else {
        const mark = writer.length;
        this.struct(object, one.inlined);
        writer.close(one.number, mark);
      }
    }
  }

  #field(number: number, value: unknown, { schema, pointer }: Field): void {
    if (schema.type === "list") {
      if (isMessage(schema)) {
        if (value !== undefined) this.#value(number, value, schema);
      } else this.#list(number, value, schema.items);
    } else if (schema.type === "map") {
      this.#map(number, value, schema.values);
    } else if (value !== undefined) {
      this.#value(number, value, schema);
    } else if (!pointer && !(schema.type === "scalar" && schema.scalar === "bytes")) {
      this.#value(number, zeroOf(schema), schema);
    }
  }

  #list(number: number, value: unknown, items: Schema): void {
    if (!Array.isArray(value)) return;
    for (let index = value.length - 1; index >= 0; index--) this.#value(number, value[index], items);
  }

  #map(number: number, value: unknown, values: Schema): void {
    if (typeof value !== "object" || value === null) return;
    const keys = Object.keys(value).sort(compareKeys);
    for (let index = keys.length - 1; index >= 0; index--) {
      const key = keys[index] ?? "";
      const mark = writer.length;
      const held = ownValue(value, key) ?? undefined;
      const zero = values.type === "scalar" && values.scalar === "bytes" ? undefined : zeroOf(values);
      if (held !== undefined || zero !== undefined) this.#value(2, held ?? zero, values);
      writer.text(1, key);
      writer.close(number, mark);
    }
  }

  #value(number: number, value: unknown, schema: Schema): void {
    if (schema.type === "scalar") {
      this.#scalar(number, value, schema);
      return;
    }
    const mark = writer.length;
    if (schema.type === "struct") this.struct(value, planOf(schema));
    // A list or a map that is a value is a message whose field 1 is the items or entries.
    else if (schema.type === "list") this.#list(1, value, schema.items);
    else this.#map(1, value, schema.values);
    writer.close(number, mark);
  }

  #scalar(number: number, value: unknown, schema: ScalarSchema): void {
    switch (schema.scalar) {
      case "string":
        writer.text(number, String(value));
        return;
      case "bool":
        writer.integer(number, value === true);
        return;
      case "int32":
      case "int64":
        writer.integer(number, typeof value === "bigint" ? value : Number(value));
        return;
      case "float64":
        writer.double(number, Number(value));
        return;
      case "bytes":
        writer.bytes(number, Buffer.from(String(value), "base64"));
        return;
      case "time":
      case "microTime":
      case "duration":
      case "quantity":
      case "intOrString":
      case "any": {
        const mark = writer.length;
        this.#scalarMessage(value, schema);
        writer.close(number, mark);
      }
    }
  }

  /** The content of a value that is one scalar in JSON and a message in protobuf. */
  #scalarMessage(value: unknown, { scalar, definition = "" }: ScalarSchema): void {
    if (scalar === "time" || scalar === "microTime") writeTime(writer, value);
    else if (scalar === "duration") writeDuration(writer, value);
    else if (scalar === "quantity") writer.text(1, String(value));
    else if (scalar === "intOrString") writeIntOrString(writer, value);
    else this.#any(value, definition);
  }

  /** Free-form JSON is kept as its bytes, some unions of JSON Schema as messages of their own. */
  #any(value: unknown, definition: string): void {
    const union = /^(.*\.JSONSchemaProps)Or(Array|Bool|StringArray)$/.exec(definition);
    if (union !== null) return this.#schemaUnion(value, union[1] ?? "", union[2] ?? "");
    if (value === null || value === undefined) return;
    const isFields = definition === FIELDS_V1 && typeof value === "object";
    writer.text(1, isFields ? fieldsV1Text(value) : encodeJson(value));
  }

  #schemaUnion(value: unknown, definition: string, kind: string): void {
    const schema = this.structOf?.(definition);
    if (schema === undefined) throw new TypeError(`proto: ${definition} cannot be written`);
    const plan = planOf(schema);
    if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) {
        if (kind === "StringArray") writer.text(2, String(value[index]));
        else this.#message(2, value[index], plan);
      }
      return;
    }
    const isSchema = typeof value === "object" && value !== null;
    if (kind !== "Bool") {
      if (isSchema) this.#message(1, value, plan);
      return;
    }
    if (isSchema) this.#message(2, value, plan);
    writer.integer(1, isSchema || value === true);
  }

  #message(number: number, value: unknown, plan: Plan): void {
    const mark = writer.length;
    this.struct(value, plan);
    writer.close(number, mark);
  }
}

const FIELDS_V1 = "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1";

/** The one named list that is a message also where it is a field: the verbs of a resource in discovery. */
const isMessage = ({ goType }: ListSchema): boolean => goType === "v1.Verbs";

const zeroOf = (schema: Schema): unknown => (schema.type === "scalar" ? scalarZero[schema.scalar] : {});
