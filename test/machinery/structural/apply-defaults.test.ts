import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { applyDefaults, removeNulls } from "../../../src/machinery/structural/apply-defaults.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { array, integer, map, object, text, unknownFields } from "./schemas.js";

type Row = readonly [title: string, schema: JsonObject, value: JsonValue, expected: JsonValue];

const a = { ...text, default: "A" };
const nullable = { nullable: true };

const defaults: readonly Row[] = [
  ["a field that is left out", object({ a }), {}, { a: "A" }],
  ["a field that is there", object({ a }), { a: "b" }, { a: "b" }],
  ["an empty string is a value", object({ a }), { a: "" }, { a: "" }],
  ["zero is a value", object({ a: { ...integer, default: 3 } }), { a: 0 }, { a: 0 }],
  ["false is a value", object({ a: { type: "boolean", default: true } }), { a: false }, { a: false }],
  ["a default of false", object({ a: { type: "boolean", default: false } }), {}, { a: false }],
  ["a default of an empty string", object({ a: { ...text, default: "" } }), {}, { a: "" }],
  ["null where it is not allowed", object({ a }), { a: null }, { a: "A" }],
  ["null where it is allowed stays", object({ a: { ...a, ...nullable } }), { a: null }, { a: null }],
  ["a nullable field that is left out", object({ a: { ...a, ...nullable } }), {}, { a: "A" }],
  ["a default of null is none", object({ a: { ...text, ...nullable, default: null } }), {}, {}],
  ["nothing in an object that is left out", object({ o: object({ a }) }), {}, {}],
  ["in an object that is there", object({ o: object({ a }) }), { o: {} }, { o: { a: "A" } }],
  ["in an object that a default brings", object({ o: object({ a }, { default: {} }) }), {}, { o: { a: "A" } }],
  [
    "in what a default brings, at each level",
    object({ o: object({ p: object({ a }, { default: {} }) }, { default: {} }) }),
    {},
    { o: { p: { a: "A" } } },
  ],
  [
    "a default that says more than the fields' own",
    object({ o: object({ a }, { default: { a: "B" } }) }),
    {},
    { o: { a: "B" } },
  ],
  [
    "in the items of a list",
    object({ l: array(object({ a })) }),
    { l: [{}, { a: "b" }] },
    { l: [{ a: "A" }, { a: "b" }] },
  ],
  [
    "in the items of a list that a default brings",
    object({ l: array(object({ a }), { default: [{}] }) }),
    {},
    { l: [{ a: "A" }] },
  ],
  ["in lists in lists", object({ l: array(array(object({ a }))) }), { l: [[{}]] }, { l: [[{ a: "A" }]] }],
  ["a null item that has a default", object({ l: array(a) }), { l: [null, "b"] }, { l: ["A", "b"] }],
  ["a null item that has none stays", object({ l: array(object({ a })) }), { l: [null] }, { l: [null] }],
  ["a null item that is allowed stays", object({ l: array({ ...a, ...nullable }) }), { l: [null] }, { l: [null] }],
  [
    "in the values of a map",
    object({ m: map(object({ a })) }),
    { m: { x: {}, y: { a: "b" } } },
    { m: { x: { a: "A" }, y: { a: "b" } } },
  ],
  ["a null value of a map that has a default", object({ m: map(a) }), { m: { x: null } }, { m: { x: "A" } }],
  [
    "a null value of a map that is allowed stays",
    object({ m: map({ ...a, ...nullable }) }),
    { m: { x: null } },
    { m: { x: null } },
  ],
  ["a map of anything", object({ m: map(true) }), { m: { x: null } }, { m: { x: null } }],
  [
    "in preserved unknown fields only what is specified",
    object({ o: object({ a }, unknownFields) }),
    { o: { b: {} } },
    { o: { a: "A", b: {} } },
  ],
  ["a value of a wrong type is left alone", object({ o: object({ a }) }), { o: "text" }, { o: "text" }],
  ["a list where an object is specified is left alone", object({ o: object({ a }) }), { o: [{}] }, { o: [{}] }],
  [
    "defaults within anyOf are none",
    object({ o: object({ b: text }, { anyOf: [{ properties: { b: { default: "B" } } }] }) }),
    { o: {} },
    { o: {} },
  ],
  [
    "an integer beyond what a float holds",
    object({ a: { ...integer, default: 9007199254740993n } as JsonObject }),
    {},
    { a: 9007199254740993n },
  ],
  [
    "a field called __proto__",
    object(JSON.parse('{"__proto__": {"type": "string", "default": "A"}}') as JsonObject),
    {},
    JSON.parse('{"__proto__": "A"}') as JsonValue,
  ],
];

const nulls: readonly Row[] = [
  ["null where it is not allowed", object({ a: text }), { a: null }, {}],
  ["null where it is allowed stays", object({ a: { ...text, ...nullable } }), { a: null }, { a: null }],
  ["null with a default stays for the default", object({ a }), { a: null }, { a: null }],
  ["null that nothing specifies stays", object({}), { a: null }, { a: null }],
  ["null in a map", object({ m: map(text) }), { m: { x: null, y: "1" } }, { m: { y: "1" } }],
  [
    "null in a map that allows it",
    object({ m: map({ ...text, ...nullable }) }),
    { m: { x: null } },
    { m: { x: null } },
  ],
  ["null in a map of anything", object({ m: map(true) }), { m: { x: null } }, { m: { x: null } }],
  [
    "null items stay, and fields of items go",
    object({ l: array(object({ a: text })) }),
    { l: [null, { a: null }] },
    { l: [null, {}] },
  ],
  ["null in an object", object({ o: object({ a: text }) }), { o: { a: null } }, { o: {} }],
];

describe("filling default values into a custom object, as apiextensions' defaulting.Default", () => {
  test.each(defaults)("%s", (_, schema, value, expected) => {
    const object = structuredClone(value);
    applyDefaults(object, structuralSchemaOf(schema));
    expect(object).toEqual(expected);
  });

  test("every object gets a copy of the default", () => {
    const schema = structuralSchemaOf(object({ o: object({ a: text }, { default: { a: "A" } }) }));
    const [one, other] = [{}, {}] as [JsonObject, JsonObject];
    applyDefaults(one, schema);
    applyDefaults(other, schema);
    (one.o as JsonObject).a = "changed";
    expect(other).toEqual({ o: { a: "A" } });
  });
});

describe("removing null from a custom object, as apiextensions' defaulting.PruneNonNullableNullsWithoutDefaults", () => {
  test.each(nulls)("%s", (_, schema, value, expected) => {
    const object = structuredClone(value);
    removeNulls(object, structuralSchemaOf(schema));
    expect(object).toEqual(expected);
  });
});
