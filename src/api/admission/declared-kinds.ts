import { dictionary } from "../../base/collections/dictionary.js";
import type { Schema, StructSchema } from "../../machinery/schema/schema.js";
import { BOOL, BYTES, DOUBLE, DYN, INT, STRING, TIMESTAMP, type Type } from "../../machinery/cel/types/type.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import {
  type DeclaredField,
  type DeclaredObject,
  type DeclaredType,
  declaredTypeOf,
} from "../../machinery/structural/rules/declared-type.js";
import { escapeName } from "../../machinery/structural/rules/escape-name.js";
import { structuralSchemaOf } from "../../machinery/structural/structural-schema.js";
import { schemaFor } from "../facts/index.js";

/** Declares the fields of a built-in kind to CEL's type check, with the types that its OpenAPI schema gives them. */
export function declaredStruct(schema: StructSchema): DeclaredObject {
  const known = structs.get(schema) ?? new DeclaredStruct(schema);
  structs.set(schema, known);
  return known;
}

const structs = new WeakMap<StructSchema, DeclaredObject>();

/** Kinds contain themselves, so the fields of a type are declared when an expression first asks for one. */
class DeclaredStruct implements DeclaredObject {
  readonly kind = "object";
  readonly maxElements = 0;
  readonly minSerializedSize = 0;
  #fields: ReadonlyMap<string, DeclaredField> | undefined;

  constructor(private readonly schema: StructSchema) {}

  get fields(): ReadonlyMap<string, DeclaredField> {
    this.#fields ??= new Map(
      this.schema.fields.flatMap(({ name, schema }) => {
        const [type, escaped] = [declaredOf(schema), escapeName(name)];
        return type === undefined || escaped === undefined ? [] : [[escaped, { name, type }] as const];
      }),
    );
    return this.#fields;
  }
}

const SIZES = { maxElements: 0, minSerializedSize: 0 };

/** Undefined for what OpenAPI gives no type: quantities, and JSON of any form. Then what holds it is not known either. */
function declaredOf(schema: Schema): DeclaredType | undefined {
  switch (schema.type) {
    case "struct":
      return declaredStruct(schema);
    case "list": {
      const element = declaredOf(schema.items);
      return element && { kind: "list", element, ...SIZES };
    }
    case "map": {
      const value = declaredOf(schema.values);
      return value && { kind: "map", value, ...SIZES };
    }
    case "scalar": {
      if (schema.scalar === "any") return FREE_FORM.has(schema.definition ?? "") ? ANY_OBJECT : undefined;
      const type = SCALARS[schema.scalar];
      return type && { kind: "scalar", type, ...SIZES };
    }
  }
}

const SCALARS: Readonly<Record<string, Type | undefined>> = dictionary({
  string: STRING,
  bool: BOOL,
  int32: INT,
  int64: INT,
  float64: DOUBLE,
  bytes: BYTES,
  time: TIMESTAMP,
  microTime: TIMESTAMP,
  duration: STRING,
  intOrString: DYN,
});

/** Objects in OpenAPI, of which it names no field. */
const FREE_FORM: ReadonlySet<string> = new Set([
  "io.k8s.apimachinery.pkg.runtime.RawExtension",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",
]);

const ANY_OBJECT: DeclaredObject = { kind: "object", fields: new Map(), ...SIZES };

/** The fields of a custom kind: those of its schema, and the metadata of every object. */
export function declaredCustomKind(openAPIV3Schema: JsonObject): DeclaredType | undefined {
  const declared = declaredTypeOf(structuralSchemaOf(openAPIV3Schema), undefined, true);
  const metadata = schemaFor({ group: "", version: "v1", kind: "Namespace" })?.byName.get("metadata")?.schema;
  if (declared?.kind !== "object" || metadata?.type !== "struct") return declared;
  const fields = new Map(declared.fields);
  fields.set("metadata", { name: "metadata", type: declaredStruct(metadata) });
  return { kind: "object", fields, ...SIZES };
}
