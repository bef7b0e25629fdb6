import { expect, test } from "vitest";
import { indentJson } from "../../../../src/machinery/wire/json/indent-json.js";

test.each([
  ["an object", { a: 1, b: [true, null, "x"], c: { d: {}, e: [] } }],
  ["an empty list", []],
  ["strings with everything that parts tokens", { 'a{"': '}],:[ \\" ', "": "tab\t" }],
  ["a list of lists", [[], [[1]], [{}, { a: [] }]]],
  ["a number", 12.5],
])("indenting JSON lays out %s as JSON.stringify does", (_name, value) => {
  expect(indentJson(JSON.stringify(value), 2)).toBe(JSON.stringify(value, null, 2));
});

test("indenting JSON keeps tokens as they were written, and keys in their order", () => {
  expect(indentJson('{"b":1.50,"1":"\\u003c","a":1e3}', 2)).toBe('{\n  "b": 1.50,\n  "1": "\\u003c",\n  "a": 1e3\n}');
});

test("indenting JSON removes white space before and between tokens, and keeps what follows the value", () => {
  expect(indentJson(' \n{ "a" : [ ] }\n', 1)).toBe('{\n "a": []\n}\n');
});
