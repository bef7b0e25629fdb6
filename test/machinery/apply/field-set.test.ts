import { describe, expect, test } from "vitest";
import {
  difference,
  equal,
  fieldSet,
  has,
  intersection,
  isEmpty,
  paths,
  recursiveDifference,
  sorted,
  union,
} from "../../../src/machinery/apply/field-set.js";
import { compareElements, elementText, pathText } from "../../../src/machinery/apply/path-element.js";
import { parseFieldsV1 } from "../../../src/machinery/apply/fields-v1.js";
import type { JsonValue } from "../../../src/machinery/meta/json.js";

/** "a.b a" -> the set of .a.b and .a; the steps are field names. */
const set = (text: string) =>
  fieldSet(
    ...text
      .split(" ")
      .filter(Boolean)
      .map((path) => path.split(".").map((name) => `f:${name}`)),
  );

/** Every path, as a set prints itself. */
const show = (of: ReturnType<typeof set>) => [...paths(sorted(of))].map((path) => pathText(path).slice(1)).join(" ");

describe("the union of two sets of field paths", () => {
  test.each([
    ["", "", ""],
    ["a", "", "a"],
    ["", "a", "a"],
    ["a", "a", "a"],
    ["a", "b", "a b"],
    ["a.b", "a.c", "a.b a.c"],
    ["a", "a.b", "a a.b"],
    ["a.b", "a", "a a.b"],
    ["a a.b", "a.b.c", "a a.b a.b.c"],
  ])("%s and %s", (a, b, expected) => {
    expect(show(union(set(a), set(b)))).toBe(expected);
    expect(show(union(set(b), set(a)))).toBe(expected);
  });
});

describe("the intersection of two sets of field paths", () => {
  test.each([
    ["a", "", ""],
    ["a", "a", "a"],
    ["a", "b", ""],
    ["a", "a.b", ""],
    ["a.b", "a.b a.c", "a.b"],
    ["a a.b", "a.b", "a.b"],
    ["a a.b", "a a.c", "a"],
    ["a.b.c d", "a.b d", "d"],
  ])("%s and %s", (a, b, expected) => {
    expect(show(intersection(set(a), set(b)))).toBe(expected);
    expect(show(intersection(set(b), set(a)))).toBe(expected);
  });
});

describe("the difference of two sets of field paths keeps a parent without its child, and the reverse", () => {
  test.each([
    ["a", "", "a"],
    ["a", "a", ""],
    ["", "a", ""],
    ["a b", "a", "b"],
    ["a a.b", "a.b", "a"],
    ["a a.b", "a", "a.b"],
    ["a.b a.c", "a.b", "a.c"],
    ["a.b.c", "a.b", "a.b.c"],
    ["a.b", "a.b.c", "a.b"],
    ["a.b.c a.b.d", "a.b.c a.b.d", ""],
    ["a a.b a.b.c", "a.b", "a a.b.c"],
  ])("%s without %s", (a, b, expected) => {
    expect(show(difference(set(a), set(b)))).toBe(expected);
  });

  test("with nothing in common is the same object", () => {
    const owned = set("a.b c");
    expect(difference(owned, set("a.x d"))).toBe(owned);
  });
});

describe("the recursive difference of two sets of field paths removes also what is below", () => {
  test.each([
    ["a.b.c", "a.b", ""],
    ["a a.b.c", "a.b", "a"],
    ["a.b.c a.d", "a.b", "a.d"],
    ["a.b", "a.b.c", "a.b"],
    ["spec.replicas status.phase status", "status", "spec.replicas"],
    ["a.b.c a.b.d", "a.b.c", "a.b.d"],
  ])("%s without %s", (a, b, expected) => {
    expect(show(recursiveDifference(set(a), set(b)))).toBe(expected);
  });
});

describe("membership in a set of field paths", () => {
  test.each([
    ["a.b", "a.b", true],
    ["a.b", "a", false],
    ["a a.b", "a", true],
    ["a", "a.b", false],
    ["a", "b", false],
    ["", "a", false],
  ])("%s has %s: %s", (of, path, expected) => {
    expect(
      has(
        set(of),
        path.split(".").map((name) => `f:${name}`),
      ),
    ).toBe(expected);
  });

  test("is false for the path of the whole object", () => {
    expect(has(set("a"), [])).toBe(false);
    expect(isEmpty(set(""))).toBe(true);
  });
});

test("a set of field paths lists the members of a level before the paths below it", () => {
  expect(show(set("b a.x c.y c a.w"))).toBe("b c a.w a.x c.y");
});

test("sets of the same field paths are equal in whatever order they were made", () => {
  expect(equal(set("a b.c"), set("b.c a"))).toBe(true);
  expect(equal(set("a b.c"), set("a b"))).toBe(false);
  expect(equal(set("a"), set("a b"))).toBe(false);
});

test("sorting a set of field paths that is in order returns the same object", () => {
  const inOrder = set("a b.c b.d");
  expect(sorted(inOrder)).toBe(inOrder);
});

describe("a step of a field path in an error message", () => {
  test.each([
    ["f:replicas", ".replicas"],
    ["f:app.kubernetes.io/name", ".app.kubernetes.io/name"],
    ['k:{"name":"nginx"}', '[name="nginx"]'],
    ['k:{"containerPort":80,"protocol":"TCP"}', '[containerPort=80,protocol="TCP"]'],
    ['k:{"a":true,"b":null}', "[a=true,b=null]"],
    ['v:"x"', '[="x"]'],
    ["v:1", "[=1]"],
    ["v:2.5", "[=2.5]"],
    ["v:true", "[=true]"],
    ["v:[1,2]", "[=[1,2]]"],
    ["i:3", "[3]"],
    ['v:"a\\nb"', '[="a\\nb"]'],
  ])("%s", (element, text) => {
    expect(elementText(element)).toBe(text);
  });
});

describe("the order of steps in a field path:", () => {
  test.each([
    ["f:a", "f:b"],
    ["f:Z", "f:a"],
    ["f:z", 'k:{"a":1}'],
    ['k:{"a":1}', "v:1"],
    ["v:1", "i:0"],
    ['k:{"a":1}', 'k:{"a":2}'],
    ['k:{"a":2}', 'k:{"b":1}'],
    ['k:{"a":1}', 'k:{"a":"1"}'],
    ["v:1", "v:1.5"],
    ["v:2", 'v:"1"'],
    ['v:"z"', "v:true"],
    ["v:false", "v:true"],
    ["v:true", "v:[1]"],
    ["v:[1]", "v:[1,0]"],
    ["v:[1,2]", "v:{}"],
    ["v:{}", "v:null"],
    ["i:2", "i:10"],
  ])("%s before %s", (a, b) => {
    expect(Math.sign(compareElements(a, b))).toBe(-1);
    expect(Math.sign(compareElements(b, a))).toBe(1);
    expect(compareElements(a, a)).toBe(0);
  });
});

test("a set of field paths parsed from JSON equals one built by code", () => {
  const parsed = parseFieldsV1(JSON.parse('{"f:a":{".":{},"f:b":{}}}') as JsonValue);
  expect(equal(parsed, set("a a.b"))).toBe(true);
});
