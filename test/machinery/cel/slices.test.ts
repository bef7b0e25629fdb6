import { describe, expect, test } from "vitest";
import { atOnce } from "../../../src/base/async/steps.js";
import { BINDINGS } from "../../../src/machinery/cel/extensions/bindings.js";
import { LISTS } from "../../../src/machinery/cel/extensions/lists.js";
import type { ProgramOptions } from "../../../src/machinery/cel/program.js";
import { DYN, INT, listType, mapType, STRING } from "../../../src/machinery/cel/types/type.js";
import { describeValue } from "../../../src/machinery/cel/values/value.js";
import { environment } from "./environment.js";

const env = environment({ list: listType(INT), map: mapType(STRING, INT), any: DYN }, { libraries: [BINDINGS, LISTS] });
const bindings = {
  list: Array.from({ length: 400 }, (_, index) => index),
  map: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index])),
  any: 5,
};

function programOf(text: string, options: ProgramOptions = {}) {
  const { ast, issues } = env.compile(text);
  if (ast === undefined) throw new Error(issues.toString());
  return env.program(ast, options);
}

describe("a CEL expression has the same result in time slices as at once", () => {
  test.each([
    ["nested loops", "list.all(a, list.exists(b, b == a))", {}],
    ["a loop over a map", "map.all(k, map[k] >= 0) && map.exists(k, map[k] == 299)", {}],
    ["what loops gather", "list.filter(a, a % 2 == 0).map(a, a * 2).size() == 200", {}],
    ["exactly one", "list.exists_one(a, a == 7)", {}],
    ["a choice by a loop", "list.exists(a, a == 7) ? list.map(a, a)[3] : 0", {}],
    ["a term that decides beside one that fails", "list.exists(a, a / 0 == 1) || list.exists(a, a == 5)", {}],
    ["an error", "list.all(a, a / 0 == 1)", {}],
    ["a range that is none", "any.all(a, true)", {}],
    ["a loop as an argument", "size(list.filter(a, a > 10)) > list.filter(a, a > 10).size()", {}],
    ["a variable bound to a loop", "cel.bind(large, list.filter(a, a > 10), large.all(a, a > 10))", {}],
    ["a cost that is exceeded", "list.all(a, list.all(b, a + b >= 0))", { costLimit: 10_000 }],
    ["steps that are spent", "list.all(a, list.all(b, a + b >= 0))", { stepLimit: 10_000 }],
  ] as const)("with %s", (_, text, options: ProgramOptions) => {
    const program = programOf(text, options);
    const whole = program.evaluate(bindings);
    for (const most of [0, 300]) {
      const sliced = atOnce(program.evaluateSteps(bindings, undefined, most));
      expect({ ...sliced, value: describeValue(sliced.value) }).toEqual({
        ...whole,
        value: describeValue(whole.value),
      });
    }
  });
});

test("a long-running CEL expression pauses often, and a short one never", () => {
  const pauses = (text: string): number => {
    const steps = programOf(text).evaluateSteps(bindings);
    let count = 0;
    while (steps.next().done !== true) count += 1;
    return count;
  };
  // 160,000 turns of the innermost loop.
  expect(pauses("list.all(a, list.all(b, a + b >= 0))")).toBeGreaterThan(2000);
  expect(pauses("list.all(a, a >= 0)")).toBe(0);
});
