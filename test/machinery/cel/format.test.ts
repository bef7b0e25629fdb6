import { describe, expect, test } from "vitest";
import { STRINGS_2, STRINGS_4 } from "../../../src/machinery/cel/extensions/strings.js";
import { environment, evaluate } from "./environment.js";

/** An expression, what Kubernetes' version of format makes of it, and what the newest one makes. */
const ROWS: readonly (readonly [expression: string, kubernetes: string, newest: string])[] = [
  ["'%s and %d%%'.format(['a', 7])", "a and 7%", "a and 7%"],
  [
    "'%s'.format([['a', 1, 1.5, duration('90s'), null]])",
    '["a", 1, 1.500000, duration("90s"), null]',
    "[a, 1, 1.5, 90s, null]",
  ],
  ["'%s'.format([{'b': b'x', 'a': [true]}])", '{"a":[true], "b":b"x"}', "{a: [true], b: x}"],
  [
    "'%s %s'.format([timestamp('2024-01-02T03:04:05Z'), type(1)])",
    "2024-01-02T03:04:05Z int",
    "2024-01-02T03:04:05Z int",
  ],
  ["'%.2f'.format([12345.678])", "12,345.68", "12345.68"],
  ["'%.3f'.format([1.2345])", "1.234", "1.234"],
  ["'%f'.format([double('Infinity')])", "∞", "Infinity"],
  ["'%.6e'.format([1052.032911275])", "1.052033×10⁰³", "1.052033e+03"],
  ["'%x %X %o %b %b'.format([30, 30u, 8, 5, true])", "1e 1E 10 101 1", "1e 1E 10 101 1"],
  ["'%x'.format(['hi'])", "6869", "6869"],
];

describe("CEL's format()", () => {
  test("prints a text for %d as an error, whatever the text is", () => {
    const env = environment({}, { libraries: [STRINGS_2] });
    expect(evaluate(env, "'%f'.format(['constructor'])").value).toMatchObject({
      message: "error during formatting: fixed-point clause can only be used on doubles, was given string",
    });
    expect(evaluate(env, "'%f'.format(['NaN'])").value).toBe("NaN");
  });

  test.each(ROWS)("prints %s as %j", (text, kubernetes, newest) => {
    expect(evaluate(environment({}, { libraries: [STRINGS_2] }), text).value).toBe(kubernetes);
    expect(evaluate(environment({}, { libraries: [STRINGS_4] }), text).value).toBe(newest);
  });
});
