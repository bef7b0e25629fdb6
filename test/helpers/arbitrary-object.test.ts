import fc from "fast-check";
import { expect, test } from "vitest";
import { definitionNames, kindsOf, structOf } from "../../src/api/facts/index.js";
import { decodeObject } from "../../src/machinery/wire/strict-decode.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/machinery/meta/json.js";
import type { Schema, StructSchema } from "../../src/machinery/schema/schema.js";
import { isOmitted } from "../../src/machinery/schema/zero-values.js";
import { arbitraryOf, filledObject } from "./arbitrary-object.js";

const kinds = definitionNames()
  .filter((definition) => kindsOf(definition).length === 1)
  .map((definition) => structOf(definition) as StructSchema);

test("the test objects with every field set pass strict decoding unchanged, for every kind", () => {
  expect(kinds.length).toBeGreaterThan(150);
  for (const schema of kinds) {
    const object = filledObject(schema, 1);
    const { object: decoded, strictErrors } = decodeObject(object, schema);
    expect(strictErrors, schema.definition).toEqual([]);
    expect(decoded, schema.definition).toStrictEqual(object);
    expect(unfilled(object, schema, [schema.name], [schema]), schema.definition).toEqual([]);
  }
});

test("the random test objects pass strict decoding unchanged, for every kind", () => {
  for (const schema of kinds) {
    fc.assert(
      fc.property(arbitraryOf(schema), (object) => {
        const { object: decoded, strictErrors } = decodeObject(object, schema);
        expect(strictErrors).toEqual([]);
        expect(decoded).toStrictEqual(object);
      }),
      { numRuns: 10 },
    );
  }
});

test("a seed makes the same random test object each time, another seed another", () => {
  const schema = structOf("io.k8s.api.core.v1.Pod") as StructSchema;
  expect(filledObject(schema, 7)).toStrictEqual(filledObject(schema, 7));
  expect(filledObject(schema, 7)).not.toStrictEqual(filledObject(schema, 8));
});

test("random test objects leave out the fields that the test excludes", () => {
  const schema = structOf("io.k8s.api.apps.v1.Deployment") as StructSchema;
  const object = filledObject(schema, 1, { omit: ({ name }) => name === "managedFields" || name === "name" });
  expect(JSON.stringify(object)).not.toMatch(/"(managedFields|name)":/);
});

/** Paths of a struct's fields that are absent, empty or zero; a type inside itself may be absent. */
function unfilled(value: JsonObject, schema: StructSchema, at: string[], outer: readonly StructSchema[]): string[] {
  return schema.fields.flatMap((field) => {
    const path = [...at, field.name];
    const held = value[field.name];
    if (held === undefined)
      return outer.some((one) => outer.indexOf(one) !== outer.lastIndexOf(one)) ? [] : path.join();
    if (isOmitted(held, field.schema)) return path.join();
    return inside(held, field.schema, path, outer);
  });
}

function inside(value: JsonValue, schema: Schema, at: string[], outer: readonly StructSchema[]): string[] {
  if (schema.type === "list") return (value as JsonValue[]).flatMap((one) => inside(one, schema.items, at, outer));
  if (schema.type === "map") {
    return Object.values(value as JsonObject).flatMap((one) => inside(one, schema.values, at, outer));
  }
  return schema.type === "struct" && isJsonObject(value) ? unfilled(value, schema, at, [...outer, schema]) : [];
}
