import { absent, isFields, list, object, objects, text } from "../meta/access.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import { type ValidationRule, validationRuleOf, type ValueValidation, valueValidationOf } from "./value-validation.js";

/**
 * A CustomResourceDefinition's schema in the form that the server works with: what a value is, beside what narrows it. Immutable. Its
 * parts are made when they are first asked for, so that a stored definition costs little before it is used.
 */
export interface StructuralSchema {
  /** As the definition has it. */
  readonly source: JsonObject;
  /** "object", "array", "string", "integer", "number", "boolean"; "" where the schema leaves it open. */
  readonly type: string;
  readonly nullable: boolean;
  /** undefined where there is none; a default of null is none. Shared: copy it before you put it into an object. */
  readonly default: JsonValue | undefined;
  /** By name, in the order of the names; empty where there are none. */
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  /** The schema of all other fields, or whether they are allowed; undefined where the schema does not say. */
  readonly additionalProperties: StructuralSchema | boolean | undefined;
  readonly items: StructuralSchema | undefined;
  /** x-kubernetes-preserve-unknown-fields. */
  readonly preservesUnknownFields: boolean;
  /** Nothing is pruned at any depth: the definition's spec.preserveUnknownFields. Then {@link preservesUnknownFields} is true everywhere. */
  readonly preservesAll: boolean;
  /** x-kubernetes-embedded-resource. */
  readonly embeddedResource: boolean;
  /** x-kubernetes-int-or-string. */
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  /** x-kubernetes-validations, in their order. */
  readonly rules: readonly ValidationRule[];
  readonly validation: ValueValidation;
}

/**
 * The structural schema of an openAPIV3Schema, which a valid definition has. What is not structural ($ref, patternProperties, a list of
 * items) reads as if it were not there.
 */
export function structuralSchemaOf(openAPIV3Schema: JsonObject): StructuralSchema {
  return new LazySchema(openAPIV3Schema);
}

/** As {@link structuralSchemaOf}, for a definition that preserves unknown fields, whose schema validates values and need not be structural. */
export function preservingSchemaOf(openAPIV3Schema: JsonObject): StructuralSchema {
  return new LazySchema({ ...openAPIV3Schema, "x-kubernetes-preserve-unknown-fields": true }, true);
}

/** Returns the schema of a whole object: Kubernetes' own schemas of apiVersion, kind and metadata replace those in the schema. */
export function asResourceRoot(schema: StructuralSchema): StructuralSchema {
  if (schema.embeddedResource) return schema;
  let root = roots.get(schema);
  if (root === undefined) {
    root = new LazySchema({ ...schema.source, "x-kubernetes-embedded-resource": true }, schema.preservesAll);
    roots.set(schema, root);
  }
  return root;
}

const roots = new WeakMap<StructuralSchema, StructuralSchema>();

/** The schema of a field: its own, or that of additionalProperties. Undefined for an unspecified field. */
export function schemaOfField(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const property = schema.properties.get(name);
  if (property !== undefined) return property;
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

const NO_PROPERTIES: ReadonlyMap<string, StructuralSchema> = new Map();

class LazySchema implements StructuralSchema {
  readonly type: string;
  readonly nullable: boolean;
  readonly default: JsonValue | undefined;
  readonly preservesUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  #properties: ReadonlyMap<string, StructuralSchema> | undefined;
  #items: StructuralSchema | null | undefined;
  #additional: StructuralSchema | boolean | null | undefined;
  #validation: ValueValidation | undefined;
  #rules: readonly ValidationRule[] | undefined;

  constructor(
    readonly source: JsonObject,
    readonly preservesAll = false,
  ) {
    this.type = text(source.type);
    this.nullable = source.nullable === true;
    this.default = source.default ?? undefined;
    this.preservesUnknownFields = preservesAll || source["x-kubernetes-preserve-unknown-fields"] === true;
    this.embeddedResource = source["x-kubernetes-embedded-resource"] === true;
    this.intOrString = source["x-kubernetes-int-or-string"] === true;
  }

  get properties(): ReadonlyMap<string, StructuralSchema> {
    this.#properties ??= propertiesOf(this.source.properties, this.preservesAll);
    return this.#properties;
  }

  get items(): StructuralSchema | undefined {
    if (this.#items === undefined) {
      const { items } = this.source;
      this.#items = isFields(items) ? new LazySchema(items, this.preservesAll) : null;
    }
    return this.#items ?? undefined;
  }

  get additionalProperties(): StructuralSchema | boolean | undefined {
    if (this.#additional === undefined) {
      const others = this.source.additionalProperties;
      if (isFields(others)) this.#additional = new LazySchema(others, this.preservesAll);
      else this.#additional = absent(others) ? null : others === true;
    }
    return this.#additional ?? undefined;
  }

  get listType(): string | undefined {
    const type = this.source["x-kubernetes-list-type"];
    return typeof type === "string" ? type : undefined;
  }

  get listMapKeys(): readonly string[] {
    return list(this.source["x-kubernetes-list-map-keys"]).map(text);
  }

  get mapType(): string | undefined {
    const type = this.source["x-kubernetes-map-type"];
    return typeof type === "string" ? type : undefined;
  }

  get rules(): readonly ValidationRule[] {
    this.#rules ??= objects(this.source["x-kubernetes-validations"]).map(validationRuleOf);
    return this.#rules;
  }

  get validation(): ValueValidation {
    this.#validation ??= valueValidationOf(this.source, (source) => new LazySchema(source, this.preservesAll));
    return this.#validation;
  }
}

function propertiesOf(properties: unknown, preservesAll: boolean): ReadonlyMap<string, StructuralSchema> {
  if (!isFields(properties)) return NO_PROPERTIES;
  const names = Object.keys(properties).sort();
  return new Map(names.map((name) => [name, new LazySchema(object(properties[name]) as JsonObject, preservesAll)]));
}

const known = new WeakMap<StructuralSchema, boolean>();

/** Whether a schema is that of an embedded resource or contains one. Most do not, and their objects need not be walked. */
export function leadsToEmbedded(schema: StructuralSchema): boolean {
  let leads = known.get(schema);
  if (leads === undefined) {
    const { items, additionalProperties: others } = schema;
    leads =
      schema.embeddedResource ||
      (items !== undefined && leadsToEmbedded(items)) ||
      (typeof others === "object" && leadsToEmbedded(others)) ||
      [...schema.properties.values()].some(leadsToEmbedded);
    known.set(schema, leads);
  }
  return leads;
}
