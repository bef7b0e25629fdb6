import { isFields } from "../../../machinery/meta/access.js";
import type { Schema } from "../../../machinery/schema/schema.js";

/** Yields the values of the schema that are one step simpler: without a field, an item or an entry, or with a shorter text or a smaller number. */
export function* smaller(value: unknown, schema: Schema): Generator<unknown, void> {
  switch (schema.type) {
    case "struct":
      if (isFields(value)) {
        yield* smallerFields(
          value,
          (name) => schema.byName.get(name)?.schema,
          (name) => schema.byName.get(name)?.required !== true,
        );
      }
      return;
    case "map":
      if (isFields(value))
        yield* smallerFields(
          value,
          () => schema.values,
          () => true,
        );
      return;
    case "list":
      if (!Array.isArray(value)) return;
      for (const index of value.keys()) yield value.toSpliced(index, 1);
      for (const [index, item] of value.entries()) {
        for (const less of smaller(item, schema.items)) yield value.with(index, less);
      }
      return;
    case "scalar":
      if (typeof value === "string" && schema.scalar === "string" && value.length > 1) yield value.slice(0, 1);
      if (typeof value === "number" && value !== 0 && value !== 1) yield 1;
  }
}

function* smallerFields(
  value: Readonly<Record<string, unknown>>,
  schemaOf: (name: string) => Schema | undefined,
  mayGo: (name: string) => boolean,
): Generator<unknown, void> {
  for (const name of Object.keys(value)) {
    if (!mayGo(name)) continue;
    const { [name]: _, ...rest } = value;
    yield rest;
  }
  for (const [name, held] of Object.entries(value)) {
    const schema = schemaOf(name);
    if (schema === undefined) continue;
    for (const less of smaller(held, schema)) yield { ...value, [name]: less };
  }
}
