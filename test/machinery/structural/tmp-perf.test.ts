import { test } from "vitest";
import { compileRules } from "../../../src/machinery/structural/rules/validate-rules.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";

function time(name: string, rule: string, props: any, value: any) {
  const schema = structuralSchemaOf({ type: "object", properties: { spec: { type: "object", properties: props, "x-kubernetes-validations": [{ rule }] } } } as any);
  const rules = compileRules(schema, true)!;
  const t0 = performance.now();
  const r = rules({ spec: value });
  const t1 = performance.now();
  rules({ spec: value });
  const t2 = performance.now();
  console.log(name, (t1 - t0).toFixed(1), (t2 - t1).toFixed(1), r.budgetLeft, r.errors.map((e) => e.detail.slice(0, 150)));
}
const strs = { type: "array", items: { type: "string" } };
const ints = { type: "array", items: { type: "integer" } };
test("perf", () => {
  const many = Array.from({ length: 2000 }, (_, i) => i);
  time("nested2", "self.a.all(x, self.a.all(y, x + y >= 0))", { a: ints }, { a: many });
  time("nested2b", "self.a.all(x, self.a.all(y, true))", { a: ints }, { a: many });
  time("nested objs", "self.a.all(x, self.a.all(y, x.n + y.n >= 0))", { a: { type: "array", items: { type: "object", properties: { n: { type: "integer" } } } } }, { a: many.map((n) => ({ n })) });
  time("strings", "self.a.all(x, self.a.all(y, x == y || x != y))", { a: strs }, { a: many.map((n) => "abcdefgh" + n) });
  time("map", "self.a.map(x, self.a.map(y, [x, y])).size() > 0", { a: ints }, { a: many });
  time("regex", "self.a.all(x, x.matches('^(a+)+$'))", { a: strs }, { a: many.map((n) => "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" + n) });
  time("regex long", "self.s.matches('(a*)*(b*)*(c*)*$')", { s: { type: "string" } }, { s: "a".repeat(1000000) });
  time("sets", "self.a.all(x, self.b + self.a == self.b)", { a: ints, b: { ...ints, "x-kubernetes-list-type": "set" } }, { a: many, b: many });
  time("equality", "self.a.all(x, self.a == self.b)", { a: ints, b: ints }, { a: many, b: many });
});
