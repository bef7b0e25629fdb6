import { describe, expect, test } from "vitest";
import { LISTS } from "../../../src/machinery/cel/extensions/lists.js";
import { STRINGS_2 } from "../../../src/machinery/cel/extensions/strings.js";
import { BINDINGS } from "../../../src/machinery/cel/extensions/bindings.js";
import { DYN, INT, listType, STRING } from "../../../src/machinery/cel/types/type.js";
import { environment, evaluate } from "./environment.js";

const env = environment(
  { list: listType(INT), text: STRING, any: DYN, other: DYN },
  { libraries: [BINDINGS, STRINGS_2, LISTS] },
);

const COST = "operation cancelled: actual cost limit exceeded";
const STEPS = "operation interrupted";

/** What Kubernetes allows one rule to cost. */
const costLimit = 1_000_000;

function nested(depth: number, innermost: string): string {
  return depth === 0 ? innermost : `list.all(v${depth}, ${nested(depth - 1, innermost)})`;
}

/** An object whose lists are nested, and hold 2^depth leaves by sharing. */
function shared(depth: number): unknown {
  return depth === 0 ? "leaf" : Array.from({ length: 2 }, () => shared(depth - 1));
}

describe("evaluating a CEL expression is bounded:", () => {
  test("nested macros over a large list end at the cost limit", () => {
    const list = Array.from({ length: 1000 }, (_, index) => index);
    const { value, cost, ended } = evaluate(env, nested(6, "v1 >= 0"), { list }, { costLimit });
    expect(value).toMatchObject({ message: COST });
    expect([cost, ended]).toEqual([costLimit + 1, "cost"]);
  });

  test("without a cost limit they end at the step limit", () => {
    const list = Array.from({ length: 1000 }, (_, index) => index);
    const { value, ended } = evaluate(env, nested(6, "true"), { list }, { stepLimit: 100_000 });
    expect(value).toMatchObject({ message: STEPS });
    expect(ended).toBe("steps");
  });

  test("no logical operator hides that the steps are used up", () => {
    const list = Array.from({ length: 1000 }, (_, index) => index);
    expect(evaluate(env, `${nested(3, "true")} || true`, { list }, { stepLimit: 1000 }).ended).toBe("steps");
  });

  test("lists that double thirty times take no memory, and searching them uses steps", () => {
    const double = (depth: number): string =>
      depth === 0 ? "0 in l0" : `cel.bind(l${depth - 1}, l${depth} + l${depth}, ${double(depth - 1)})`;
    const text = `cel.bind(l30, list, ${double(30)})`;
    expect(evaluate(env, text, { list: [1, 2, 3] }, { costLimit }).value).toMatchObject({ message: STEPS });
    expect(evaluate(env, text.replace("0 in l0", "l0.size() == 3 * 1073741824"), { list: [1, 2, 3] }).value).toBe(true);
  });

  test("strings that double use steps before they take memory", () => {
    const double = (depth: number): string =>
      depth === 0 ? "s0.size() > 0" : `cel.bind(s${depth - 1}, s${depth} + s${depth}, ${double(depth - 1)})`;
    const { value } = evaluate(env, `cel.bind(s60, text, ${double(60)})`, { text: "abc" });
    expect(value).toMatchObject({ message: STEPS });
  });

  test("replacing a text in itself is refused before the result is built", () => {
    const text = "a".repeat(100_000);
    expect(evaluate(env, "text.replace('a', text)", { text }).value).toMatchObject({ message: "string is too long" });
  });

  test("deeply nested values are compared within the steps", () => {
    const { value } = evaluate(
      env,
      "any == other",
      { any: shared(17), other: shared(17) },
      { costLimit, stepLimit: 100_000 },
    );
    expect(value).toMatchObject({ message: STEPS });
  });

  test("sorting and flattening use steps", () => {
    const list = Array.from({ length: 20_000 }, (_, index) => -index);
    expect(evaluate(env, "list.sort()", { list }, { stepLimit: 1000 }).ended).toBe("steps");
    expect(evaluate(env, "lists.range(100000000).size()").ended).toBe("steps");
  });
});

describe("matching a regular expression in CEL is bounded:", () => {
  test.each([
    ["(a+)+$", 100_000, false],
    ["(a*)*b", 100_000, false],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", 10_000, false],
    ["(x+x+)+y", 100_000, false],
  ])("%s of a text of %i characters that only nearly matches takes linear time", (pattern, length, found) => {
    const { value } = evaluate(env, `text.matches(r'${pattern}')`, { text: `${"a".repeat(length)}!` });
    expect(value).toBe(found);
  });

  test("a long repetition that may begin anywhere uses as many steps as text and program have", () => {
    const text = "abba".repeat(5000);
    expect(evaluate(env, "text.matches('(a|b)*a(a|b){300}[cd]')", { text }).value).toMatchObject({ message: STEPS });
  });

  test("a pattern that compiles to a large program is refused", () => {
    const { ast } = env.compile(`text.matches('(?:${"abcdefghij".repeat(10)}){1000}')`);
    expect(() => env.program(ast as NonNullable<typeof ast>)).toThrow("error parsing regexp: expression too large");
  });
});

describe("parsing a CEL expression is bounded:", () => {
  const issue = (text: string): string => env.compile(text).issues?.toString().split("\n")[0] ?? "";
  const NESTED = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
  const CHAINED = "ERROR: <input>:-1:0: max recursion depth exceeded";

  test.each([
    ["parentheses", NESTED, (depth: number) => `${"(".repeat(depth)}1${")".repeat(depth)}`],
    ["lists", NESTED, (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`],
    ["calls", NESTED, (depth: number) => `${"dyn(".repeat(depth)}1${")".repeat(depth)}`],
    ["conditionals", NESTED, (depth: number) => `${"true ? 1 : ".repeat(depth)}1`],
    ["macros", NESTED, (depth: number) => `${"[1].map(x, ".repeat(depth)}1${")".repeat(depth)}`],
    ["sums", CHAINED, (depth: number) => `${"1 + ".repeat(depth)}1`],
    ["products in sums", CHAINED, (depth: number) => `${"1 * (1 + ".repeat(depth / 2)}1${")".repeat(depth / 2)}`],
    ["comparisons", CHAINED, (depth: number) => `${"1 == ".repeat(depth)}1`],
    ["selections", CHAINED, (depth: number) => `any${".f".repeat(depth)}`],
    ["indexing", CHAINED, (depth: number) => `any${"[0]".repeat(depth)}`],
  ])("%s may be nested 240 times, and not 300 times", (_name, message, make) => {
    expect([NESTED, CHAINED]).not.toContain(issue(make(240)));
    expect(issue(make(300))).toBe(message);
    expect([NESTED, message]).toContain(issue(make(8000)));
  });

  test("a chain of signs does not count as nesting", () => {
    expect(evaluate(env, `${"!".repeat(50_000)}true`).value).toBe(true);
    expect(evaluate(env, `${"-".repeat(50_001)}(1)`).value).toBe(-1);
  });

  test("a chain of thousands of terms does not count as nesting", () => {
    expect(evaluate(env, Array.from({ length: 5000 }, () => "true").join(" && ")).value).toBe(true);
  });

  test("an expression may have at most 100,000 code points", () => {
    expect(issue(" ".repeat(100_001))).toBe(
      "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000",
    );
  });

  test("at most a hundred errors are listed", () => {
    const text = env.compile("$".repeat(200)).issues?.toString() ?? "";
    expect(text.split("\n").filter((line) => line.startsWith("ERROR")).length).toBe(100);
    expect(text).toMatch(/\n101 more errors were truncated$/);
  });
});
