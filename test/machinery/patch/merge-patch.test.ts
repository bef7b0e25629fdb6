import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { deepEqual } from "../../../src/machinery/patch/json-values.js";
import {
  applyMergePatch,
  createMergePatch,
  createThreeWayJsonMergePatch,
} from "../../../src/machinery/patch/merge-patch.js";

test.each([
  { name: "null removes", document: { a: 1, b: 2 }, patch: { a: null }, result: { b: 2 } },
  {
    name: "objects merge",
    document: { a: { b: 1, c: 2 } },
    patch: { a: { b: null, d: 3 } },
    result: { a: { c: 2, d: 3 } },
  },
  { name: "lists are replaced", document: { a: [1, 2] }, patch: { a: [3] }, result: { a: [3] } },
  {
    name: "nulls of a new object are dropped",
    document: {},
    patch: { a: { b: { c: null } } },
    result: { a: { b: {} } },
  },
  {
    name: "nulls in objects of a new list are dropped, null elements are not",
    document: {},
    patch: { l: [null, { a: null, b: [{ c: null }] }] },
    result: { l: [null, { b: [{}] }] },
  },
  {
    name: "a list in place of an object stays as it is",
    document: { a: {} },
    patch: { a: [{ z: null }] },
    result: { a: [{ z: null }] },
  },
])("a JSON merge patch: $name", ({ document, patch, result }) => {
  expect(applyMergePatch(document, patch)).toStrictEqual(result);
});

test.each([[[1]], [1], [null]])("a JSON merge patch may not be %j", (patch) => {
  expect(() => applyMergePatch({}, patch as JsonValue)).toThrow("Invalid JSON Patch");
});

test("a JSON merge patch treats keys named like members of Object.prototype as plain keys", () => {
  const patch = JSON.parse('{"__proto__":{"x":1},"constructor":{"y":null}}') as JsonObject;
  const result = applyMergePatch({}, patch);
  expect(JSON.stringify(result)).toBe('{"__proto__":{"x":1},"constructor":{}}');
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom("", "x", "y"));
const key = fc.constantFrom("a", "b", "c", "__proto__", "toString");
const { tree } = fc.letrec<{ tree: JsonObject; value: JsonValue }>((tie) => ({
  tree: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonObject>,
  value: fc.oneof({ maxDepth: 3 }, leaf, tie("tree"), fc.array(leaf, { maxLength: 3 })) as fc.Arbitrary<JsonValue>,
}));

test("a JSON merge patch made of the difference of a and b turns a into b", () => {
  fc.assert(
    fc.property(tree, tree, (a, b) => {
      expect(deepEqual(applyMergePatch(a, createMergePatch(a, b)), b)).toBe(true);
    }),
  );
});

test("kubectl apply's merge patch removes what the user removed, and keeps what others set", () => {
  const patch = createThreeWayJsonMergePatch(
    { spec: { gone: 1, kept: 1, nested: { gone: 1 } } },
    { spec: { kept: 2, added: { x: 1 }, empty: {} } },
    { spec: { gone: 1, kept: 1, theirs: 1, nested: { gone: 1, theirs: 1 } } },
  );
  expect(patch).toStrictEqual({ spec: { gone: null, kept: 2, added: { x: 1 }, empty: {}, nested: null } });
});

test("kubectl apply's merge patch is {} when there is nothing to do", () => {
  const object = { a: { b: [1, { c: "d" }] } };
  expect(createThreeWayJsonMergePatch(object, object, { ...object, status: {} })).toStrictEqual({});
});
