import { describe, expect, test } from "vitest";
import { atOnce } from "../../../src/base/async/steps.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { RuleCompiler } from "../../../src/machinery/structural/rules/compile-rule.js";
import { declaredTypeOf } from "../../../src/machinery/structural/rules/declared-type.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { array, map, object, text } from "./schemas.js";

// What rules cost by their estimate, with and without limits in the schema, in kube-apiserver's figures.

type Schema = (limit: number | undefined) => JsonObject;

const limited = (schema: JsonObject, limits: JsonObject, limit: number | undefined): JsonObject =>
  limit === undefined ? schema : { ...schema, ...Object.fromEntries(Object.keys(limits).map((name) => [name, limit])) };

const listOf =
  (items: JsonObject): Schema =>
  (limit) =>
    limited(array(items), { maxItems: 0 }, limit);
const mapOf =
  (values: JsonObject): Schema =>
  (limit) =>
    limited(map(values), { maxProperties: 0 }, limit);
const textOf =
  (rest: JsonObject = {}): Schema =>
  (limit) =>
    limited({ ...text, ...rest }, { maxLength: 0 }, limit);

const number: JsonObject = { type: "number" };
const boolean: JsonObject = { type: "boolean" };
const intOrString: JsonObject = { "x-kubernetes-int-or-string": true };
const format = (name: string): JsonObject => ({ type: "string", format: name });
const pair: JsonObject = object({ required: text, optional: text }, { required: ["required"] });
const limitedTexts: Schema = (limit) => limited(map(textOf()(limit)), { maxProperties: 0 }, limit);
const textsInList: Schema = (limit) => limited(array(textOf()(limit)), { maxItems: 0 }, limit);
const nested: Schema = (limit) =>
  limited(array(limited(map(pair), { maxProperties: 0 }, limit)), { maxItems: 0 }, limit);

function costOf(schema: JsonObject, rule: string): number {
  const structural = structuralSchemaOf(schema);
  const self = declaredTypeOf(structural, undefined, false);
  if (self === undefined) throw new Error("rules see nothing of it");
  const { expression } = atOnce(new RuleCompiler(structural, self).compileSteps({ rule }));
  if (expression?.program === undefined) throw new Error(expression?.error);
  return expression.maxCost();
}

const ALL = "self.all(x, true)";

const COSTS: readonly (readonly [
  what: string,
  schema: Schema,
  rule: string,
  cost: number,
  limit: number,
  less: number,
])[] = [
  ["numbers in a list", listOf(number), ALL, 4718591, 10, 32],
  ["texts in a list", listOf(text), ALL, 3145727, 20, 62],
  ["booleans in a list", listOf(boolean), ALL, 1887437, 5, 17],
  ["lists in a list", listOf(array(number)), ALL, 3145727, 100, 302],
  ["objects in a list", listOf(pair), ALL, 555128, 50, 152],
  ["int-or-strings in a list", listOf(intOrString), ALL, 4718591, 10, 32],
  ["durations in a list", listOf(format("duration")), ALL, 2359295, 5, 17],
  ["dates in a list", listOf(format("date")), ALL, 725936, 15, 47],
  ["times in a list", listOf(format("date-time")), ALL, 428963, 25, 77],
  ["numbers in a map", mapOf(number), ALL, 1348169, 10, 32],
  ["texts in a map", mapOf(text), ALL, 1179647, 3, 11],
  ["booleans in a map", mapOf(boolean), ALL, 943718, 100, 302],
  ["int-or-strings in a map", mapOf(intOrString), ALL, 1348169, 15, 47],
  ["objects in a map", mapOf(pair), ALL, 428963, 20, 62],
  ["maps in a map", mapOf(map(number)), ALL, 1179647, 10, 32],
  ["lists in a map", mapOf(array(number)), ALL, 1179647, 25, 77],
  ["durations in a map", mapOf(format("duration")), ALL, 1048577, 5, 17],
  ["dates in a map", mapOf(format("date")), ALL, 524288, 10, 32],
  ["times in a map", mapOf(format("date-time")), ALL, 349526, 25, 77],
  ["a key of a map", mapOf(number), "has(self.x)", 1, 100, 1],
  ["contains", textOf(), "self.contains('test')", 314574, 10, 5],
  ["startsWith", textOf(), "self.startsWith('test')", 2, 15, 2],
  ["endsWith", textOf(), "self.endsWith('test')", 2, 30, 2],
  ["texts that are joined", textOf(), 'size(self + "hello") > size("hello")', 314578, 4, 7],
  ["a number of a list", listOf(number), "self[1] == 0.0", 2, 5000, 2],
  ["a text of a list", listOf(text), "self[1] == self[1]", 314577, 8, 314577],
  ["a boolean of a list", listOf(boolean), "self[0] == false", 2, 25, 2],
  ["an int-or-string of a list", listOf(intOrString), "self[0] == 5", 3, 10, 3],
  ["an object of a list", listOf(pair), "self[0] == null", 2, 422, 2],
  ["a number of a list in a list", listOf(array(number)), "self[0][0] == -1.0", 3, 51, 3],
  ["a number of a map in a list", listOf(map(number)), "self[0].x > 2.0", 4, 3000, 4],
  ["numbers of maps in a list", listOf(map(number)), "self.all(x, x.y == 25.2)", 6291452, 12, 74],
  ["a duration of a list", listOf(format("duration")), "self[0].getHours() == 2", 4, 525, 4],
  ["a date of a list", listOf(format("date")), "self[2].getDayOfMonth() == 13", 4, 42, 4],
  ["a time of a list", listOf(format("date-time")), "self[2].getMinutes() == 45", 4, 99, 4],
  ["times that are compared", mapOf(format("date-time")), 'self["a"] == self["b"]', 8, 7, 8],
  ["durations that are compared", mapOf(format("duration")), 'self["c"] == self["d"]', 8, 42, 8],
  ["a size before and now", mapOf({ type: "integer" }), "oldSelf.size() == self.size()", 5, 10, 5],
  ["matches", textOf(), 'self.matches("x")', 314574, 50, 22],
  ["matches of an empty text", textOf(), '"".matches("(((((((((())))))))))[0-9]")', 7, 10, 7],
  ["matches of an empty pattern", textOf(), 'self.matches("")', 1, 100, 1],
  ["texts in a map, looked up", limitedTexts, "self.all(x, x.contains(self[x]))", 2752507, 10, 72],
  ["a list of none", listOf(number), "self[3] == 0.0", 2, 0, 2],
  ["a map of none", mapOf(number), 'self["x"] == 0.0', 2, 0, 2],
  ["a text of no length", textOf(), 'self == "x"', 2, 0, 1],
  ["bytes of no length", textOf({ format: "byte" }), 'self == b"x"', 2, 0, 1],
  [
    "a limit above what fits into a request",
    listOf(number),
    "self.all(x, x == 0.0)",
    6291454,
    3 * 1024 * 2048,
    25165826,
  ],
  ["objects in maps in a list", nested, 'self.all(x, x["y"].required == "z")', 7340027, 10, 72],
  [
    "an enum of which the longest value counts",
    textOf({ enum: ["A", "B", "C", "LongValue"] }),
    "self.contains('A')",
    2,
    1000,
    401,
  ],
  ["two loops", listOf(number), "self.all(x, self.all(y, true))", 7421701914624, 10, 352],
  ["find", textOf(), "self.find('[0-9]+') == ''", 629147, 10, 11],
  ["join", textsInList, "self.join(' ') == 'aa bb'", 329853068905, 10, 43],
  ["isSorted", textsInList, "self.isSorted() == true", 329854432052, 10, 52],
  [
    "replace",
    (limit) =>
      object({
        text: textOf()(limit),
        before: { ...text, maxLength: 2 },
        after: { ...text, maxLength: 4 },
      }),
    "self.text.replace(self.before, self.after) == 'does not matter'",
    629154,
    4,
    12,
  ],
  [
    "split",
    (limit) => object({ a: textOf()(limit), b: textOf()(limit) }),
    "self.a.split(self.b) == []",
    629160,
    10,
    22,
  ],
  ["lowerAscii", textOf(), "self.lowerAscii() == 'lower!'", 314575, 10, 6],
  ["a quantity", (limit) => limited(intOrString, { maxLength: 0 }, limit), "isQuantity(self)", 314574, 20, 9],
  ["a list that is sliced", listOf(number), "self.slice(0, 2).size() == 2", 16, 10, 16],
  ["a list without repeats", textsInList, "self.distinct().size() > 0", 2199019061264, 10, 214],
  ["a list as a set", textsInList, "sets.contains(self, ['a', 'b'])", 2097162, 10, 32],
  ["a list in a condition", listOf(number), "(true ? self : []).all(x, true)", 4718600, 10, 41],
  ["an optional", listOf(number), "self[?0].optMap(x, x > 1.0).orValue(false)", 20, 10, 20],
];

describe("the estimated cost of a CEL validation rule for", () => {
  test.each(COSTS)("%s: %#", (_what, schema, rule, cost, limit, less) => {
    expect(costOf(schema(undefined), rule)).toBe(cost);
    expect(costOf(schema(limit), rule)).toBe(less);
  });

  test("loops without limits is higher than any rule may cost", () => {
    const loops = "self.all(x, self.all(y, self.all(z, true)))";
    expect(costOf(array(number), loops)).toBeGreaterThan(1e18);
    expect(costOf({ ...array(number), maxItems: 10 }, loops)).toBe(3552);
  });
});
