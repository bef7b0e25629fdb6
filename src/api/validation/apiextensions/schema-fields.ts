import { absent, isFields, list, type ReadonlyFields } from "../../../machinery/meta/access.js";
import type { Schema, Rule } from "./definition-types.js";

/**
 * The fields of a JSON schema in the order of Kubernetes' internal type, as "GoName=wireName:kind" (see internal-types.ts) with
 * S for a list of schemas, P for one, M for a map of them, A for one or a list, B for one or a boolean.
 */
const FIELDS =
  "ID=id:s Schema=$schema:s Ref=$ref:* Description=description:s Type=type:s Nullable=nullable:b Format=format:s Title=title:s Default=default:* Maximum=maximum:* ExclusiveMaximum=exclusiveMaximum:b Minimum=minimum:* ExclusiveMinimum=exclusiveMinimum:b MaxLength=maxLength:* MinLength=minLength:* Pattern=pattern:s MaxItems=maxItems:* MinItems=minItems:* UniqueItems=uniqueItems:b MultipleOf=multipleOf:* Enum=enum:* MaxProperties=maxProperties:* MinProperties=minProperties:* Required=required:* Items=items:A AllOf=allOf:S OneOf=oneOf:S AnyOf=anyOf:S Not=not:P Properties=properties:M AdditionalProperties=additionalProperties:B PatternProperties=patternProperties:M Dependencies=dependencies:D AdditionalItems=additionalItems:B Definitions=definitions:M ExternalDocs=externalDocs:E Example=example:* XPreserveUnknownFields=x-kubernetes-preserve-unknown-fields:* XEmbeddedResource=x-kubernetes-embedded-resource:b XIntOrString=x-kubernetes-int-or-string:b XListMapKeys=x-kubernetes-list-map-keys:* XListType=x-kubernetes-list-type:* XMapType=x-kubernetes-map-type:* XValidations=x-kubernetes-validations:R";

export interface SchemaField {
  readonly go: string;
  readonly wire: string;
  readonly kind: string;
}

export const SCHEMA_FIELDS: readonly SchemaField[] = FIELDS.split(" ").map((entry) => {
  const [, go = "", wire = "", kind = ""] = /^(\w+)=([^:]+):(.)$/.exec(entry) ?? [];
  return { go, wire, kind };
});

/** Whether a field of a schema is set to anything but its zero value. */
export function isSet(value: unknown, { kind }: SchemaField): boolean {
  if (absent(value)) return false;
  return !(kind === "s" && value === "") && !(kind === "b" && value === false);
}

/** A schema in the form in which kube-apiserver's errors print it: with Go's names, every field, and null for absent ones. */
export function goSchema(schema: Schema): ReadonlyFields {
  const fields: ReadonlyFields = schema;
  return Object.fromEntries(SCHEMA_FIELDS.map(({ go, wire, kind }) => [go, shown(fields[wire], kind)]));
}

function shown(value: unknown, kind: string): unknown {
  if (kind === "s") return value ?? "";
  if (kind === "b") return value ?? false;
  if (absent(value)) return null;
  switch (kind) {
    case "S":
      return list(value).map(goSchemaOf);
    case "P":
      return goSchemaOf(value);
    case "M":
      return mapped(value, goSchemaOf);
    case "A":
      return goItems(value);
    case "B":
      return isFields(value) ? { Allows: true, Schema: goSchema(value) } : { Allows: value, Schema: null };
    case "D":
      return mapped(value, (entry) =>
        isFields(entry) ? { Schema: goSchema(entry), Property: null } : { Schema: null, Property: entry },
      );
    case "E":
      return isFields(value) ? { Description: value.description ?? "", URL: value.url ?? "" } : null;
    case "R":
      return list(value).map((rule) => goRule(isFields(rule) ? rule : {}));
    default:
      return value;
  }
}

const goSchemaOf = (value: unknown): ReadonlyFields => goSchema(isFields(value) ? value : {});

/** The `items` of a schema: one schema, or one for each place. */
export function goItems(items: unknown): ReadonlyFields {
  if (Array.isArray(items)) return { Schema: null, JSONSchemas: items.map(goSchemaOf) };
  return { Schema: goSchemaOf(items), JSONSchemas: null };
}

/** A rule of x-kubernetes-validations as kube-apiserver prints it in an error. */
export const goRule = (rule: Rule): ReadonlyFields => ({
  Rule: rule.rule ?? "",
  Message: rule.message ?? "",
  MessageExpression: rule.messageExpression ?? "",
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? "",
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

function mapped(value: unknown, show: (entry: unknown) => unknown): unknown {
  if (!isFields(value)) return null;
  return Object.fromEntries(sortedEntries(value).map(([key, entry]) => [key, show(entry)]));
}

/** Entries of a map in the order of their keys: Kubernetes' own order differs from one time to the next. */
export function sortedEntries(value: unknown): [key: string, value: unknown][] {
  if (!isFields(value)) return [];
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

type Wanted = (schema: Schema) => boolean;

/** Whether `wanted` accepts a schema or one inside it. It allocates nothing, because definitions are large. */
export function schemaHas(schema: unknown, wanted: Wanted): boolean {
  if (!isFields(schema)) return false;
  if (wanted(schema)) return true;
  for (const keyword of KEYWORDS) if (heldHas(schema[keyword], wanted)) return true;
  for (const keyword of BY_NAME) {
    const held = schema[keyword];
    if (isFields(held) && Object.values(held).some((inner) => schemaHas(inner, wanted))) return true;
  }
  return false;
}

/** A schema or a list of schemas. */
const heldHas = (held: unknown, wanted: Wanted): boolean =>
  Array.isArray(held) ? held.some((inner) => schemaHas(inner, wanted)) : schemaHas(held, wanted);

const KEYWORDS = ["items", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "additionalItems"];
const BY_NAME = ["properties", "patternProperties", "definitions", "dependencies"];
