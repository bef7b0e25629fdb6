import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { emitYaml } from "../../../../src/machinery/text/yaml/emit.js";
import { parseYaml } from "../../../../src/machinery/text/yaml/read.js";

// adverse.kubectl.yaml is what kubectl 1.36.3 prints of adverse.json: patch --local --type=merge -p '{}' -o yaml.
const testdata = new URL("../../../testdata/yaml/", import.meta.url);
const adverse = JSON.parse(readFileSync(new URL("adverse.json", testdata), "utf8")) as { strings: string[] };
const printed = readFileSync(new URL("adverse.kubectl.yaml", testdata), "utf8");

describe("printing YAML", () => {
  it("prints some 320 difficult strings, as values, items and keys, byte for byte as kubectl does", () => {
    expect(emitYaml(adverse).split("\n")).toEqual(printed.split("\n"));
  });

  it("prints text that parses to the same text", () => {
    // Line separators are breaks to YAML 1.1 and text to YAML 1.2.
    for (const text of adverse.strings.filter((one) => !/[\u2028\u2029]/.test(one)))
      expect(parseYaml(emitYaml([text]))).toEqual([text]);
  });

  it.each([
    { name: "an int64 beyond 2^53 keeps its digits", value: 9007199254740993n, yaml: "9007199254740993\n" },
    { name: "a whole float below 1e21 that no uint64 holds is a float", value: 1e20, yaml: "1e+20\n" },
    { name: "a whole float that a uint64 holds is an integer", value: 1e19, yaml: "10000000000000000000\n" },
    { name: "a float below int64 is no integer", value: -(2 ** 63), yaml: "-9.223372036854776e+18\n" },
    { name: "a float within uint64 is one", value: 2 ** 63, yaml: "9223372036854776000\n" },
    { name: "a small float has two digits of exponent", value: 1e-7, yaml: "1e-07\n" },
    { name: "a float from a million on has an exponent", value: 1234567.5, yaml: "1.2345675e+06\n" },
    { name: "undefined members are left out", value: { a: undefined, b: 1 }, yaml: "b: 1\n" },
    { name: "digits in keys count as numbers", value: { a10: 1, a9: 2 }, yaml: "a9: 2\na10: 1\n" },
    { name: "U+0085 passes through JSON and becomes a space", value: { a: "x\u0085y" }, yaml: "a: x y\n" },
  ])("$name", ({ value, yaml }) => {
    expect(emitYaml(value)).toBe(yaml);
  });

  it("refuses the control characters that kubectl refuses", () => {
    expect(() => emitYaml({ a: "\u007f" })).toThrow("yaml: control characters are not allowed");
  });
});

it("emitYaml() escapes characters that YAML forbids when the caller asks for it", () => {
  const value = { "a\u007f": "b\u0080\uffff" };
  expect(() => emitYaml(value)).toThrow("yaml: control characters are not allowed");
  const text = emitYaml(value, { anyCharacter: true });
  expect(text).toBe('"a\\x7F": "b\\x80\\uFFFF"\n');
  expect(parseYaml(text)).toEqual(value);
});
