import { describe, expect, test } from "vitest";
import { kubernetesEnvironment } from "../../../../src/machinery/cel/kubernetes/environment.js";
import { DYN, INT, listType } from "../../../../src/machinery/cel/types/type.js";
import { evaluate, failure, issuesOf } from "./evaluate.js";

const STRING_CLAUSE =
  "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";

describe("the CEL environment of Kubernetes' expressions", () => {
  test("is made once for each version", () => {
    expect(kubernetesEnvironment()).toBe(kubernetesEnvironment());
  });

  test.each([
    ["numbers of different types compare", "1.5 > 1 && 2u <= 2"],
    ["optional values", "{'a': 1}[?'b'].orValue(2) == 2"],
    ["strings in version 2", "'a,b'.split(',').join('-').upperAscii() == 'A-B'"],
    ["formatted strings", "'%s has %d'.format(['x', dyn(2)]) == 'x has 2'"],
    ["sets", "sets.contains([1, 2], [2])"],
    ["lists in version 3", "[3, 1, 2].sort() == [1, 2, 3] && [1, 2].reverse() == [2, 1]"],
    ["sorting by keys", "[{'n': 2}, {'n': 1}].sortBy(e, e.n)[0].n == 1"],
    ["comprehensions with two variables", "{'a': 1}.all(k, v, k == 'a' && v == 1)"],
    ["maps that are transformed", "[1, 2].transformMap(i, v, v * 2) == {0: 2, 1: 4}"],
    ["UTC where no time zone is named", "timestamp('2024-01-02T03:04:05Z').getHours() == 3"],
    ["time zones by their names", "timestamp('2024-01-02T03:04:05Z').getHours('+01:00') == 4"],
  ])("has %s", (_, text) => {
    expect(evaluate(text).value).toBe(true);
  });

  test.each([
    ["[1, 'a']", ["expected type 'int' but found 'string'"]],
    ["{'a': 1, 'b': 'c'}", ["expected type 'int' but found 'string'"]],
    ["[1, dyn(2)]", ["expected type 'int' but found 'dyn'"]],
    ["'%d and %s'.format([1, 'a'])", []],
    ["'%d'.format(['a'])", ["error during formatting: decimal clause can only be used on integers, was given string"]],
    ["'%d'.format([dyn('a')])", []],
    ["'%s'.format([[1, optional.none()]])", [`error during formatting: ${STRING_CLAUSE}, was given optional_type`]],
    ["'%.2f'.format([1])", ["error during formatting: fixed-point clause can only be used on doubles, was given int"]],
    ["'%y'.format([1])", ['could not parse formatting clause: unrecognized formatting clause "y"']],
    ["'%d %d'.format([1])", ["index 1 out of range"]],
    ["'%d'.format([1, 2])", ["too many arguments supplied to string.format (expected 1, got 2)"]],
    ["duration('1x') == duration('1s')", ["invalid duration argument"]],
    ["timestamp('yesterday') == timestamp('2024-01-01T00:00:00Z')", ["invalid timestamp argument"]],
    ["matches('a', '(')", []],
    ["matches('(', 'a')", ["invalid matches argument"]],
    ["'abc'.reverse() == 'cba'", ["found no matching overload for 'reverse' applied to 'string.()'"]],
    [
      "math.greatest(1, 2) == 2",
      ["undeclared reference to 'math' (in container '')", "undeclared reference to 'greatest' (in container '')"],
    ],
    [
      "base64.encode(b'a') == 'YQ=='",
      ["undeclared reference to 'base64' (in container '')", "undeclared reference to 'encode' (in container '')"],
    ],
    [
      "cel.bind(x, 1, x) == 1",
      [
        "undeclared reference to 'cel' (in container '')",
        "undeclared reference to 'bind' (in container '')",
        "undeclared reference to 'x' (in container '')",
        "undeclared reference to 'x' (in container '')",
      ],
    ],
    [
      "jsonpatch.escapeKey('a') == 'a'",
      [
        "undeclared reference to 'jsonpatch' (in container '')",
        "undeclared reference to 'escapeKey' (in container '')",
      ],
    ],
    ["Object{}.x == 1", ["undeclared reference to 'Object' (in container '')"]],
  ])("refuses %s", (text, issues) => {
    expect(issuesOf(text)).toEqual(issues);
  });

  test("ends an evaluation that costs more than 1,000,000", () => {
    const more = { variables: [{ name: "ints", type: listType(INT) }] };
    const ints = Array.from({ length: 1000 }, (_, index) => index);
    const text = "ints.all(a, ints.all(b, a + b >= 0))";
    expect(failure(text, { ints }, more)).toBe("operation cancelled: actual cost limit exceeded");
  });

  test("charges nothing for has()", () => {
    const more = { variables: [{ name: "self", type: DYN }] };
    expect(evaluate("has(self.a)", { self: {} }, more).cost).toBe(1);
  });
});
