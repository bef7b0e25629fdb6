import { describe, expect, test } from "vitest";
import { LITERAL_VALIDATORS } from "../../../src/machinery/cel/checker/validators.js";
import { LISTS } from "../../../src/machinery/cel/extensions/lists.js";
import { OPTIONAL_TYPES } from "../../../src/machinery/cel/extensions/optionals.js";
import { STRINGS_2 } from "../../../src/machinery/cel/extensions/strings.js";
import { ConstantError } from "../../../src/machinery/cel/functions/declaration.js";
import { DYN, INT, listType, mapType, STRING } from "../../../src/machinery/cel/types/type.js";
import { ErrorValue } from "../../../src/machinery/cel/values/value.js";
import { environment, evaluate } from "./environment.js";

const env = environment(
  { x: INT, text: STRING, ints: listType(INT), map: mapType(STRING, INT), any: DYN },
  { libraries: [OPTIONAL_TYPES, STRINGS_2, LISTS] },
);

function issuesOf(text: string): string {
  return env.compile(text).issues?.toString() ?? "";
}

const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** What cel-go says of texts that are no expressions: each issue's place and message. */
const SYNTAX: readonly (readonly [expression: string, issues: readonly string[]])[] = [
  ["", [`1:1: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`]],
  ["1 +", [`1:4: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`]],
  [
    "1 + +",
    [
      `1:5: Syntax error: mismatched input '+' expecting ${OPERAND}`,
      `1:6: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`,
    ],
  ],
  [
    "1 + $",
    [
      "1:5: Syntax error: token recognition error at: '$'",
      `1:6: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`,
    ],
  ],
  ["1 + 2\n3 +", ["2:1: Syntax error: mismatched input '3' expecting <EOF>"]],
  [
    "*@a | b",
    [
      `1:1: Syntax error: extraneous input '*' expecting ${OPERAND}`,
      "1:2: Syntax error: token recognition error at: '@'",
      "1:5: Syntax error: token recognition error at: '| '",
      "1:7: Syntax error: extraneous input 'b' expecting <EOF>",
    ],
  ],
  [
    "in",
    [
      `1:1: Syntax error: mismatched input 'in' expecting ${OPERAND}`,
      `1:3: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`,
    ],
  ],
  [
    "?",
    [
      `1:1: Syntax error: mismatched input '?' expecting ${OPERAND}`,
      `1:2: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`,
    ],
  ],
  [
    "{",
    [
      "1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["{x}", ["1:3: Syntax error: mismatched input '}' expecting ':'"]],
  [
    "{:x}",
    [
      "1:2: Syntax error: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      "1:4: Syntax error: mismatched input '}' expecting ':'",
    ],
  ],
  ["text[x{y}]", ["1:9: Syntax error: mismatched input '}' expecting ':'"]],
  ["Widget(){}", ["1:9: Syntax error: mismatched input '{' expecting <EOF>"]],
  ["Widget{}()", ["1:9: Syntax error: mismatched input '(' expecting <EOF>"]],
  ['{"a": 1}."a"', ["1:10: Syntax error: no viable alternative at input '.\"a\"'"]],
  ["(x", ["1:3: Syntax error: missing ')' at '<EOF>'"]],
  ["size(text", ["1:10: Syntax error: missing ')' at '<EOF>'"]],
  ["self.`name` == ''", ["1:6: unsupported syntax: '`'"]],
  ["while", ["1:1: reserved identifier: while"]],
  [
    "ints.map(var, var * var)",
    [
      "1:10: reserved identifier: var",
      "1:10: argument is not an identifier",
      "1:15: reserved identifier: var",
      "1:21: reserved identifier: var",
    ],
  ],
  ["9223372036854775808", ["1:1: invalid int literal"]],
  ["18446744073709551616u", ["1:1: invalid uint literal"]],
  ["1.99e90000009", ["1:1: invalid double literal"]],
  ["has(x)", ["1:5: invalid argument to has() macro"]],
  ["ints.all(x.y, true)", ["1:11: argument must be a simple name"]],
  ["ints.map(1, true)", ["1:10: argument is not an identifier"]],
  ["ints.map(__result__, true)", ["1:10: iteration variable overwrites accumulator variable"]],
  [
    "text == '\\q'",
    [
      "1:9: Syntax error: token recognition error at: ''\\q'",
      "1:12: Syntax error: token recognition error at: '''",
      `1:13: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`,
    ],
  ],
  [
    '"\\xFh"',
    [
      "1:1: Syntax error: token recognition error at: '\"\\xFh'",
      "1:6: Syntax error: token recognition error at: '\"'",
      `1:7: Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`,
    ],
  ],
];

/** What cel-go's checker says. */
const TYPES: readonly (readonly [expression: string, message: string])[] = [
  ["nothing", "1:1: undeclared reference to 'nothing' (in container '')"],
  ["nothing(x)", "1:8: undeclared reference to 'nothing' (in container '')"],
  ["x.nothing()", "1:10: undeclared reference to 'nothing' (in container '')"],
  ["Nothing{}", "1:8: undeclared reference to 'Nothing' (in container '')"],
  ["self.nothing", "1:5: undefined field 'nothing'"],
  ["x.y", "1:2: type 'int' does not support field selection"],
  ["1 + 'a'", "1:3: found no matching overload for '_+_' applied to '(int, string)'"],
  ["x && true", "1:1: expected type 'bool' but found 'int'"],
  ["x ? 1 : 2", "1:3: found no matching overload for '_?_:_' applied to '(int, int, int)'"],
  ["x.startsWith('a')", "1:13: found no matching overload for 'startsWith' applied to 'int.(string)'"],
  ["size(x)", "1:5: found no matching overload for 'size' applied to '(int)'"],
  ["ints[text]", "1:5: found no matching overload for '_[_]' applied to '(list(int), string)'"],
  ["ints in map", "1:6: found no matching overload for '@in' applied to '(list(int), map(string, int))'"],
  [
    "x.all(y, true)",
    "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ["ints.all(y, y)", "1:13: expected type 'bool' but found 'int'"],
  ["Widget{replicas: 'a'}", "1:16: expected type of field 'replicas' is 'int' but provided type is 'string'"],
  ["[?x]", "1:3: expected type 'optional_type(int)' but found 'int'"],
  ["timestamp(x) == duration('1s')", "1:14: found no matching overload for '_==_' applied to '(timestamp, duration)'"],
  ["optional.of(x) == x", "1:16: found no matching overload for '_==_' applied to '(optional_type(int), int)'"],
];

/** What cel-go says when an evaluation fails. */
const RUNTIME: readonly (readonly [expression: string, message: string])[] = [
  ["1 / 0 == 1", "division by zero"],
  ["1 % 0 == 1", "modulus by zero"],
  ["9223372036854775807 + 1", "integer overflow"],
  ["-9223372036854775808 - 1", "integer overflow"],
  ["9223372036854775807 * 2", "integer overflow"],
  ["-(-9223372036854775808 + x - x)", "integer overflow"],
  ["1u - 2u", "unsigned integer overflow"],
  ["ints[5]", "index out of bounds: 5"],
  ["map['none']", "no such key: none"],
  ["map.none", "no such key: none"],
  ["self.name", "no such key: name"],
  ["any.y", "no such key: y"],
  ["any + 1", "no such overload"],
  ["any && true", "no such overload"],
  ["any.startsWith('a')", "no such overload: startsWith(map, string)"],
  ["text", "no such attribute(s): text"],
  ["int(dyn('a'))", "type conversion error from 'string' to 'int'"],
  ["int('99999999999999999999')", "type conversion error from 'string' to 'int'"],
  ["duration(string(x))", "type conversion error from 'string' to 'google.protobuf.Duration'"],
  ["timestamp(string(x))", "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  ["timestamp('9999-12-31T23:59:59Z') + duration('1s')", "timestamp overflow"],
  ["optional.none().value()", "optional.none() dereference"],
  ["'abc'.substring(2, 1)", "invalid substring range. start: 2, end: 1"],
  ["'abc'.charAt(9)", "index out of range: 9"],
  ["ints.slice(2, 1)", "cannot slice(2, 1), start index must be less than or equal to end index"],
  ["'%d'.format(['a'])", "error during formatting: decimal clause can only be used on integers, was given string"],
  ["'%s'.format([])", "index 0 out of range"],
  ["x == 1 && map['none'] == 1 || map['no'] == 1", "no such key: none"],
];

describe("compiling a CEL expression reports cel-go's errors", () => {
  test.each(SYNTAX)("for %j, which has a syntax error", (text, issues) => {
    const found = issuesOf(text)
      .split("\n")
      .filter((line) => line.startsWith("ERROR"));
    expect(found).toEqual(issues.map((issue) => `ERROR: <input>:${issue}`));
  });

  test.each(TYPES)("for %j, which has a type error", (text, message) => {
    expect(issuesOf(text).split("\n")[0]).toBe(`ERROR: <input>:${message}`);
  });

  test("below the line with a caret, a wide one below a wide character", () => {
    expect(issuesOf("x == 1 &&\n\t'é' == 'ü'.nope() && ''.é")).toBe(
      [
        "ERROR: <input>:2:26: Syntax error: token recognition error at: 'é'",
        " |  'é' == 'ü'.nope() && ''.é",
        " | ..．......．...............＾",
        "ERROR: <input>:2:27: Syntax error: no viable alternative at input '.'",
        " |  'é' == 'ü'.nope() && ''.é",
        " | ..．......．...............．^",
      ].join("\n"),
    );
  });

  test.each([
    ["duration('1 hour') < duration('1h')", "1:10: invalid duration argument"],
    ["timestamp('today') < timestamp('2024-01-01T00:00:00Z')", "1:11: invalid timestamp argument"],
    ["ints.all(i, text.matches('['))", "1:26: invalid matches argument"],
  ])("for %s, whose literal can never be valid", (text, message) => {
    expect(issuesOf(text)).toBe("");
    const validated = env.extend({ validators: LITERAL_VALIDATORS });
    expect(validated.compile(text).issues?.toString().split("\n")[0]).toBe(`ERROR: <input>:${message}`);
    expect(validated.compile("duration('1h') > duration('1m') && text.matches('a')").issues).toBeUndefined();
  });

  test("for elements of different types where literals must be homogeneous", () => {
    const strict = env.extend({ homogeneousLiterals: true });
    expect(env.compile("[1, 'a']").issues).toBeUndefined();
    expect(strict.compile("[1, 'a']").issues?.toString()).toBe(
      "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a']\n | ....^",
    );
  });
});

describe("evaluating a CEL expression", () => {
  const bindings = { x: 1, ints: [1, 2], map: { a: 1 }, any: { x: 1 }, self: {} };

  test.each(RUNTIME)("%s fails: %s", (text, message) => {
    expect(evaluate(env, text, bindings).value).toMatchObject({ message });
  });

  test.each([
    ["1 / 0 == 1 || true", true],
    ["true || 1 / 0 == 1", true],
    ["1 / 0 == 1 && false", false],
    ["ints.exists(i, i / (i - 1) == 2)", true],
    ["!ints.all(i, i / (i - 1) == 3)", true],
  ])("%s yields %s, because a deciding term hides errors", (text, value) => {
    expect(evaluate(env, text, bindings).value).toBe(value);
  });

  test("refuses an invalid pattern before it runs", () => {
    const { ast } = env.compile("text.matches('(')");
    expect(() => env.program(ast as NonNullable<typeof ast>)).toThrow(
      new ConstantError("error parsing regexp: missing closing ): `(`"),
    );
    expect(evaluate(env, "'a'.matches('' + '(')").value).toBeInstanceOf(ErrorValue);
  });
});
