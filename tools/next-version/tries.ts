import type { FieldErrorType } from "../../src/machinery/errors/field-error.js";
import type { Field, Schema, StructSchema } from "../../src/machinery/schema/schema.js";
import { heldBy } from "./fields.js";
import { gateOfCondition } from "./marks.js";
import { sampleOf } from "./samples.js";

/** No value: the field is left out. */
export const ABSENT = Symbol("absent");

/** A write that shows whether a rule is obeyed. */
export interface Try {
  readonly value: unknown;
  /** What is stored; left out for a create. */
  readonly old?: unknown;
  /** The types of errors that obey the rule. */
  readonly errors: readonly FieldErrorType[];
  /** Where they are: at the field or in it; also at what holds it; also at the fields beside it. */
  readonly at: "field" | "holder" | "beside";
  /** The end of the path, for a rule of a field in the field. */
  readonly below?: string;
  /** A gate that is off. */
  readonly without?: string;
  /** Other fields of the struct. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** A value that does not break the rule. Left out: none, or for a change the old one. */
  readonly good?: unknown;
  /** The value is to be taken. */
  readonly isGood?: true;
}

const ANY_REFUSAL = [
  "FieldValueRequired",
  "FieldValueInvalid",
  "FieldValueForbidden",
  "FieldValueNotSupported",
] as const;

/** The writes that show whether a rule of a field is obeyed, all of them; undefined for a rule that no write can show. */
export function triesOf(parts: readonly string[], schema: Schema, holder: StructSchema): readonly Try[] | undefined {
  const [first = "", ...rest] = parts;
  const inner = rest.length === 0 ? undefined : innerTries(first, rest, schema, holder);
  if (inner !== undefined) return inner;
  const [name = "", limit = ""] = first.split("=");
  return rest.length > 0 ? undefined : (ofLimit(name, Number(limit), schema) ?? ofValue(name, limit, schema, holder));
}

function innerTries(first: string, rest: readonly string[], schema: Schema, holder: StructSchema) {
  const [held] = heldBy(schema);
  const gate = gateOfCondition(first);
  if (gate !== undefined) {
    const tries = triesOf(rest, schema, holder);
    return first.startsWith("ifEnabled") ? tries : tries?.map((one) => ({ ...one, without: gate }));
  }
  if (first === "eachVal" && held !== schema) {
    const wrap = (value: unknown): unknown => (schema.type === "map" ? { k0: value } : [value]);
    return triesOf(rest, held, holder)?.map((one) => ({ ...one, ...mapped(one, wrap) }));
  }
  if (first === "eachKey" && schema.type === "map") {
    const text: Schema = { type: "scalar", scalar: "string" };
    const keyed = (key: unknown): unknown => ({ [String(key)]: sampleOf(held) });
    return triesOf(rest, text, holder)?.map((one) => ({ ...one, ...mapped(one, keyed) }));
  }
  const mode = /^ifMode\((\w+)\)$/.exec(first)?.[1];
  if (mode !== undefined) {
    const isMode = ({ schema: one }: Field): boolean => one.type === "scalar" && one.enum?.includes(mode) === true;
    const told = holder.fields.find(isMode);
    const tries = told && triesOf(rest, schema, holder);
    return tries?.map((one) => ({ ...one, beside: { [told?.name ?? ""]: mode } }));
  }
  const field = /^subfield\((\w+)\)$/.exec(first)?.[1];
  const found = field !== undefined && schema.type === "struct" ? schema.byName.get(field) : undefined;
  if (found === undefined || field === undefined || schema.type !== "struct") return undefined;
  return triesOf(rest, found.schema, schema)?.map((one) => ({
    ...one,
    ...mapped(one, (value) => (value === ABSENT ? {} : { [field]: value })),
    below: one.below === undefined ? field : `${field}.${one.below}`,
  }));
}

/** The values of a try in what holds them. */
const mapped = ({ value, good }: Try, wrap: (value: unknown) => unknown): Pick<Try, "value" | "good"> => ({
  value: wrap(value),
  ...(good !== undefined && { good: wrap(good) }),
});

function ofLimit(name: string, limit: number, schema: Schema): readonly Try[] | undefined {
  const [held] = heldBy(schema);
  const isQuantity = schema.type === "scalar" && schema.scalar === "quantity";
  const number = (value: number): unknown => (isQuantity ? String(value) : value);
  const items = (count: number): unknown => Array.from({ length: count }, (_, n) => sampleOf(held, n));
  const entries = (count: number): unknown =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, sampleOf(held)]));
  const beyond = (value: unknown, good: unknown, ...errors: readonly FieldErrorType[]): readonly Try[] => [
    { at: "field", value, good, errors: [...errors, "FieldValueInvalid"] },
  ];
  switch (name) {
    case "minimum":
      // A zero is no value.
      return beyond(number(limit - 1 || -1), number(limit));
    case "maximum":
      return beyond(number(limit + 1), number(limit));
    case "maxLength":
    case "maxBytes":
      return beyond("a".repeat(limit + 1), "a".repeat(limit), "FieldValueTooLong");
    case "maxItems":
    case "maxProperties": {
      const valueOf = schema.type === "map" ? entries : items;
      return beyond(valueOf(limit + 1), valueOf(limit), "FieldValueTooMany", "FieldValueTooLong");
    }
    default:
      return undefined;
  }
}

function ofValue(name: string, word: string, schema: Schema, holder: StructSchema): readonly Try[] | undefined {
  const [one, other] = [sampleOf(schema, 0), sampleOf(schema, 1)];
  const change = { at: "holder", errors: ["FieldValueInvalid", "FieldValueForbidden"] } as const;
  const sibling = /^dependent(?:Required|Forbidden)\((\w+)\)$/.exec(name)?.[1];
  if (sibling !== undefined) return ofSibling(name, sibling, one, holder);
  switch (name) {
    case "required":
      return [
        { at: "field", value: ABSENT, errors: ["FieldValueRequired", "FieldValueInvalid", "FieldValueNotSupported"] },
      ];
    case "forbidden":
      return [{ at: "field", value: one, errors: ["FieldValueForbidden"] }];
    case "format":
      if (schema.type !== "scalar") return undefined;
      return [{ at: "field", value: "%not a name%", errors: ["FieldValueInvalid"] }];
    case "enum":
      if (schema.type !== "scalar") return undefined;
      return [{ at: "field", value: "NoSuchValue", errors: ["FieldValueNotSupported", "FieldValueInvalid"] }];
    case "unionMember":
    case "zeroOrOneOfMember":
      return name === "unionMember" ? [{ at: "beside", value: ABSENT, errors: ANY_REFUSAL }] : undefined;
    case "listType":
    case "unique": {
      const [held] = heldBy(schema);
      const twice = [sampleOf(held), sampleOf(held)];
      return schema.type === "list" ? [{ at: "field", value: twice, errors: ["FieldValueDuplicate"] }] : undefined;
    }
    case "immutable":
      // A struct without fields can only come and go.
      return [{ ...change, value: JSON.stringify(one) === JSON.stringify(other) ? ABSENT : other, old: one }];
    case "monotonic":
      return [{ ...change, value: 1, old: 2 }];
    case "update":
      return ofUpdate(word, one, other).map((write) => ({ ...change, ...write }));
    default:
      return undefined;
  }
}

function ofUpdate(word: string, one: unknown, other: unknown): readonly Pick<Try, "value" | "old">[] {
  const both = [...(Array.isArray(one) ? one : []), ...(Array.isArray(other) ? other : [])];
  const writes: Readonly<Record<string, Pick<Try, "value" | "old">>> = {
    NoSet: { old: ABSENT, value: one },
    NoUnset: { old: one, value: ABSENT },
    NoModify: { old: one, value: other },
    NoAddItem: { old: one, value: both },
    NoRemoveItem: { old: both, value: one },
  };
  return word.split(",").flatMap((name) => writes[name.trim()] ?? []);
}

function ofSibling(name: string, sibling: string, one: unknown, holder: StructSchema): readonly Try[] | undefined {
  const field = holder.byName.get(sibling);
  if (field === undefined) return undefined;
  const beside = name.startsWith("dependentForbidden") ? { [sibling]: sampleOf(field.schema) } : {};
  return [{ at: "beside", value: one, beside, errors: ANY_REFUSAL }];
}
