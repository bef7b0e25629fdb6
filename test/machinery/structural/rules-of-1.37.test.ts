import { describe, expect, test } from "vitest";
import { atOnce } from "../../../src/base/async/steps.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { RuleCompiler } from "../../../src/machinery/structural/rules/compile-rule.js";
import { declaredTypeOf } from "../../../src/machinery/structural/rules/declared-type.js";
import { ruleDialect } from "../../../src/machinery/structural/rules/dialect.js";
import { compileRules } from "../../../src/machinery/structural/rules/validate-rules.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { array, integer, map, mapList, object, set, text } from "./schemas.js";

/** What a rule says of a value whose fields have these schemas: true, false, or its error. */
function say(version: string, rule: string, fields: JsonObject, value: JsonObject): string {
  const schema = object({ spec: { ...object(fields), "x-kubernetes-validations": [{ rule }] } });
  const judge = compileRules(structuralSchemaOf(schema), true, ruleDialect(version));
  const [error] = judge?.({ spec: value } as JsonValue).errors ?? [];
  if (error === undefined) return "true";
  const formatted = formatFieldError(error);
  return formatted.includes("failed rule: ") ? "false" : formatted;
}

const keyed = mapList(["k"], object({ k: text, v: text }));
const [A1, A2, B] = [{ k: "a", v: "1" }, { k: "a", v: "2" }, { k: "b" }];
const THREE = { a: "1", b: "2", c: 3 };
const byThree = mapList(["a", "b", "c"], object({ a: text, b: text, c: integer, v: text }));
const NO_SCALARS = "listSet operations are only supported on lists of scalar values";

describe("K37-243: CEL validation rules that compare lists of type set and map", () => {
  const rows: readonly (readonly [
    rule: string,
    before: string,
    since: string,
    fields: JsonObject,
    value: JsonObject,
  ])[] = [
    ["self.x == [1, 2, 2]", "true", "false", { x: set(integer) }, { x: [1, 2, 3] }],
    ["[1, 1, 2] == self.x", "false", "false", { x: set(integer) }, { x: [1, 2, 3] }],
    ["self.x + [3] + [3] == [3, 2, 1]", "true", "true", { x: set(integer) }, { x: [1, 2] }],
    ["(self.x + [3] + [3]).size() == 3", "true", "true", { x: set(integer) }, { x: [1, 2] }],
    ["(self.l[0] + self.l[1]).size() == 2", "true", "true", { l: array(keyed) }, { l: [[A1], [A2, B]] }],
    [
      "(self.l[0] + self.l[1]) == [self.l[1][0], self.l[1][1]]",
      "true",
      "true",
      { l: array(keyed) },
      { l: [[A1], [A2, B]] },
    ],
    ["(self.l[0] + self.l[1]) == self.l[1]", "true", "true", { l: array(keyed) }, { l: [[A1], [B, A2]] }],
    [
      "self.l[0] == self.l[1]",
      "true",
      "true",
      { l: array(keyed) },
      {
        l: [
          [A1, B],
          [B, A1],
        ],
      },
    ],
    [
      "self.l[0] == self.l[1]",
      "false",
      "false",
      { l: array(keyed) },
      {
        l: [
          [A1, B],
          [B, A2],
        ],
      },
    ],
    [
      "self.l[0] == self.l[1]",
      "true",
      "false",
      { l: array(keyed) },
      {
        l: [
          [A1, B],
          [A1, A1],
        ],
      },
    ],
    ["self.l[0] == self.l[1]", "true", "true", { l: array(byThree) }, { l: [[THREE], [THREE]] }],
    ["self.l[0] == self.l[1]", "false", "false", { l: array(byThree) }, { l: [[THREE], [{ ...THREE, c: 4 }]] }],
  ];
  test.each(rows)("%s is %s in 1.36 and %s in 1.37", (rule, before, since, fields, value) => {
    expect([say("1.36", rule, fields, value), say("1.37", rule, fields, value)]).toEqual([before, since]);
  });

  const noScalars: readonly (readonly [rule: string, fields: JsonObject, value: JsonObject])[] = [
    ["self.x == self.y", { x: set(array(integer)), y: set(array(integer)) }, { x: [[1]], y: [[1]] }],
    ["self.x + self.y == self.y", { x: set(map(text)), y: set(map(text)) }, { x: [{ a: "b" }], y: [{ a: "b" }] }],
  ];
  test.each(noScalars)("%s of non-scalar items is an error in 1.37", (rule, fields, value) => {
    expect(say("1.36", rule, fields, value)).toBe("true");
    expect(say("1.37", rule, fields, value)).toContain(NO_SCALARS);
  });
});

describe("K37-240: the CEL function includes() in validation rules of 1.37", () => {
  const fields = { x: array(integer), y: text };
  const value = { x: [1, 2], y: "b" };

  test.each(["self.x.includes(2)", "!self.x.includes(3)", "self.y.includes('b')", "!self.y.includes('a')"])(
    "%s",
    (rule) => {
      expect(say("1.37", rule, fields, value)).toBe("true");
      expect(say("1.36", rule, fields, value)).toContain("undeclared reference to 'includes'");
    },
  );
});

describe("K37-245: the estimated cost of a CEL validation rule over names", () => {
  const named = (property: string, more: JsonObject = {}): number => {
    const rule = `self.metadata.${property}.contains(self.metadata.${property})`;
    const schema = structuralSchemaOf(object({ metadata: object({ [property]: { ...text, ...more } }) }));
    const [before, since] = ["1.36", "1.37"].map((version) => {
      const self = declaredTypeOf(schema, ruleDialect(version), true);
      if (self === undefined) throw new Error("rules see nothing of it");
      const { expression } = atOnce(new RuleCompiler(schema, self).compileSteps({ rule }, version));
      if (expression?.program === undefined) throw new Error(expression?.error);
      return expression.maxCost();
    });
    return (before ?? 0) / (since ?? 1);
  };

  test.each(["name", "generateName"])("is lower in 1.37 for the format %s", (property) => {
    expect(named(property)).toBeGreaterThan(1000);
  });
});
