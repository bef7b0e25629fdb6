import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  type Type,
  listType,
  mapType,
  objectType,
} from "../../cel/types/type.js";
import { type StructuralSchema, structuralSchemaOf } from "../structural-schema.js";
import type { JsonObject } from "../../meta/json.js";
import { type RuleDialect, ruleDialect, SchemaCaches } from "./dialect.js";
import { escapeName, isReserved } from "./escape-name.js";
import type { FieldDeclaration, TypeProvider } from "../../cel/types/provider.js";

/** The size of the largest request, in bytes, which limits the size of everything in an object. */
export const LARGEST_REQUEST = 3 * 1024 * 1024;

/** The type of a schema's values in CEL, with estimates of their sizes. Source: apiserver's common.SchemaDeclType. */
export type DeclaredType = ScalarType | DeclaredList | DeclaredMap | DeclaredObject;

interface Sized {
  /** The most characters, bytes, elements or entries; 0 for what has no size. */
  readonly maxElements: number;
  /** In bytes of JSON. */
  readonly minSerializedSize: number;
}

export interface ScalarType extends Sized {
  readonly kind: "scalar";
  readonly type: Type;
}

export interface DeclaredList extends Sized {
  readonly kind: "list";
  readonly element: DeclaredType;
}

export interface DeclaredMap extends Sized {
  readonly kind: "map";
  readonly value: DeclaredType;
}

export interface DeclaredObject extends Sized {
  readonly kind: "object";
  /** By the names that expressions use. Fields of unknown types are left out. */
  readonly fields: ReadonlyMap<string, DeclaredField>;
}

export interface DeclaredField {
  /** The field's own name. */
  readonly name: string;
  readonly type: DeclaredType;
}

/**
 * Declares the type of a schema's values to CEL; undefined where rules cannot use them: of schemas without a type only
 * int-or-string is known. A whole resource also has the fields of every resource.
 */
export function declaredTypeOf(
  schema: StructuralSchema,
  dialect: RuleDialect = ruleDialect(),
  isResourceRoot = schema.embeddedResource,
): DeclaredType | undefined {
  const known = types.of(dialect, isResourceRoot);
  let declared = known.get(schema);
  if (declared === undefined) {
    declared = declare(schema, dialect, isResourceRoot) ?? null;
    known.set(schema, declared);
  }
  return declared ?? undefined;
}

const types = new SchemaCaches<DeclaredType | null>();

function declare(schema: StructuralSchema, dialect: RuleDialect, isResourceRoot: boolean): DeclaredType | undefined {
  if (schema.intOrString) return scalar(DYN, 1, maxLengthOf(schema) ?? LARGEST_REQUEST - 2);
  const whole = isResourceRoot ? withTypeAndNames(schema, dialect) : schema;
  switch (whole.type) {
    case "array":
      return listOf(whole, dialect);
    case "object":
      return typeof whole.additionalProperties === "object" ? mapOf(whole, dialect) : new SchemaObject(whole, dialect);
    case "string":
      return textOf(whole);
    case "boolean":
      return scalar(BOOL, 4, 0);
    case "number":
      return scalar(DOUBLE, 1, 0);
    case "integer":
      return scalar(INT, 1, 0);
    default:
      return undefined;
  }
}

const scalar = (type: Type, minSerializedSize: number, maxElements: number): ScalarType => ({
  kind: "scalar",
  type,
  maxElements,
  minSerializedSize,
});

/** In bytes: a character may take four of them. */
const maxLengthOf = ({ validation }: StructuralSchema): number | undefined =>
  validation.maxLength === undefined ? undefined : Math.max(validation.maxLength, 0) * 4;

function listOf({ items, validation }: StructuralSchema, dialect: RuleDialect): DeclaredType | undefined {
  const element = items && declaredTypeOf(items, dialect);
  if (element === undefined) return undefined;
  const { maxItems } = validation;
  return {
    kind: "list",
    element,
    get maxElements() {
      if (maxItems !== undefined) return Math.max(maxItems, 0);
      return Math.floor((LARGEST_REQUEST - 2) / (element.minSerializedSize + 1));
    },
    minSerializedSize: 2,
  };
}

function mapOf({ additionalProperties, validation }: StructuralSchema, dialect: RuleDialect): DeclaredType | undefined {
  const value = typeof additionalProperties === "object" ? declaredTypeOf(additionalProperties, dialect) : undefined;
  if (value === undefined) return undefined;
  const { maxProperties } = validation;
  return {
    kind: "map",
    value,
    get maxElements() {
      if (maxProperties !== undefined) return Math.max(maxProperties, 0);
      // A key of two characters with its quotes, a colon and a comma.
      return Math.floor((LARGEST_REQUEST - 2) / (value.minSerializedSize + 6));
    },
    minSerializedSize: 2,
  };
}

/** Formats whose values are no texts: the type, the shortest and the longest text in JSON. */
const FORMATS: ReadonlyMap<string, readonly [type: Type, shortest: number, longest: number]> = new Map([
  ["duration", [DURATION, 3, 32]],
  ["date", [TIMESTAMP, 12, 12]],
  ["date-time", [TIMESTAMP, 21, 32]],
]);

function textOf(schema: StructuralSchema): ScalarType {
  const { format, maxLength } = schema.validation;
  const [type, shortest, longest] = FORMATS.get(format) ?? [];
  if (type !== undefined && shortest !== undefined && longest !== undefined) return scalar(type, shortest, longest);
  if (format === "byte") {
    return scalar(BYTES, 2, maxLength === undefined ? LARGEST_REQUEST - 2 : Math.max(maxLength, 0));
  }
  return scalar(STRING, 2, maxLengthOf(schema) ?? longestOfEnum(schema) ?? LARGEST_REQUEST - 2);
}

function longestOfEnum({ validation }: StructuralSchema): number | undefined {
  const values = validation.enum;
  if (values.length === 0) return undefined;
  return Math.max(0, ...values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)));
}

/** The fields of an object are declared when an expression first asks for one. */
class SchemaObject implements DeclaredObject {
  readonly kind = "object";
  readonly maxElements = 0;
  #fields: ReadonlyMap<string, DeclaredField> | undefined;
  #minSerializedSize: number | undefined;

  constructor(
    private readonly schema: StructuralSchema,
    private readonly dialect: RuleDialect,
  ) {}

  get fields(): ReadonlyMap<string, DeclaredField> {
    if (this.#fields === undefined) {
      const fields = new Map<string, DeclaredField>();
      for (const [name, property] of this.schema.properties) {
        const [type, escaped] = [declaredTypeOf(property, this.dialect), escapeName(name)];
        if (type !== undefined && escaped !== undefined) fields.set(escaped, { name, type });
      }
      this.#fields = fields;
    }
    return this.#fields;
  }

  /** With the fields that are required and have no default, each with quotes, a colon and a comma. */
  get minSerializedSize(): number {
    if (this.#minSerializedSize === undefined) {
      const { validation, properties } = this.schema;
      let size = 2;
      for (const name of new Set(validation.required)) {
        const property = properties.get(name);
        const type = property === undefined ? undefined : declaredTypeOf(property, this.dialect);
        if (type === undefined || property?.default !== undefined) continue;
        size += Buffer.byteLength(name) + type.minSerializedSize + 4;
      }
      this.#minSerializedSize = size;
    }
    return this.#minSerializedSize;
  }
}

const TEXT = structuralSchemaOf({ type: "string" });

const roots = new SchemaCaches<StructuralSchema>();

/**
 * The schema of a resource with what rules always see of it: apiVersion, kind, metadata.name and metadata.generateName. Source:
 * apiextensions' model.WithTypeAndObjectMeta.
 */
export function withTypeAndNames(schema: StructuralSchema, dialect: RuleDialect): StructuralSchema {
  const known = roots.of(dialect, true);
  let root = known.get(schema);
  if (root === undefined) {
    root = saysThemItself(schema) ? schema : completed(schema, dialect);
    known.set(schema, root);
  }
  return root;
}

/** In bytes: the longest name of an object, and what a name may be generated of, which gets one byte at least. */
const LONGEST_NAME = 253;
const LONGEST_BASE = 252;

function metadataOf({ properties }: StructuralSchema, { limitsNames }: RuleDialect): StructuralSchema {
  const stated = properties.get("metadata")?.properties;
  const nameOf = (field: string, longest: number): JsonObject => {
    if (!limitsNames) return { type: "string" };
    return { type: "string", maxLength: Math.min(stated?.get(field)?.validation.maxLength ?? longest, longest) };
  };
  const names = { name: nameOf("name", LONGEST_NAME), generateName: nameOf("generateName", LONGEST_BASE) };
  return structuralSchemaOf({ type: "object", properties: names });
}

function saysThemItself({ properties }: StructuralSchema): boolean {
  const metadata = properties.get("metadata");
  const isText = (schema: StructuralSchema | undefined): boolean => schema?.type === "string";
  return (
    isText(properties.get("kind")) &&
    isText(properties.get("apiVersion")) &&
    metadata?.type === "object" &&
    isText(metadata.properties.get("name")) &&
    isText(metadata.properties.get("generateName"))
  );
}

function completed(schema: StructuralSchema, dialect: RuleDialect): StructuralSchema {
  const { source, type, nullable, preservesUnknownFields, preservesAll, embeddedResource, intOrString } = schema;
  return {
    source,
    type,
    nullable,
    default: schema.default,
    properties: new Map([
      ...schema.properties,
      ["kind", TEXT],
      ["apiVersion", TEXT],
      ["metadata", metadataOf(schema, dialect)],
    ]),
    additionalProperties: schema.additionalProperties,
    items: schema.items,
    preservesUnknownFields,
    preservesAll,
    embeddedResource,
    intOrString,
    listType: schema.listType,
    listMapKeys: schema.listMapKeys,
    mapType: schema.mapType,
    rules: schema.rules,
    validation: schema.validation,
  };
}

/**
 * The types of a rule's `self` and of all that is in it, by the names that messages show: "selfType.spec", with "@idx" for the items
 * of a list and "@elem" for the values of a map. A type is named when an expression first reaches it. Kubernetes puts a number behind
 * "selfType" that is another one each time.
 */
export class NamedTypes implements TypeProvider {
  /** The type of `self`. */
  readonly self: Type;
  readonly #objects = new Map<string, { readonly type: Type; readonly declared: DeclaredObject }>();
  readonly #fields = new Map<string, FieldDeclaration | null>();

  constructor(self: DeclaredType, name = "selfType") {
    this.self = this.#named(self, name);
  }

  findType(name: string): Type | undefined {
    return this.#objects.get(name)?.type;
  }

  findField(typeName: string, field: string): FieldDeclaration | undefined {
    const path = `${typeName}.${field}`;
    let found = this.#fields.get(path);
    if (found === undefined) {
      const fields = this.#objects.get(typeName)?.declared.fields;
      const declared = fields?.get(field) ?? (isReserved(field) ? fields?.get(`__${field}__`) : undefined);
      found = declared === undefined ? null : { type: this.#named(declared.type, path), key: declared.name };
      this.#fields.set(path, found);
    }
    return found ?? undefined;
  }

  #named(declared: DeclaredType, name: string): Type {
    switch (declared.kind) {
      case "scalar":
        return declared.type;
      case "list":
        return listType(this.#named(declared.element, `${name}.@idx`));
      case "map":
        return mapType(STRING, this.#named(declared.value, `${name}.@elem`));
      case "object": {
        const type = objectType(name);
        this.#objects.set(name, { type, declared });
        return type;
      }
    }
  }
}
