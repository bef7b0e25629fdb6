import { describe, expect, test } from "vitest";
import { LISTS } from "../../../src/machinery/cel/extensions/lists.js";
import { OPTIONAL_TYPES } from "../../../src/machinery/cel/extensions/optionals.js";
import { SETS } from "../../../src/machinery/cel/extensions/sets.js";
import { BOOL, BYTES, INT, listType, mapType, objectType, STRING } from "../../../src/machinery/cel/types/type.js";
import type { ProgramOptions } from "../../../src/machinery/cel/program.js";
import { ErrorValue } from "../../../src/machinery/cel/values/value.js";
import { environment, evaluate } from "./environment.js";

const env = environment(
  {
    x: INT,
    y: INT,
    a: BOOL,
    b: BOOL,
    text: STRING,
    other: STRING,
    bytes: BYTES,
    ints: listType(INT),
    strings: listType(STRING),
    map: mapType(STRING, STRING),
    widgets: mapType(STRING, objectType("Widget")),
  },
  { libraries: [OPTIONAL_TYPES, LISTS, SETS] },
);

const bindings = {
  self: { replicas: 1, maxReplicas: 3, names: ["a", "b"], labels: { k: "v" }, name: "n" },
  x: 1,
  y: 4,
  a: true,
  b: false,
  text: "t".repeat(500),
  other: "val2222222",
  bytes: new Uint8Array(500),
  ints: [1, 2],
  strings: ["b", "a"],
  map: { key: "v" },
  widgets: { val: { replicas: 0 } },
};

/** Costs of cel-go's runtime cost tracker, with constants folded as Kubernetes has it. */
const COSTS: readonly (readonly [expression: string, cost: number])[] = [
  ['"Hello World!"', 0],
  ["x", 1],
  ["map['key']", 2],
  ["strings[0]", 2],
  ["self.replicas", 2],
  ["map['ke' + 'y']", 3],
  ["strings[1-1]", 3],
  ["strings[x]", 2],
  ["strings[self.replicas]", 3],
  ["has(self.replicas)", 2],
  ["has(self.labels.k)", 3],
  ["self.?name", 2],
  ["self.?extra.?zone", 1],
  ["[x, y]", 12],
  ["[1, 2, 3]", 0],
  ["{'a': x}", 31],
  ["{'a': 1}", 0],
  ["ints.all(e, true)", 8],
  ["ints.all(e, e > 0)", 12],
  ["ints.exists(e, e > 1)", 14],
  ["ints.exists_one(e, e > 1)", 9],
  ["ints.map(e, e)", 28],
  ["ints.filter(e, e > 1)", 19],
  ["widgets.all(k, widgets[k].replicas > 3)", 9],
  ["text.matches('[0-9]')", 103],
  ["'123'.matches('[0-9]')", 2],
  ["matches('123', '[0-9]')", 1],
  ["a || b", 1],
  ["b || a", 2],
  ["a && b", 2],
  ["b && a", 1],
  ["1 < 2", 1],
  ["x <= self.maxReplicas", 4],
  ["x == y", 3],
  ["'12345678901234567890' == '123456789012345678901234567890'", 2],
  ["strings == ['b', 'a']", 2],
  ["2 in [1, 2, 3]", 0],
  ["x in [1, 2, 3]", 1],
  ["x in [y, 2, 3]", 15],
  ["x in ints", 4],
  ["'key' in map", 2],
  ["1 + 1", 1],
  ["true ? 1 : 2", 0],
  ["a ? x : y", 1],
  ["a ? self.replicas : y", 2],
  ["(a ? x : y) > 1", 2],
  ["(1 > 2 || 2 > 1) == true", 3],
  ["size(text)", 2],
  ["text.size()", 2],
  ["string(bytes)", 51],
  ["bytes(text)", 51],
  ["string(x)", 2],
  ["string(1)", 0],
  ["duration('1h')", 0],
  ["text.contains(text)", 2502],
  ["'idc'.startsWith(text)", 2],
  ["'idc'.endsWith(text)", 2],
  ["(ints + ints).all(e, true)", 16],
  ["'abcdefg'.contains('val1' + other)", 5],
  ["text < text", 52],
  ["optional.of(x).orValue(1)", 2],
  ["strings.sort()", 20],
  ["ints.sort()", 20],
  ["ints.slice(0, 1)", 13],
  ["ints.distinct()", 20],
  ["lists.range(x)", 13],
  ["sets.contains(ints, ints)", 7],
  ["sets.equivalent(ints, ints)", 11],
];

describe("the runtime cost of a CEL expression", () => {
  test.each(COSTS)("of %s is %i", (text, cost) => {
    const evaluation = evaluate(env, text, bindings);
    expect(evaluation.value).not.toBeInstanceOf(ErrorValue);
    expect(evaluation.cost).toBe(cost);
  });

  test.each([
    ["has(self.replicas)", 1],
    ["has(self.labels.k)", 2],
    ["has(self.labels) && has(self.labels.k)", 3],
  ])("of %s is %i where Kubernetes charges nothing for has()", (text, cost) => {
    expect(evaluate(env, text, bindings, { presenceTestHasCost: false }).cost).toBe(cost);
  });

  test("follows the program's own costs of functions before the standard ones", () => {
    const asked: [string, string | undefined][] = [];
    const options: ProgramOptions = {
      costOf(name, overload) {
        asked.push([name, overload]);
        return name === "contains" ? ([target, part]) => String(target).length + String(part).length : undefined;
      },
    };
    expect(evaluate(env, "'abc'.contains('b') && text == text", bindings, options).cost).toBe(4 + 52);
    expect(asked).toEqual([
      ["contains", "contains_string"],
      ["_==_", "equals"],
    ]);
  });

  test("ends the evaluation as soon as it exceeds the limit", () => {
    const text = "'abcdefg'.contains('val1' + other)";
    expect(evaluate(env, text, bindings, { costLimit: 5 }).value).toBe(false);
    const over = evaluate(env, text, bindings, { costLimit: 4 });
    expect(over.value).toMatchObject({ message: "operation cancelled: actual cost limit exceeded" });
    expect(over).toMatchObject({ cost: 5, ended: "cost" });
  });

  test("ends the evaluation in spite of logical operators", () => {
    expect(evaluate(env, "text.contains(text) || true", bindings, { costLimit: 100 }).ended).toBe("cost");
  });
});
