import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { CorrelatedValue } from "../../../src/machinery/structural/ratchet.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { array, embedded, integer, map, mapList, object, problemsOfX, set, text } from "./schemas.js";

type Row = readonly [title: string, x: JsonObject, value: JsonValue, old: JsonValue, ...problems: string[]];

const short = { ...text, maxLength: 1 };
const tooLong = (path: string): string => `${path}: Too long: may not be more than 1 byte`;
const pair = object({ a: short, b: short });
const items = mapList(["name"], object({ name: text, a: short, b: short }));
const ports = mapList(["port", "name"], object({ port: integer, name: text, a: short }));

const rows: readonly Row[] = [
  ["a value that did not change", short, "long", "long"],
  ["a value that changed", short, "longer", "long", tooLong("spec.x")],
  ["a value that is new", object({ a: short }), { a: "long" }, {}, tooLong("spec.x.a")],
  ["a field beside one that changed", pair, { a: "long", b: "c" }, { a: "long", b: "b" }],
  ["one field of two", pair, { a: "long", b: "longer" }, { a: "long", b: "long" }, tooLong("spec.x.b")],
  ["an object that did not change", object({ a: text }, { required: ["b"] }), { a: "1" }, { a: "1" }],
  [
    "what an object misses when another field changed",
    object({ a: text }, { required: ["b"] }),
    { a: "2" },
    { a: "1" },
    "spec.x.b: Required value",
  ],
  ["a type that did not change", integer, "1", "1"],
  ["an enum that did not change", { ...text, enum: ["a"] }, "b", "b"],
  ["null that did not change", text, null, null],
  ["a float that is the same number", { ...integer, minimum: 5 }, 1, 1],
  ["a value of a map", map(short), { x: "long", y: "a" }, { x: "long" }],
  ["a value of a map under another key", map(short), { y: "long" }, { x: "long" }, tooLong("spec.x.y")],
  ["an atomic list that did not change", array(short), ["long"], ["long"]],
  ["an item of an atomic list that changed", array(short), ["long", "a"], ["long"], tooLong("spec.x[0]")],
  ["an item of a set", set(short), ["long", "a"], ["long"], tooLong("spec.x[0]")],
  ["a set in another order", set(short), ["a", "long"], ["long", "a"], tooLong("spec.x[1]")],
  ["an item of a list of type map", items, [{ name: "a", a: "long" }, { name: "b" }], [{ name: "a", a: "long" }]],
  [
    "an item of a list of type map at another place",
    items,
    [{ name: "b" }, { name: "a", a: "long" }],
    [{ name: "a", a: "long" }],
  ],
  ["a field of an item that changed elsewhere", items, [{ name: "a", a: "long", b: "x" }], [{ name: "a", a: "long" }]],
  [
    "a field of an item that changed",
    items,
    [{ name: "a", a: "longer" }],
    [{ name: "a", a: "long" }],
    tooLong("spec.x[0].a"),
  ],
  ["an item with another key", items, [{ name: "b", a: "long" }], [{ name: "a", a: "long" }], tooLong("spec.x[0].a")],
  ["an item without its key", items, [{ a: "long" }], [{ a: "long" }, { name: "b" }], tooLong("spec.x[0].a")],
  [
    "an item with two keys",
    ports,
    [
      { port: 2, name: "b" },
      { port: 1, name: "a", a: "long" },
    ],
    [{ port: 1, name: "a", a: "long" }],
  ],
  [
    "an item of which one key of two is another",
    ports,
    [{ port: 2, name: "a", a: "long" }],
    [{ port: 1, name: "a", a: "long" }],
    tooLong("spec.x[0].a"),
  ],
  [
    "the number of items of a list of type map in another order",
    { ...items, maxItems: 1 },
    [{ name: "b" }, { name: "a" }],
    [{ name: "a" }, { name: "b" }],
  ],
  [
    "the number of items when one is new",
    { ...items, maxItems: 1 },
    [{ name: "a" }, { name: "b" }],
    [{ name: "a" }],
    "spec.x: Too many: 2: must have at most 1 item",
  ],
  [
    "what an object that changed has of anyOf",
    object({ a: text, b: text }, { anyOf: [{ properties: { a: { maxLength: 1 } } }] }),
    { a: "long", b: "2" },
    { a: "long", b: "1" },
    '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
    tooLong("spec.x.a"),
  ],
  [
    "anyOf of an object that did not change",
    object({ a: text }, { anyOf: [{ properties: { a: { maxLength: 1 } } }] }),
    { a: "long" },
    { a: "long" },
  ],
  [
    "a field that the schema does not know",
    object({ a: text }, { required: ["c"] }),
    { a: "1", b: "1" },
    { a: "1", b: "1" },
    "spec.x.c: Required value",
  ],
  ["a repeated item of a set that had one", set(text), ["a", "a", "b"], ["a", "a"]],
  ["a repeated item of a set that had none", set(text), ["a", "a"], ["a"], 'spec.x[1]: Duplicate value: "a"'],
  [
    "an embedded resource that did not change",
    embedded(),
    { kind: "Pod" },
    { kind: "Pod" },
    "spec.x.apiVersion: Required value",
  ],
];

describe("an update of a stored invalid value, as apiextensions' RatchetingSchemaValidator, is accepted or not for", () => {
  test.each(rows)("%s", (_, x, value, old, ...problems) => {
    expect(problemsOfX(x as JsonObject, value, old)).toEqual(problems);
  });
});

describe("comparing a custom object with its old value, as apiserver's common.CorrelatedObject", () => {
  const correlate = (schema: JsonObject, value: JsonValue, old: JsonValue): CorrelatedValue =>
    new CorrelatedValue(value, old, structuralSchemaOf(schema));

  test.each<[string, JsonObject, JsonValue, JsonValue, boolean]>([
    [
      "equal objects with fields in another order",
      object({ a: text, b: text }),
      { a: "1", b: "2" },
      { b: "2", a: "1" },
      true,
    ],
    ["an object with a field more", object({ a: text, b: text }), { a: "1", b: "2" }, { a: "1" }, false],
    [
      "a field that the schema does not know has no place, and so is not equal",
      object({}),
      { a: "1" },
      { a: "1" },
      false,
    ],
    ["equal atomic lists", array(text), ["a", "b"], ["a", "b"], true],
    ["atomic lists in another order", array(text), ["a", "b"], ["b", "a"], false],
    ["lists of type map in another order", items, [{ name: "a" }, { name: "b" }], [{ name: "b" }, { name: "a" }], true],
    ["an object and a list", object({}), {}, [], false],
    ["two nulls", text, null, null, true],
    ["null and a value", text, "a", null, false],
  ])("%s", (_, schema, value, old, isEqual) => {
    expect(correlate(schema, value, old).isEqual).toBe(isEqual);
  });

  test("finds for an item of a keyed list its old item with the same keys", () => {
    const value = correlate(items, [{ name: "b", a: "2" }], [{ name: "a" }, { name: "b", a: "1" }]);
    expect(value.item(0)?.old).toEqual({ name: "b", a: "1" });
    expect(value.item(0)?.field("a")?.old).toBe("1");
    expect(value.item(0)?.field("b")).toBeUndefined();
    expect(value.item(1)).toBeUndefined();
  });

  test("makes the value for a child once", () => {
    const value = correlate(object({ a: text }), { a: "1" }, { a: "1" });
    expect(value.field("a")).toBe(value.field("a"));
  });

  test("finds no old value for items of sets and atomic lists", () => {
    expect(correlate(set(text), ["a"], ["a"]).item(0)).toBeUndefined();
    expect(correlate(array(text), ["a"], ["a"]).item(0)).toBeUndefined();
  });
});
