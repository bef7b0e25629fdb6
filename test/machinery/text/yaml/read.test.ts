import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { encodeJson } from "../../../../src/machinery/wire/json/json-encoder.js";
import { parseYaml } from "../../../../src/machinery/text/yaml/read.js";
import { YamlError } from "../../../../src/machinery/text/yaml/yaml-error.js";
import { GOYAML3_LOOKAHEAD, readYaml11 } from "../../../../src/machinery/text/yaml/yaml11/parser.js";

interface Row {
  readonly yaml: string;
  readonly json?: string;
  readonly error?: string;
}

// What sigs.k8s.io/yaml 1.6.0, with which kubectl 1.36.3 reads, makes of each text.
const rows = JSON.parse(
  readFileSync(new URL("../../../testdata/yaml/documents.json", import.meta.url), "utf8"),
) as Row[];

/** Texts js-yaml takes another way than libyaml, so that ours is not asked. */
const meantDifferences = new Map([
  ["a:\n- \ta\nz: 1\n", "a tab after an indicator is white space in YAML 1.2"],
  ["a:\n - b\n -\tc\n", "a tab after an indicator is white space in YAML 1.2"],
  ["a: b\n\t\nc: d\n", "a tab alone on a line is an empty line in YAML 1.2"],
  ["{}: v\n", "libyaml stops reading at an empty collection used as a key; we refuse it"],
  ["[]: v\n", "libyaml stops reading at an empty collection used as a key; we refuse it"],
  ["|2\n    a: v\n", "js-yaml counts a given indentation from column -1 at the top of a document"],
  ["9223372036854775808: v\n", "a key beyond int64 becomes text instead of an error"],
]);

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return "nothing was thrown";
}

function read(yaml: string): string {
  try {
    return encodeJson(parseYaml(yaml), { sortKeys: true });
  } catch (error) {
    return (error as Error).message;
  }
}

/** The library's error, as kubectl shows it; its JSON, with numbers as we write them. */
const expected = ({ json, error }: Row): string =>
  error === undefined
    ? encodeJson(JSON.parse(json ?? "").valueOf(), { sortKeys: true })
    : `error converting YAML to JSON: ${error}`;

const bigNumber = /[0-9]{17,}/;

describe("parseYaml() compared with kubectl", () => {
  it.each(rows.filter(({ yaml, json }) => !meantDifferences.has(yaml) && !bigNumber.test(json ?? "")))(
    "reads $yaml",
    (row) => expect(read(row.yaml)).toBe(row.json === "null" ? "null" : expected(row)),
  );

  it("lists no known difference that does not exist", () => {
    const same = rows.filter((row) => meantDifferences.has(row.yaml) && read(row.yaml) === expected(row));
    expect(same).toEqual([]);
  });

  it("keeps the digits of integers that a double cannot hold, and makes doubles of those no int64 holds", () => {
    expect(
      parseYaml("[9223372036854775807, -9223372036854775808, 0x7fffffffffffffff, 1e18, 18446744073709551615]"),
    ).toEqual([9223372036854775807n, -9223372036854775808n, 9223372036854775807n, 1000000000000000000n, 2 ** 64]);
  });

  it("sets __proto__ as a key like any other", () => {
    const value = parseYaml("__proto__: {polluted: true}\n") as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect("polluted" in value).toBe(false);
  });

  it("refuses documents made mostly of aliases before they are built", () => {
    const levels = Array.from({ length: 9 }, (_, level) => `l${level}: &l${level} [${`*l${level - 1},`.repeat(9)}]`);
    levels[0] = "l0: &l0 [x,x,x,x,x,x,x,x,x]";
    expect(read(levels.join("\n"))).toBe("error converting YAML to JSON: yaml: document contains excessive aliasing");
  });

  it("refuses nesting that would cost the stack", () => {
    expect(read(`a: ${"[".repeat(5000)}`)).toMatch(/exceeded max depth of 10000$/);
    expect(read("- ".repeat(5000))).toMatch(/exceeded max depth of 10000$/);
  });
});

function errorOf(run: () => unknown): YamlError {
  try {
    run();
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
  throw new Error("no error");
}

describe("reading YAML 1.1 as kubectl does", () => {
  const asked = rows.filter(({ yaml, error }) => !/^(\{\}|\[\]):/.test(yaml) && (error ?? "").startsWith("yaml: "));

  /** Errors of decoding come after parsing. */
  const syntax = asked.filter(
    ({ error }) => !/cannot decode|base64|map key|map merge|contains itself/.test(error ?? ""),
  );

  it.each(syntax)("refuses $yaml", ({ yaml, error }) => {
    expect(messageOf(() => readYaml11(yaml))).toBe(`error converting YAML to JSON: ${error}`);
  });

  it.each([
    { name: "a list that is not closed", yaml: "k: v\na: [b,\n  c\nd: e\n", v2: 3, v3: 1 },
    { name: "quotes that are not closed", yaml: 'k: v\na: "b\nc: d\n', v2: 4, v3: 2 },
    { name: "a key that is indented too deep", yaml: "k: v\na: b\n c: d\n", v2: 3, v3: 3 },
    { name: "an error on the first line", yaml: "a: b: c\n", v2: undefined, v3: 0 },
  ])("names the lines of goyaml v2 and v3 for $name", ({ yaml, v2, v3 }) => {
    const error = errorOf(() => readYaml11(yaml));
    expect(/line (\d+)/.exec(error.message)?.[1]).toBe(v2 === undefined ? undefined : String(v2));
    expect(error.lineOfGoyaml3).toBe(v3);
  });

  it("finds a scanner's error before a parser's when it reads ahead", () => {
    const yaml = "data:\n  a: |\n    b\n c\n  d: e\n";
    expect(errorOf(() => readYaml11(yaml)).message).toMatch(/did not find expected key$/);
    expect(errorOf(() => readYaml11(yaml, GOYAML3_LOOKAHEAD)).message).toMatch(
      /mapping values are not allowed in this context$/,
    );
  });

  it.each([": a\n", "a: b\n: c\n", "{a: :b}\n", "a: &b# c\n", "a: &b c\nd: *b#\n"])(
    "refuses %j, which YAML 1.2 allows",
    (yaml) => {
      expect(() => parseYaml(yaml)).toThrow(YamlError);
    },
  );

  it("accepts a plain scalar outside of brackets that begins like an indicator", () => {
    expect(parseYaml("a: :8080\nb: ?x\nc: [d]\n")).toEqual({ a: ":8080", b: "?x", c: ["d"] });
  });

  it.each([
    ["between entries", "a: x\u0085b: z\n", { a: "x", b: "z" }],
    ["in a plain scalar", "a: x\u0085  y\n", { a: "x y" }],
    ["in a quoted scalar", 'a: "x\u0085y"\n', { a: "x y" }],
    ["in a literal block", "a: |\n  x\u0085  y\n", { a: "x\ny\n" }],
    ["at the end of a comment", "# c\u0085a: b\n", { a: "b" }],
    ["as U+2028 in a quoted scalar", 'a: "x\u2028y"\n', { a: "x\u2028y" }],
  ])("treats U+0085 as a line break: %s", (_, yaml, value) => {
    expect(parseYaml(yaml)).toEqual(value);
  });

  it("reads what kubectl reads and YAML 1.2 refuses", () => {
    expect(parseYaml('args: [\n"x",\n]\ntext: "a\nb"\n')).toEqual({ args: ["x"], text: "a b" });
  });
});
