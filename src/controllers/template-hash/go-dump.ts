import { compareKeys } from "../../base/collections/key-order.js";
import type { Field, MapSchema, ScalarSchema, Schema, StructSchema } from "../../machinery/schema/schema.js";
import { goFieldName } from "./go-field-names.js";
import { dumpQuantity } from "./go-quantity-dump.js";

type Value = unknown;

/**
 * A value of an API type as Go's k8s.io/utils/dump.ForHash prints its struct: every field with its Go name and type, those that
 * are absent with their zero values. Empty lists and maps count as absent, as they do for a client that reads protobuf. Of
 * times only the absent one is known: a pod's template has no other.
 */
export function goDump(schema: Schema, value: Value): string {
  return `(${typeName(schema)})${body(schema, value)}`;
}

/** The value without its type. */
function body(schema: Schema, value: Value): string {
  switch (schema.type) {
    case "struct":
      return struct(schema, (value ?? {}) as Readonly<Record<string, Value>>);
    case "list": {
      const items = (value ?? []) as readonly Value[];
      return items.length === 0 ? "<nil>" : `[${items.map((item) => body(schema.items, item)).join(" ")}]`;
    }
    case "map":
      return map(schema, (value ?? {}) as Readonly<Record<string, Value>>);
    case "scalar":
      return scalar(schema, value);
  }
}

function struct({ name, fields }: StructSchema, value: Readonly<Record<string, Value>>): string {
  const parts: string[] = [];
  for (let index = 0; index < fields.length; index++) {
    const first = fields[index] as Field;
    const { inlinedIn } = first;
    if (inlinedIn === undefined) {
      parts.push(field(name, first, value));
      continue;
    }
    const embedded: string[] = [];
    for (; fields[index]?.inlinedIn === inlinedIn; index++) {
      embedded.push(field(inlinedIn, fields[index] as Field, value));
    }
    index--;
    parts.push(`${inlinedIn}:(v1.${inlinedIn}){${embedded.join(" ")}}`);
  }
  return `{${parts.join(" ")}}`;
}

function field(struct: string, { name, schema, pointer }: Field, value: Readonly<Record<string, Value>>): string {
  const held = Object.hasOwn(value, name) ? value[name] : undefined;
  if (!pointer) return `${goFieldName(struct, name)}:${goDump(schema, held)}`;
  const text = held === undefined || held === null ? "<nil>" : body(schema, held);
  return `${goFieldName(struct, name)}:(*${typeName(schema)})${text}`;
}

function map({ values }: MapSchema, value: Readonly<Record<string, Value>>): string {
  const keys = Object.keys(value).sort(compareKeys);
  return keys.length === 0 ? "<nil>" : `map[${keys.map((key) => `${key}:${body(values, value[key])}`).join(" ")}]`;
}

const ZERO_TIME = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";

function scalar({ scalar: type }: ScalarSchema, held: Value): string {
  const value = held as string | number | bigint | boolean | null | undefined;
  if (type === "quantity") return dumpQuantity(String(value ?? 0));
  if (type === "time") return ZERO_TIME;
  if (type === "string") return String(value ?? "");
  if (type === "bool") return String(value ?? false);
  if (type !== "intOrString") return String(value ?? 0);
  return typeof value === "string"
    ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
    : `{Type:(intstr.Type)0 IntVal:(int32)${String(value ?? 0)} StrVal:(string)}`;
}

const SCALAR_TYPES: Readonly<Partial<Record<ScalarSchema["scalar"], string>>> = {
  quantity: "resource.Quantity",
  intOrString: "intstr.IntOrString",
  time: "v1.Time",
};

/** As Go's reflection prints the type. */
function typeName(schema: Schema): string {
  switch (schema.type) {
    case "struct":
      return schema.goType ?? schema.name;
    case "list":
      return schema.goType ?? `[]${typeName(schema.items)}`;
    case "map":
      return schema.goType ?? `map[string]${typeName(schema.values)}`;
    case "scalar":
      return schema.goType ?? SCALAR_TYPES[schema.scalar] ?? schema.scalar;
  }
}
