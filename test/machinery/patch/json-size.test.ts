import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/machinery/meta/json.js";
import { measureJson } from "../../../src/machinery/patch/json-size.js";

test("the measured size of a value is the length of its JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // A negative zero has a sign here and none in JSON.
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
      expect(measureJson(plain).bytes).toBe(Buffer.byteLength(JSON.stringify(plain)));
    }),
  );
});

test.each<[JsonValue, number]>([
  [1, 0],
  [[], 1],
  [{ a: 1 }, 1],
  [[[], [[]], { a: {} }], 3],
])("the measured nesting of %j is %i", (value, depth) => {
  expect(measureJson(value).depth).toBe(depth);
});

test("a value that stands in several places counts in each, however many there are", () => {
  let value: JsonValue = "x";
  for (let level = 0; level < 40; level++) value = [value, value];
  expect(measureJson(value)).toEqual({ bytes: 2 ** 40 * 3 + (2 ** 40 - 1) * 3, depth: 40 });
});
