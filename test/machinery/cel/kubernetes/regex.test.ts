import { describe, expect, test } from "vitest";
import { kubernetesEnvironment } from "../../../../src/machinery/cel/kubernetes/environment.js";
import { ConstantError } from "../../../../src/machinery/cel/functions/declaration.js";
import { STRING } from "../../../../src/machinery/cel/types/type.js";
import { failure, testIssues, testValues } from "./evaluate.js";

describe("Kubernetes' CEL functions of patterns", () => {
  testValues([
    ["'abc 123'.find('[0-9]+')", "123"],
    ["'abc 123'.find('[0-9]*')", ""],
    ["'abc 123'.find('xyz')", ""],
    ["'abc'.find('')", ""],
    ["'a1b22'.find('[a-z]([0-9]+)$')", "b22"],
    ["'ÄÖ'.find('(?i)ö')", "Ö"],
    ["'123 abc 456'.findAll('[0-9]+')", ["123", "456"]],
    ["'123 abc 456'.findAll('[0-9]+', 1)", ["123"]],
    ["'123 abc 456'.findAll('[0-9]+', -1)", ["123", "456"]],
    ["'123 abc 456'.findAll('[0-9]+', 0)", []],
    ["'123 abc 456'.findAll('[0-9]+', 9223372036854775807)", ["123", "456"]],
    ["'123 abc 456'.findAll('xyz')", []],
    ["''.findAll('x*')", [""]],
    // An empty match right behind another match is none.
    ["'123 abc 456'.findAll('[0-9]*')", ["123", "", "", "", "", "456"]],
    ["'baaab'.findAll('a*')", ["", "aaa", ""]],
    ["'\\U0001F600b'.findAll('')", ["", "", ""]],
    ["'aXbX'.findAll('^.|X$')", ["a", "X"]],
    ["['a1', 'b2'].map(text, text.find('[0-9]'))", ["1", "2"]],
  ]);

  testIssues([
    ["'a'.find(1)", "found no matching overload for 'find' applied to 'string.(int)'"],
    ["'a'.findAll('a', 'b')", "found no matching overload for 'findAll' applied to 'string.(string, string)'"],
    ["find('a', 'b')", "found no matching overload for 'find' applied to '(string, string)'"],
  ]);

  const more = { variables: [{ name: "pattern", type: STRING }] };

  test.each([
    ["'a'.find(pattern)", "Illegal regex: error parsing regexp: missing closing ): `(`"],
    ["'a'.findAll(pattern)", "Illegal regex: error parsing regexp: missing closing ): `(`"],
  ])("%s fails at run time for an invalid pattern", (text, message) => {
    expect(failure(text, { pattern: "(" }, more)).toBe(message);
  });

  test("an invalid pattern literal is refused at compile time", () => {
    const { ast } = kubernetesEnvironment().compile("'a'.find('(')");
    expect(() => kubernetesEnvironment().program(ast!)).toThrow(
      new ConstantError("error parsing regexp: missing closing ): `(`"),
    );
  });
});
