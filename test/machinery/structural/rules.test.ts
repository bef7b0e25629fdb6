import { describe, expect, test } from "vitest";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { CorrelatedValue } from "../../../src/machinery/structural/ratchet.js";
import { compileRules, type RuleOptions } from "../../../src/machinery/structural/rules/validate-rules.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { array, embedded, integer, map, mapList, object, set, text, unknownFields } from "./schemas.js";

// What x-kubernetes-validations say of values: exact errors.

const number: JsonObject = { type: "number" };
const boolean: JsonObject = { type: "boolean" };
const intOrString: JsonObject = { "x-kubernetes-int-or-string": true };
const format = (name: string): JsonObject => ({ type: "string", format: name });
const nullable = (schema: JsonObject): JsonObject => ({ ...schema, nullable: true });
const ruled = (schema: JsonObject, ...rules: (string | JsonObject)[]): JsonObject => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});

interface Judged {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly budgetLeft: number;
}

function judge(schema: JsonObject, value: JsonValue, old?: JsonValue, options: RuleOptions = {}): Judged {
  const structural = structuralSchemaOf(schema);
  const rules = compileRules(structural, true);
  if (rules === undefined) throw new Error("the schema has no rules");
  const warnings: string[] = [];
  const correlated = old === undefined ? undefined : new CorrelatedValue(value, old, structural);
  const { errors, budgetLeft } = rules(value, { correlated, warn: (warning) => warnings.push(warning), ...options });
  return { errors: errors.map(formatFieldError), warnings, budgetLeft };
}

/** A resource whose spec has fields of these schemas and values, and this rule. */
const inSpec = (rule: string | JsonObject, fields: JsonObject, value: JsonObject, old?: JsonObject): Judged =>
  judge(object({ spec: ruled(object(fields), rule) }), { spec: value }, old === undefined ? undefined : { spec: old });

describe("a CEL validation rule sees values as their schema declares them:", () => {
  const TIME = "2011-08-18T19:03:37.01+01:00";
  const keyed = mapList(["k"], object({ k: text, v: text }));
  const [A1, A2, B] = [{ k: "a", v: "1" }, { k: "a", v: "2" }, { k: "b" }];
  const rows: readonly (readonly [rule: string, fields: JsonObject, value: JsonObject])[] = [
    ["type(self.x) == int && self.x == 5", { x: integer }, { x: 5 }],
    ["self.x == 9007199254740993", { x: integer }, { x: 9007199254740993n }],
    ["self.x == 9223372036854775807", { x: integer }, { x: 9223372036854775807n }],
    ["self.x == 0 && !(self.x < 0)", { x: integer }, { x: -0 }],
    ["type(self.x) == double && self.x == 1.0 && self.x > 0", { x: number }, { x: 1 }],
    ["self.x == 1.5 && self.x < 2", { x: number }, { x: 1.5 }],
    ["type(self.x) == bool && self.x", { x: boolean }, { x: true }],
    ["type(self.x) == string && self.x.size() == 1", { x: text }, { x: "👑" }],
    ["type(self.x) == bytes && self.x == b'AB' && size(self.x) == 2", { x: format("byte") }, { x: "QUI=" }],
    ["self.x == duration('1h2m3s') && self.x.getMinutes() == 62", { x: format("duration") }, { x: "1h2m3s" }],
    ["self.x == duration('48h')", { x: format("duration") }, { x: "2 days" }],
    ["self.x == duration('168h')", { x: format("duration") }, { x: "1 week" }],
    ["self.x == timestamp('1997-07-16T00:00:00Z')", { x: format("date") }, { x: "1997-07-16" }],
    ["self.x.getHours() == 18 && self.x.getHours('+01:00') == 19", { x: format("date-time") }, { x: TIME }],
    [`string(self.x) == '${TIME}'`, { x: format("date-time") }, { x: TIME }],
    ["type(self.x) == string", { x: format("ipv4") }, { x: "10.0.0.1" }],
    ["type(self.x) == int && self.x == 5", { x: intOrString }, { x: 5 }],
    ["type(self.x) == string && self.x == '5%'", { x: intOrString }, { x: "5%" }],
    ["self.x == 5 || self.x == 'five'", { x: intOrString }, { x: "five" }],
    ["type(self.x) == list && self.x == [1, 2]", { x: array(integer) }, { x: [1, 2] }],
    ["self.x[1] == 2 && 2 in self.x && !(3 in self.x)", { x: array(integer) }, { x: [1, 2] }],
    ["self.x + [3] == [1, 2, 3]", { x: array(integer) }, { x: [1, 2] }],
    ["type(self.x) == map && self.x == {'a': 1}", { x: map(integer) }, { x: { a: 1 } }],
    ["self.x.a == 1 && self.x['a'] == 1 && 'a' in self.x", { x: map(integer) }, { x: { a: 1 } }],
    ["self.x.all(k, self.x[k] > 0) && self.x.size() == 2", { x: map(integer) }, { x: { a: 1, b: 2 } }],
    ["self.x['a.b/c'] == 'd'", { x: map(text) }, { x: { "a.b/c": "d" } }],
    ["type(self.x) == map && self.x.a == 1", { x: object({ a: integer }) }, { x: { a: 1 } }],
    ["self.x[0] == self.x[1]", { x: array(object({ a: integer })) }, { x: [{ a: 1 }, { a: 1 }] }],
    ["self.x[0] != self.x[1]", { x: array(object({ a: integer })) }, { x: [{ a: 1 }, { a: 2 }] }],
    ["self.x[0] != self.x[1]", { x: array(object({ a: integer })) }, { x: [{ a: 1 }, {}] }],
    [
      "self.l[0] == self.l[1]",
      { l: array(object({ a: integer, b: text })) },
      {
        l: [
          { a: 1, b: "x" },
          { b: "x", a: 1 },
        ],
      },
    ],
    ["has(self.x) && !has(self.y)", { x: text, y: text }, { x: "" }],
    ["!has(self.x)", { x: nullable(text) }, { x: null }],
    ["self.?x.orValue('none') == 'none'", { x: text }, {}],
    ["self.?x.?a.orValue(1) == 1", { x: object({ a: integer }) }, {}],
    ["dyn(self.x[0]) == null", { x: array(nullable(text)) }, { x: [null] }],
    ["self.x.exists(i, dyn(i) == null)", { x: array(nullable(integer)) }, { x: [1, null] }],
    ["dyn(self.x['a']) == null", { x: map(nullable(integer)) }, { x: { a: null } }],
    // Sets and maps of items have no order.
    ["self.x == ['b', 'a']", { x: set(text) }, { x: ["a", "b"] }],
    ["self.x != ['b', 'c']", { x: set(text) }, { x: ["a", "b"] }],
    // As in kube-apiserver, which only asks whether each is one of the set's.
    ["self.x == ['b', 'b']", { x: set(text) }, { x: ["a", "b"] }],
    ["self.x + ['b', 'c', 'c'] == ['c', 'b', 'a']", { x: set(text) }, { x: ["a", "b"] }],
    ["(self.x + [2, 3]).size() == 3", { x: set(integer) }, { x: [1, 2] }],
    ["self.x == self.y", { x: set(integer), y: set(integer) }, { x: [1, 2], y: [2, 1] }],
    ["self.x != [2, 1]", { x: array(integer) }, { x: [1, 2] }],
    [
      "self.x[0] == self.x[1] && self.x[0] != self.x[2]",
      { x: array(keyed) },
      {
        x: [
          [A1, B],
          [B, A1],
          [B, A2],
        ],
      },
    ],
    [
      "(self.x[0] + self.x[1])[0].v == '2' && size(self.x[0] + self.x[1]) == 2",
      { x: array(keyed) },
      { x: [[A1], [A2, B]] },
    ],
    ["size(self.x[0] + [self.x[1][1]]) == 2", { x: array(keyed) }, { x: [[A1], [A2, B]] }],
    ["self.x == [self.x[1], self.x[0]]", { x: mapList(["k"], object({ k: text })) }, { x: [{ k: "a" }, { k: "b" }] }],
    // Names as expressions write them.
    ["self.a__dash__b == 1", { "a-b": integer }, { "a-b": 1 }],
    ["self.a__dot__b__slash__c == 1", { "a.b/c": integer }, { "a.b/c": 1 }],
    ["self.a__underscores__b == 1", { a__b: integer }, { a__b: 1 }],
    ["self.__namespace__ == 'x' && self.namespace == 'x'", { namespace: text }, { namespace: "x" }],
    ["self.__in__ == 1 && self.__true__ == 2", { in: integer, true: integer }, { in: 1, true: 2 }],
    ["has(self.__if__) && !has(self.__else__)", { if: text, else: text }, { if: "" }],
    // What the schema does not know is compared, and not read.
    ["self.x[0] == self.x[1]", { x: array(object({}, unknownFields)) }, { x: [{ a: [1] }, { a: [1] }] }],
    ["self.x[0] != self.x[1]", { x: array(object({}, unknownFields)) }, { x: [{ a: 1 }, { a: 2 }] }],
    ["self.x[0] == self.x[1]", { x: array(object({ a: unknownFields })) }, { x: [{ a: { b: 1 } }, { a: { b: 1 } }] }],
    ["size(self.x.a) == 2", { x: object({ a: text }, unknownFields) }, { x: { a: "xy", other: 1 } }],
    // Embedded resources are resources.
    ["self.x.kind == 'Pod' && self.x.apiVersion == 'v1'", { x: embedded() }, { x: { apiVersion: "v1", kind: "Pod" } }],
    ["self.x.metadata.name == 'a'", { x: embedded() }, { x: { metadata: { name: "a", labels: {} } } }],
    ["!has(self.x.metadata.generateName)", { x: embedded() }, { x: { metadata: {} } }],
    // Kubernetes' functions.
    ["quantity(self.x).isLessThan(quantity('1Gi'))", { x: text }, { x: "200Mi" }],
    ["isIP(self.x) && ip(self.x).family() == 4", { x: text }, { x: "10.0.0.1" }],
    ["cidr(self.x).containsIP('10.1.2.3')", { x: text }, { x: "10.0.0.0/8" }],
    ["url(self.x).getHostname() == 'example.com'", { x: text }, { x: "https://example.com:80/" }],
    ["self.x.find('[0-9]+') == '12'", { x: text }, { x: "a12b" }],
    ["self.x.isSorted() && self.x.sum() == 6", { x: array(integer) }, { x: [1, 2, 3] }],
    ["semver(self.x).major() == 1", { x: text }, { x: "1.2.3" }],
    ["!format.dns1123Label().validate(self.x).hasValue()", { x: text }, { x: "my-label" }],
    ["dyn(self.x).flatten() == [1, 2]", { x: array(integer) }, { x: [1, 2] }],
    ["dyn(self.x).sum() == 3.5", { x: array(number) }, { x: [1, 2.5] }],
    ["'%e'.format([self.x]) == '3.140000×10⁰⁰'", { x: number }, { x: 3.14 }],
    ["sets.contains(self.x, ['a'])", { x: array(text) }, { x: ["a", "b"] }],
    ["self.x.exists(i, v, i == 1 && v == 'b')", { x: array(text) }, { x: ["a", "b"] }],
    ["self.x.transformMap(k, v, v + 1).b == 3", { x: map(integer) }, { x: { a: 1, b: 2 } }],
    ["'%s has %d'.format([self.x, self.y]) == 'a has 2'", { x: text, y: integer }, { x: "a", y: 2 }],
  ];

  test.each(rows)("%s", (rule, fields, value) => {
    expect(inSpec(rule, fields, value)).toMatchObject({ errors: [], warnings: [] });
  });
});

describe("a CEL validation rule that is false or fails yields an error:", () => {
  const rows: readonly (readonly [rule: string, fields: JsonObject, value: JsonObject, error: string])[] = [
    ["self.x > 5", { x: integer }, { x: 5 }, "spec: Invalid value: failed rule: self.x > 5"],
    [" self.x > 5\n", { x: integer }, { x: 5 }, "spec: Invalid value: failed rule: self.x > 5"],
    [
      "self.x == 'a'",
      { x: text },
      {},
      "spec: Invalid value: \"object\": no such key: x evaluating rule: self.x == 'a'",
    ],
    [
      "self.x == 'a'",
      { x: nullable(text) },
      { x: null },
      "spec: Invalid value: \"object\": no such key: x evaluating rule: self.x == 'a'",
    ],
    [
      "has(self.x.y)",
      { x: object({ y: text }) },
      {},
      'spec: Invalid value: "object": no such key: x evaluating rule: has(self.x.y)',
    ],
    [
      "self.x[2] == 1",
      { x: array(integer) },
      { x: [1] },
      'spec: Invalid value: "object": index out of bounds: 2 evaluating rule: self.x[2] == 1',
    ],
    [
      "self.x['b'] == 1",
      { x: map(integer) },
      { x: { a: 1 } },
      "spec: Invalid value: \"object\": no such key: b evaluating rule: self.x['b'] == 1",
    ],
    [
      "1 / self.x == 1",
      { x: integer },
      { x: 0 },
      'spec: Invalid value: "object": division by zero evaluating rule: 1 / self.x == 1',
    ],
    [
      "self.x + 1 > 0",
      { x: integer },
      { x: 9223372036854775807n },
      'spec: Invalid value: "object": integer overflow evaluating rule: self.x + 1 > 0',
    ],
    [
      "self.x.startsWith('a')",
      { x: intOrString },
      { x: 5 },
      "spec: Invalid value: \"object\": 'no such overload: startsWith(int, string)': call arguments did not match a supported operator, function or macro signature for rule: self.x.startsWith('a')",
    ],
    [
      "self.x > 5",
      { x: intOrString },
      { x: "a" },
      "spec: Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.x > 5",
    ],
    [
      "self.x.all(i, i.startsWith('a'))",
      { x: array(nullable(text)) },
      { x: ["a", null] },
      "spec: Invalid value: \"object\": 'no such overload: startsWith(null_type, string)': call arguments did not match a supported operator, function or macro signature for rule: self.x.all(i, i.startsWith('a'))",
    ],
    [
      "self.x.all(i, i > 0)",
      { x: array(integer) },
      { x: [1, null] },
      'spec: Invalid value: "object": invalid data, got null for schema with nullable=false evaluating rule: self.x.all(i, i > 0)',
    ],
    [
      "self.x > 0",
      { x: integer },
      { x: "a" },
      'spec: Invalid value: "object": invalid data, expected int, got string evaluating rule: self.x > 0',
    ],
    [
      "self.x > 0",
      { x: integer },
      { x: 1.5 },
      'spec: Invalid value: "object": invalid data, expected int, got float64 evaluating rule: self.x > 0',
    ],
    [
      "self.x > 0.0",
      { x: number },
      { x: true },
      'spec: Invalid value: "object": invalid data, expected float, got bool evaluating rule: self.x > 0.0',
    ],
    [
      "self.x",
      { x: boolean },
      { x: 1 },
      'spec: Invalid value: "object": invalid data, expected bool, got int64 evaluating rule: self.x',
    ],
    [
      "self.x == 'a'",
      { x: text },
      { x: ["a"] },
      "spec: Invalid value: \"object\": invalid data, expected string, got []interface {} evaluating rule: self.x == 'a'",
    ],
    [
      "self.x.size() > 0",
      { x: array(text) },
      { x: {} },
      'spec: Invalid value: "object": invalid data, expected an array for the provided schema with type=array evaluating rule: self.x.size() > 0',
    ],
    [
      "self.x.a == 1",
      { x: object({ a: integer }) },
      { x: [] },
      'spec: Invalid value: "object": invalid data, expected a map for the provided schema with type=object evaluating rule: self.x.a == 1',
    ],
    [
      "self.x == 1",
      { x: intOrString },
      { x: true },
      'spec: Invalid value: "object": invalid data, expected XIntOrString value to be either a string or integer evaluating rule: self.x == 1',
    ],
    [
      "duration(self.x) > duration('1s')",
      { x: text },
      { x: "soon" },
      "spec: Invalid value: \"object\": type conversion error from 'string' to 'google.protobuf.Duration' evaluating rule: duration(self.x) > duration('1s')",
    ],
    [
      "self.x",
      { x: text },
      { x: "a" },
      'spec: Invalid value: "object": rule compile error: cel expression must evaluate to a bool',
    ],
    [
      "self.metadata.name == 'a'",
      { x: text },
      { x: "a" },
      "spec: Invalid value: \"object\": rule compile error: compilation failed: ERROR: <input>:1:5: undefined field 'metadata'\n | self.metadata.name == 'a'\n | ....^",
    ],
    [
      "self.y > 0",
      { x: text },
      { x: "a" },
      "spec: Invalid value: \"object\": rule compile error: compilation failed: ERROR: <input>:1:5: undefined field 'y'\n | self.y > 0\n | ....^",
    ],
  ];

  test.each(rows)("%s", (rule, fields, value, error) => {
    expect(inSpec(rule, fields, value).errors).toEqual([error]);
  });
});

describe("the message, reason and field of a CEL validation rule's error:", () => {
  const x = { x: integer, y: object({ z: text, "a.b": text }), m: map(text) };
  const rows: readonly (readonly [what: string, rule: JsonObject, error: string])[] = [
    ["has its message", { message: " too small " }, "spec: Invalid value: too small"],
    [
      "has what its messageExpression makes",
      { messageExpression: "'is ' + string(self.x)" },
      "spec: Invalid value: is 1",
    ],
    ["has no white space around that", { messageExpression: "'  a  '" }, "spec: Invalid value: a"],
    [
      "has what its messageExpression makes rather than its message",
      { message: "small", messageExpression: "'%d is small'.format([self.x])" },
      "spec: Invalid value: 1 is small",
    ],
    [
      "has its message where the expression fails",
      { message: "small", messageExpression: "string(1 / 0)" },
      "spec: Invalid value: small",
    ],
    [
      "has its message where the expression makes nothing",
      { message: "small", messageExpression: "' '" },
      "spec: Invalid value: small",
    ],
    [
      "has its message where the expression makes two lines",
      { message: "small", messageExpression: "'a\\nb'" },
      "spec: Invalid value: small",
    ],
    [
      "has its message where the expression makes more than 5 kB",
      {
        message: "small",
        messageExpression:
          "'0123456789'.replace('', 'a'.replace('', '0123456789abcdef').replace('', '0123456789abcdef')).replace('0', '0000000000000000')",
      },
      "spec: Invalid value: small",
    ],
    [
      "has its rule where there is no message",
      { messageExpression: "''" },
      "spec: Invalid value: failed rule: self.x > 5",
    ],
    [
      "has its rule where the expression does not compile",
      { messageExpression: "self.nothing" },
      "spec: Invalid value: failed rule: self.x > 5",
    ],
    ["is FieldValueInvalid", { reason: "FieldValueInvalid" }, "spec: Invalid value: failed rule: self.x > 5"],
    ["is FieldValueForbidden", { reason: "FieldValueForbidden" }, "spec: Forbidden: failed rule: self.x > 5"],
    ["is FieldValueRequired", { reason: "FieldValueRequired", message: "more" }, "spec: Required value: more"],
    ["is FieldValueDuplicate", { reason: "FieldValueDuplicate", message: "twice" }, "spec: Duplicate value"],
    ["names its field", { fieldPath: ".x" }, "spec.x: Invalid value: failed rule: self.x > 5"],
    ["names a field inside of another", { fieldPath: ".y.z" }, "spec.y.z: Invalid value: failed rule: self.x > 5"],
    ["names a field by a quoted name", { fieldPath: ".y['z']" }, "spec.y.z: Invalid value: failed rule: self.x > 5"],
    [
      "names a field whose name has a dot",
      { fieldPath: "['y']['a.b']" },
      "spec.y.a.b: Invalid value: failed rule: self.x > 5",
    ],
    ["names a key of a map", { fieldPath: ".m['a']" }, "spec.m[a]: Invalid value: failed rule: self.x > 5"],
    ["names a key of a map by a dot", { fieldPath: ".m.a" }, "spec.m[a]: Invalid value: failed rule: self.x > 5"],
    [
      "names its place for a field that there is not",
      { fieldPath: ".nothing" },
      "spec: Invalid value: failed rule: self.x > 5",
    ],
    [
      "has its reason, its field and its message",
      { reason: "FieldValueRequired", fieldPath: ".y", message: "is needed" },
      "spec.y: Required value: is needed",
    ],
  ];

  test.each(rows)("%s", (_what, rest, error) => {
    expect(inSpec({ rule: "self.x > 5", ...rest }, x, { x: 1 }).errors).toEqual([error]);
  });
});

describe("the path and the value in a CEL validation rule's error:", () => {
  const no = (schema: JsonObject): JsonObject => ruled(schema, "false");
  const failed = "failed rule: false";
  const rows: readonly (readonly [what: string, schema: JsonObject, value: JsonObject, errors: readonly string[]])[] = [
    ["the whole object", no(object({})), {}, [`<nil>: Invalid value: ${failed}`]],
    ["a text", object({ a: no(text) }), { a: "x" }, [`a: Invalid value: "x": ${failed}`]],
    ["an integer", object({ a: no(integer) }), { a: 3 }, [`a: Invalid value: 3: ${failed}`]],
    ["a number", object({ a: no(number) }), { a: 1.5 }, [`a: Invalid value: 1.5: ${failed}`]],
    ["a boolean", object({ a: no(boolean) }), { a: true }, [`a: Invalid value: true: ${failed}`]],
    ["an int-or-string", object({ a: no(intOrString) }), { a: "5%" }, [`a: Invalid value: "5%": ${failed}`]],
    ["a list", object({ a: no(array(text)) }), { a: ["x"] }, [`a: Invalid value: ${failed}`]],
    [
      "items",
      object({ a: array(no(text)) }),
      { a: ["x", "y"] },
      [`a[0]: Invalid value: "x": ${failed}`, `a[1]: Invalid value: "y": ${failed}`],
    ],
    ["values of a map", object({ a: map(no(integer)) }), { a: { "k.1": 1 } }, [`a[k.1]: Invalid value: 1: ${failed}`]],
    [
      "fields of items",
      object({ a: array(object({ b: no(text) })) }),
      { a: [{ b: "x" }] },
      [`a[0].b: Invalid value: "x": ${failed}`],
    ],
    [
      "a field that rules cannot name",
      object({ "a b": no(integer) }),
      { "a b": 1 },
      [`a b: Invalid value: 1: ${failed}`],
    ],
    ["nothing where there is nothing", object({ a: no(text), b: no(nullable(text)) }), { b: null }, []],
    ["nothing of an empty list", object({ a: array(no(text)) }), { a: [] }, []],
    [
      "outer values before inner ones, and all rules of a value",
      ruled(object({ b: no(integer), a: ruled(object({ c: no(integer) }), "false", "true", "1 > 2") }), "self.b > 5"),
      { b: 1, a: { c: 2 } },
      [
        "<nil>: Invalid value: failed rule: self.b > 5",
        `a: Invalid value: ${failed}`,
        "a: Invalid value: failed rule: 1 > 2",
        `a.c: Invalid value: 2: ${failed}`,
        `b: Invalid value: 1: ${failed}`,
      ],
    ],
    [
      "what a whole resource always has",
      ruled(object({}), "self.metadata.name.startsWith('b') && self.kind == 'Box' && self.apiVersion == 'a/v1'"),
      { apiVersion: "a/v1", kind: "Box", metadata: { name: "a" } },
      [
        "<nil>: Invalid value: failed rule: self.metadata.name.startsWith('b') && self.kind == 'Box' && self.apiVersion == 'a/v1'",
      ],
    ],
  ];

  test.each(rows)("%s", (_what, schema, value, errors) => {
    expect(judge(schema, value).errors).toEqual(errors);
  });

  test("the path is right for a part that is validated alone", () => {
    expect(judge(object({ a: no(text) }), { a: "x" }, undefined, { path: "spec.default" }).errors).toEqual([
      `spec.default.a: Invalid value: "x": ${failed}`,
    ]);
  });
});

describe("a CEL validation rule with oldSelf (a transition rule):", () => {
  const grows = "self >= oldSelf";
  const optional: JsonObject = { rule: "oldSelf.hasValue() || self > 5", optionalOldSelf: true };
  const fixed: JsonObject = { rule: "!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf: true };
  const item = object({ k: text, n: ruled(integer, grows) });
  const rows: readonly (readonly [
    what: string,
    schema: JsonObject,
    value: JsonObject,
    old: JsonObject | undefined,
    errors: readonly string[],
  ])[] = [
    ["does not run on a new object", object({ a: ruled(integer, grows) }), { a: 1 }, undefined, []],
    [
      "compares with what was before",
      object({ a: ruled(integer, grows) }),
      { a: 1 },
      { a: 2 },
      [`a: Invalid value: 1: failed rule: ${grows}`],
    ],
    ["accepts what did not change", object({ a: ruled(integer, grows) }), { a: 2 }, { a: 2 }, []],
    ["does not run on a new field", object({ a: ruled(integer, grows) }), { a: 1 }, {}, []],
    [
      "does not run where the field was null",
      object({ a: ruled(nullable(integer), grows) }),
      { a: 1 },
      { a: null },
      [],
    ],
    ["does not run on a field that goes", object({ a: ruled(integer, grows) }), {}, { a: 1 }, []],
    [
      "sees from around that a field goes",
      ruled(object({ a: integer }), "has(self.a) || !has(oldSelf.a)"),
      {},
      { a: 1 },
      ["<nil>: Invalid value: failed rule: has(self.a) || !has(oldSelf.a)"],
    ],
    [
      "finds a value of a map by its key",
      object({ m: map(ruled(integer, grows)) }),
      { m: { a: 1, b: 1 } },
      { m: { b: 2 } },
      [`m[b]: Invalid value: 1: failed rule: ${grows}`],
    ],
    [
      "finds an item of a list of type map by its keys",
      object({ l: mapList(["k"], item) }),
      {
        l: [
          { k: "b", n: 1 },
          { k: "a", n: 1 },
          { k: "c", n: 1 },
        ],
      },
      {
        l: [
          { k: "a", n: 1 },
          { k: "b", n: 2 },
        ],
      },
      [`l[0].n: Invalid value: 1: failed rule: ${grows}`],
    ],
    ["does not run on items of other lists", object({ l: array(ruled(integer, grows)) }), { l: [1] }, { l: [2] }, []],
    [
      "sees such a list as a whole",
      object({ l: ruled(array(integer), "self.size() >= oldSelf.size()") }),
      { l: [1] },
      { l: [2, 3] },
      ["l: Invalid value: failed rule: self.size() >= oldSelf.size()"],
    ],
    [
      "makes a field immutable",
      object({ a: ruled(text, { rule: "self == oldSelf", message: "is immutable" }) }),
      { a: "x" },
      { a: "y" },
      ['a: Invalid value: "x": is immutable'],
    ],
    [
      "with optionalOldSelf runs on a new object",
      object({ a: ruled(integer, optional) }),
      { a: 1 },
      undefined,
      ["a: Invalid value: 1: failed rule: oldSelf.hasValue() || self > 5"],
    ],
    [
      "with optionalOldSelf runs on a new field",
      object({ a: ruled(integer, optional) }),
      { a: 1 },
      {},
      ["a: Invalid value: 1: failed rule: oldSelf.hasValue() || self > 5"],
    ],
    [
      "with optionalOldSelf has the value of before",
      object({ a: ruled(integer, fixed) }),
      { a: 1 },
      { a: 2 },
      ["a: Invalid value: 1: failed rule: !oldSelf.hasValue() || oldSelf.value() == self"],
    ],
    [
      "with optionalOldSelf takes null for nothing",
      object({ a: ruled(nullable(integer), fixed) }),
      { a: 1 },
      { a: null },
      [],
    ],
    [
      "with optionalOldSelf reads fields of before",
      ruled(object({ a: integer }), { rule: "oldSelf.?a.orValue(0) <= self.a", optionalOldSelf: true }),
      { a: 1 },
      { a: 2 },
      ["<nil>: Invalid value: failed rule: oldSelf.?a.orValue(0) <= self.a"],
    ],
  ];

  test.each(rows)("%s", (_what, schema, value, old, errors) => {
    expect(judge(schema, value, old).errors).toEqual(errors);
  });
});

describe("CEL validation rules on an update of a stored invalid value:", () => {
  const small = ruled(integer, "self < 5");
  const warning = "Invalid value: 9: failed rule: self < 5";
  const keyed = object({ k: text, n: small });
  const rows: readonly (readonly [
    what: string,
    schema: JsonObject,
    value: JsonObject,
    old: JsonObject,
    errors: readonly string[],
    warnings: readonly string[],
  ])[] = [
    ["is a warning", object({ a: small, b: text }), { a: 9, b: "new" }, { a: 9, b: "old" }, [], [`a: ${warning}`]],
    ["is an error once it changes", object({ a: small }), { a: 9 }, { a: 8 }, [`a: ${warning}`], []],
    ["is an error where it was not there", object({ a: small }), { a: 9 }, {}, [`a: ${warning}`], []],
    [
      "is a warning inside of a list that did not change",
      object({ l: array(small), b: text }),
      { l: [9], b: "x" },
      { l: [9], b: "y" },
      [],
      [`l[0]: ${warning}`],
    ],
    [
      "is an error inside of a list that did",
      object({ l: array(small) }),
      { l: [9, 1] },
      { l: [9] },
      [`l[0]: ${warning}`],
      [],
    ],
    [
      "is a warning in an item with the same keys",
      object({ l: mapList(["k"], keyed) }),
      {
        l: [
          { k: "b", n: 1 },
          { k: "a", n: 9 },
        ],
      },
      { l: [{ k: "a", n: 9 }] },
      [],
      [`l[1].n: ${warning}`],
    ],
    [
      "is an error in an item with other keys",
      object({ l: mapList(["k"], keyed) }),
      { l: [{ k: "b", n: 9 }] },
      { l: [{ k: "a", n: 9 }] },
      [`l[0].n: ${warning}`],
      [],
    ],
    [
      "is a warning in a map's value",
      object({ m: map(small) }),
      { m: { a: 9, b: 1 } },
      { m: { a: 9 } },
      [],
      [`m[a]: ${warning}`],
    ],
    [
      "is an error for an object that changed",
      object({ a: ruled(object({ b: integer, c: text }), "self.b < 5") }),
      { a: { b: 9, c: "x" } },
      { a: { b: 9, c: "y" } },
      ["a: Invalid value: failed rule: self.b < 5"],
      [],
    ],
    [
      "is an error of a transition rule all the same",
      object({ a: ruled(integer, "self > oldSelf") }),
      { a: 9 },
      { a: 9 },
      ["a: Invalid value: 9: failed rule: self > oldSelf"],
      [],
    ],
    [
      "is an error where the rule fails",
      object({ a: ruled(integer, "1 / 0 == self") }),
      { a: 9 },
      { a: 9 },
      ['a: Invalid value: "integer": division by zero evaluating rule: 1 / 0 == self'],
      [],
    ],
    [
      "is an error of a kind that changes with the version",
      ruled(object({ kind: ruled(text, "self == 'Box'") }), "true"),
      { kind: "Bag" },
      { kind: "Bag" },
      ["kind: Invalid value: \"Bag\": failed rule: self == 'Box'"],
      [],
    ],
  ];

  test.each(rows)("%s", (_what, schema, value, old, errors, warnings) => {
    expect(judge(schema, value, old)).toMatchObject({ errors, warnings });
  });
});

describe("the runtime cost of CEL validation rules", () => {
  const OUT = "validation failed due to running out of cost budget, no further validation rules will be run";
  const twenty = Array.from({ length: 20 }, (_, index) => index);

  test("counts against the budget of the whole object", () => {
    expect(inSpec("self.x > 5", { x: integer }, { x: 6 }).budgetLeft).toBe(10_000_000 - 3);
    expect(inSpec("has(self.x)", { x: integer }, { x: 6 }).budgetLeft).toBe(10_000_000 - 1);
  });

  test.each([
    [`"static string"`, 300, 300],
    [`"str1 " + self.str`, 50, 46],
    [`"str1 " + ["a", "b", "c", "d"][4]`, 50, 47],
    [`"string 1" + "string 2"`, 1, -1],
  ])("includes that of messageExpression: %s", (messageExpression, budget, left) => {
    const schema = object({ spec: ruled(object({ str: text }), { rule: "false", messageExpression }) });
    expect(judge(schema, { spec: { str: "a string" } }, undefined, { budget }).budgetLeft).toBe(left);
  });

  test("ends all rules when the budget is used up", () => {
    const schema = object({ l: array(ruled(integer, "self >= 0")), z: ruled(text, "false") });
    const { errors, budgetLeft } = judge(schema, { l: twenty, z: "" }, undefined, { budget: 20 });
    expect([errors, budgetLeft]).toEqual([[`l[10]: Invalid value: "integer": ${OUT}`], -1]);
  });

  test("ends all rules when one evaluation costs a million", () => {
    const rule = "self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, self.l.all(e, a + b + c + d + e >= 0)))))";
    const schema = object({ spec: ruled(object({ l: array(integer) }), rule, "false"), z: ruled(text, "false") });
    const { errors, budgetLeft } = judge(schema, { spec: { l: twenty }, z: "" });
    const detail = `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
    expect([errors, budgetLeft]).toEqual([[`spec: Invalid value: "object": ${detail}`], -1]);
  });

  test("ends also messageExpressions", () => {
    const messageExpression =
      "self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, self.l.all(e, a + b + c + d + e >= 0))))) ? 'a' : 'b'";
    const { errors, budgetLeft } = inSpec({ rule: "false", messageExpression }, { l: array(integer) }, { l: twenty });
    const detail = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(messageExpression)}`;
    expect([errors, budgetLeft]).toEqual([[`spec: Invalid value: "object": ${detail}`], -1]);
    const poor = judge(
      object({ a: ruled(text, { rule: "self == 'b'", messageExpression: "self + self" }) }),
      { a: "x" },
      undefined,
      { budget: 3 },
    );
    expect(poor.errors).toEqual([
      `a: Invalid value: "string": messageExpression ${OUT.replace("validation ", "evaluation ")}`,
    ]);
  });
});

test("a schema without CEL validation rules has no validator", () => {
  expect(compileRules(structuralSchemaOf(object({ a: text, l: array(object({ b: integer })) })), true)).toBeUndefined();
});
