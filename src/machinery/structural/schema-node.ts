import type { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import type { JsonValue } from "../meta/json.js";
import { checkedFormat, type FormatCheck, formatCheckOf } from "./formats.js";
import type { NumberRules } from "./number-checks.js";
import { goRegexp, type GoRegexp } from "./go-regexp.js";
import type { StructuralSchema } from "./structural-schema.js";
import type { ValueValidation } from "./value-validation.js";

/** A schema that is prepared for validation. Children are prepared when a value first needs them. */
export class SchemaNode {
  /** Allowed types; empty where the schema leaves the type open. */
  readonly types: readonly string[];
  /** "integer,string": as messages name them. */
  readonly typeNames: string;
  readonly nullable: boolean;
  /** "" for one that is not checked on this type. */
  readonly format: string;
  readonly checkFormat: FormatCheck | undefined;
  readonly validation: ValueValidation;
  readonly numbers: NumberRules;
  /** The values of an enum of strings; undefined for any other. */
  readonly allowed: ReadonlySet<JsonValue> | undefined;
  readonly anyOf: readonly SchemaNode[];
  readonly allOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  /** The type of values about which the schema says nothing but their type; undefined where it says more. */
  readonly plain: "string" | "boolean" | undefined;
  #fields: Map<string, SchemaNode> | undefined;
  #others: SchemaNode | boolean | undefined;
  #items: SchemaNode | undefined;
  #pattern: GoRegexp | undefined;

  constructor(readonly schema: StructuralSchema) {
    const { validation } = schema;
    this.types = schema.intOrString ? ["integer", "string"] : schema.type === "" ? [] : [schema.type];
    this.typeNames = this.types.join(",");
    this.nullable = schema.nullable;
    this.validation = validation;
    this.format = checkedFormat(validation.format, this.types.length === 1 ? this.typeNames : "");
    this.checkFormat = formatCheckOf(this.format);
    const numeric = this.typeNames === "integer" || this.typeNames === "number" ? this.typeNames : "";
    this.numbers = { type: numeric, format: numeric === "" ? "" : this.format, validation };
    this.allowed = textsOf(validation.enum);
    this.anyOf = nodesOf(validation.anyOf);
    this.allOf = nodesOf(validation.allOf);
    this.oneOf = nodesOf(validation.oneOf);
    this.not = validation.not && new SchemaNode(validation.not);
    this.plain = this.#plainType();
  }

  #plainType(): "string" | "boolean" | undefined {
    const [type] = this.types;
    const { maxLength, minLength, pattern } = this.validation;
    const isLimited = this.format !== "" || maxLength !== undefined || minLength !== undefined || pattern !== "";
    const hasMore = this.validation.enum.length + this.anyOf.length + this.allOf.length + this.oneOf.length > 0;
    if (this.types.length !== 1 || isLimited || hasMore || this.not !== undefined) return undefined;
    return type === "string" || type === "boolean" ? type : undefined;
  }

  field(name: string): SchemaNode | undefined {
    const known = this.#fields?.get(name);
    if (known !== undefined) return known;
    const schema = this.schema.properties.get(name);
    if (schema === undefined) return undefined;
    const made = new SchemaNode(schema);
    this.#fields ??= new Map();
    this.#fields.set(name, made);
    return made;
  }

  /** The schema of fields that are not declared, or whether there may be any. */
  get others(): SchemaNode | boolean {
    if (this.#others === undefined) {
      const others = this.schema.additionalProperties ?? true;
      this.#others = typeof others === "object" ? new SchemaNode(others) : others;
    }
    return this.#others;
  }

  get items(): SchemaNode | undefined {
    if (this.#items === undefined && this.schema.items !== undefined) this.#items = new SchemaNode(this.schema.items);
    return this.#items;
  }

  /** Makes the nodes and patterns below ahead, so that no value has to wait for all of them. */
  *prepareSteps(pace: Pace): Steps<void> {
    if (pace.isDue()) yield;
    if (this.validation.pattern !== "") {
      void this.pattern;
      yield;
    }
    for (const name of this.schema.properties.keys()) yield* this.field(name)?.prepareSteps(pace) ?? [];
    if (this.items !== undefined) yield* this.items.prepareSteps(pace);
    if (typeof this.others === "object") yield* this.others.prepareSteps(pace);
  }

  /** Only where there is a pattern. Throws for one that is none. */
  get pattern(): GoRegexp {
    this.#pattern ??= goRegexp(this.validation.pattern);
    return this.#pattern;
  }
}

const NONE: readonly SchemaNode[] = [];

const nodesOf = (schemas: readonly StructuralSchema[]): readonly SchemaNode[] =>
  schemas.length === 0 ? NONE : schemas.map((one) => new SchemaNode(one));

function textsOf(values: readonly JsonValue[]): ReadonlySet<JsonValue> | undefined {
  if (values.length === 0 || !values.every((one) => typeof one === "string")) return undefined;
  return new Set(values);
}
