import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeJson } from "../../../../src/machinery/wire/json/json-decoder.js";
import { emitKyaml } from "../../../../src/machinery/text/yaml/kyaml.js";
import { parseYaml } from "../../../../src/machinery/text/yaml/read.js";

function testdata(name: string): string {
  return readFileSync(new URL(`../../../testdata/kyaml/${name}`, import.meta.url), "utf8");
}

/** Text without a line that begins with a space kubectl escapes twice, and without what YAML cannot hold. */
const text = fc.string({
  unit: fc.oneof(fc.constantFrom("\n", "\t", " ", '"', "\\", "\r", "é", "😀", "-"), fc.string()),
});
const readable = text.filter((value) => !/[\u007f-\u009f\ufffe\uffff]|(?:^|\n)[\v\f\r\u00a0\p{Zl}\p{Zp}]/u.test(value));

describe("printing KYAML", () => {
  // What kubectl 1.36.3 prints: patch --local -f object.json --type=merge -p '{}' -o kyaml.
  it("prints what kubectl prints", () => {
    expect(emitKyaml(decodeJson(testdata("object.json")).value)).toBe(testdata("kubectl.yaml"));
  });

  it("prints valid YAML that parses to the same value", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        readable,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("any"), { maxLength: 4 }),
        fc.dictionary(readable, tie("any"), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (given) => {
        expect(parseYaml(emitKyaml(given))).toEqual(given);
      }),
      { numRuns: 500 },
    );
  });

  it("keeps the order of members when asked, except for keys that only a map can have", () => {
    const object = { kind: "a", apiVersion: "b", data: { "10": 1, "9": 2, a: 3 } };
    expect(emitKyaml(object, { inGivenOrder: true })).toBe(
      '---\n{\n  kind: "a",\n  apiVersion: "b",\n  data: {\n    "10": 1,\n    "9": 2,\n    a: 3,\n  },\n}\n',
    );
    expect(emitKyaml(object)).toMatch(/^---\n\{\n {2}apiVersion/);
  });

  it.each([
    ["a\u007fb", "yaml: control characters are not allowed"],
    ["a\u0080b", "yaml: control characters are not allowed"],
    ["\uffff", "yaml: control characters are not allowed"],
  ])("refuses %j, as kubectl cannot read its JSON: %s", (value, message) => {
    expect(() => emitKyaml({ value })).toThrow(message);
    expect(() => emitKyaml({ [value]: 1 })).toThrow(message);
  });

  it.each([
    ["a\u0085b", '"a b"'],
    ["a \u0085 b", '"a b"'],
    ["\ufeffa", '"\\ufeffa"'],
    ["\u{f0000}", '"\\U000f0000"'],
    ["\u00ad", '"\\u00ad"'],
  ])("prints %j as kubectl does", (value, shown) => {
    expect(emitKyaml({ value })).toBe(`---\n{\n  value: ${shown},\n}\n`);
  });

  it("refuses a key that YAML parsers cannot find the end of", () => {
    expect(() => emitKyaml({ ["k".repeat(1_100)]: 1 })).toThrow("yaml: did not find expected ',' or '}'");
    expect(emitKyaml({ ["k".repeat(1_000)]: 1 })).toContain("kkk: 1,");
  });
});
