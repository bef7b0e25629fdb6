import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { JsonPath, relaxedJsonPath } from "../../../../src/machinery/text/jsonpath/jsonpath.js";
import { formatTemplate } from "../../../../src/machinery/text/jsonpath/nodes.js";
import { parseTemplate } from "../../../../src/machinery/text/jsonpath/parser.js";

interface Case {
  readonly template: string;
  readonly output?: string;
  readonly parseError?: string;
  readonly error?: string;
}

// What kubectl 1.36.3 prints and says: patch --local -f object --type=merge -p '{}' -o jsonpath=TEMPLATE.
const kubectl = JSON.parse(
  readFileSync(new URL("../../../testdata/jsonpath/kubectl.json", import.meta.url), "utf8"),
) as {
  object: unknown;
  cases: Case[];
};

describe("JsonPath", () => {
  it.each(kubectl.cases.filter(({ output }) => output !== undefined))(
    "prints what kubectl prints: $template",
    (row) => {
      expect(new JsonPath(row.template, { allowMissingKeys: true }).print(kubectl.object)).toBe(row.output);
    },
  );

  it.each(kubectl.cases.filter(({ parseError }) => parseError !== undefined))(
    "refuses as kubectl to parse: $template",
    (row) => {
      expect(() => new JsonPath(row.template)).toThrow(row.parseError ?? "");
    },
  );

  it.each(kubectl.cases.filter(({ error }) => error !== undefined))(
    "fails as kubectl for an object that does not fit: $template",
    (row) => {
      const path = new JsonPath(row.template, { allowMissingKeys: true });
      expect(() => path.print(kubectl.object)).toThrow(row.error ?? "");
    },
  );

  it.each(kubectl.cases.filter(({ parseError }) => parseError === undefined))(
    "is the same after printing and parsing: $template",
    (row) => {
      const parsed = parseTemplate(row.template);
      expect(parseTemplate(formatTemplate(parsed))).toEqual(parsed);
    },
  );

  it("finds matching values within matching values, the outer ones first", () => {
    expect(new JsonPath("{..name}").find({ b: { name: 1, c: [{ name: 2 }] }, name: 3 })).toEqual([[3, 1, 2]]);
  });

  it("refuses a missing field unless told to allow it", () => {
    expect(() => new JsonPath("{.a}").print({})).toThrow("a is not found");
    expect(new JsonPath("{.a}", { allowMissingKeys: true }).print({})).toBe("");
  });

  it("keeps all digits of an int64, in filters too", () => {
    expect(new JsonPath("{.a}").print({ a: 9007199254740993n })).toBe("9007199254740993");
    const items = [{ a: 9007199254740993n }, { a: 9007199254740992n }, { a: 1 }];
    expect(new JsonPath("{[?(@.a==9007199254740993)].a}").print(items)).toBe("9007199254740993");
    expect(() => new JsonPath("{[?(@.a==9223372036854775808)].a}")).toThrow("cannot parse number 9223372036854775808");
  });
});

describe("relaxedJsonPath", () => {
  it.each(["a.b", ".a.b", "{a.b}", "{.a.b}"])("makes %s a whole template", (path) => {
    expect(relaxedJsonPath(path)).toBe("{.a.b}");
  });

  it("refuses other text", () => {
    expect(() => relaxedJsonPath("{.a")).toThrow(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    );
  });
});
