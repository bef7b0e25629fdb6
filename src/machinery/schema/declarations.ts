import type { JsonObject } from "../meta/json.js";
import type { ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from "./schema.js";

declare const VALUE: unique symbol;

/** A schema with the TypeScript type of its values. */
export type Typed<S extends Schema, Value> = S & { readonly [VALUE]?: Value };

/** The TypeScript type of the values of a schema or a declaration; `unknown` for a schema without one. */
export type ValueOf<D> = D extends { readonly nullable: true } ? NotNull<D> | null : NotNull<D>;

type NotNull<D> = D extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : D extends { readonly schema: infer S }
    ? ValueOf<S>
    : D extends { readonly [VALUE]?: infer Value }
      ? Value
      : unknown;

type RequiredName<F> = { [K in keyof F]: F[K] extends { readonly required: true } ? K : never }[keyof F];

/** The TypeScript type of a struct with these fields: those that are not required are optional. */
export type FieldsOf<F> = {
  -readonly [K in keyof F as K extends RequiredName<F> ? K : never]: ValueOf<F[K]>;
} & { -readonly [K in keyof F as K extends RequiredName<F> ? never : K]?: ValueOf<F[K]> } extends infer Fields
  ? { [K in keyof Fields]: Fields[K] }
  : never;

/** A CEL rule of x-kubernetes-validations. `self` is the value at the rule's place, `oldSelf` its value before an update. */
export interface CelRule {
  readonly rule: string;
  /** Default: "failed rule: " and the rule. */
  readonly message?: string;
  /** CEL that makes the message. */
  readonly messageExpression?: string;
  /** Default: FieldValueInvalid. */
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** The field that the error names, from the rule's place on: ".spec.colour". */
  readonly fieldPath?: string;
  /** True: the rule runs for new values too, and oldSelf is an optional. */
  readonly optionalOldSelf?: boolean;
}

/** The rules that restrict the values of a type, under OpenAPI's names. */
export interface ValueRules {
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  /** OpenAPI allows null. A server that has the kind in code reads null as a field that is left out, as Go's JSON does. */
  readonly nullable?: boolean;
  /** "email", "ipv4", "uri" and the others that CustomResourceDefinitions know. */
  readonly format?: string;
  readonly minimum?: number | bigint;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number | bigint;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  /** Of characters. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression of Go (RE2). */
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly rules?: readonly CelRule[];
  /**
   * Keywords of OpenAPI as they stand in a CustomResourceDefinition, for what the other options do not state: allOf, anyOf, oneOf, not,
   * title, example, externalDocs. They replace those of the type.
   */
  readonly openApi?: JsonObject;
}

/** The declaration of a list's items or of a map's values. */
export type ItemDeclaration = Schema | ({ readonly schema: Schema } & ValueRules);

/** The declaration of a struct's field: its type, and its differences from an optional field that is omitted when empty. */
export type FieldDeclaration =
  | Schema
  | ({
      readonly schema: Schema;
      /** OpenAPI lists it as required. Decoding does not ask for it: that is validation's. */
      readonly required?: boolean;
      /** Filled in where the field is left out. JSON. */
      readonly default?: unknown;
      /** False: the field is written even when it is empty, as Go writes one without omitempty: false, 0, "" and {}. */
      readonly omitEmpty?: boolean;
      /** Its number in protobuf, from 1 to 536870911 and not from 19000 to 19999. All fields of a kind have one, or none. */
      readonly number?: number;
    } & ValueRules);

/** The schema of a declaration, with its rules as keywords. */
export function schemaOfDeclaration(declaration: ItemDeclaration | FieldDeclaration): Schema {
  if ("type" in declaration) return declaration;
  const keywords = keywordsOf(declaration);
  const { schema } = declaration;
  return keywords === undefined ? schema : { ...schema, openApi: { ...schema.openApi, ...keywords } };
}

const KEYWORDS = [
  "description",
  "enum",
  "nullable",
  "format",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;

/** The rules as OpenAPI keywords; undefined where there are none. */
export function keywordsOf(declared: ValueRules): Schema["openApi"] {
  const entries: [string, unknown][] = KEYWORDS.flatMap((name) =>
    declared[name] === undefined ? [] : [[name, declared[name]]],
  );
  if (declared.rules !== undefined && declared.rules.length > 0) {
    entries.push(["x-kubernetes-validations", declared.rules.map((rule) => ({ ...rule }))]);
  }
  entries.push(...Object.entries(declared.openApi ?? {}));
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Schema["openApi"]);
}

export type TypedScalar<Value> = Typed<ScalarSchema, Value>;
export type TypedList<Value> = Typed<ListSchema, Value[]>;
export type TypedMap<Value> = Typed<MapSchema, Record<string, Value>>;
export type TypedStruct<Value> = Typed<StructSchema, Value>;
