import { describe, expect, test } from "vitest";
import {
  customResourceDefinitionSteps,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionUpdate,
} from "../../../src/api/validation/apiextensions/index.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { array, embedded, integer, map, mapList, object, text } from "../../machinery/structural/schemas.js";

// What is said of definitions whose schemas have rules: exact errors.

const SCHEMA = "spec.validation.openAPIV3Schema";
const SPEC = `${SCHEMA}.properties[spec]`;
const ADVICE =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

const ruled = (schema: JsonObject, ...rules: (string | JsonObject)[]): JsonObject => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});

const version = (name: string, schema: JsonObject, storage = true): JsonObject => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: schema },
});

function definition(versions: JsonObject[]): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boxes.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "boxes", singular: "box", kind: "Box", listKind: "BoxList" },
      versions,
    },
    status: { storedVersions: ["v1"] },
  };
}

const withSpec = (spec: JsonObject): JsonObject => object({ spec });

function errorsOf(schema: JsonObject): string[] {
  return validateCustomResourceDefinition(definition([version("v1", schema)])).map(formatFieldError);
}

/** A rule as errors show it. */
function shown(rule: JsonObject): string {
  const fields = {
    Rule: rule["rule"] ?? "",
    Message: rule["message"] ?? "",
    MessageExpression: rule["messageExpression"] ?? "",
    Reason: rule["reason"] ?? null,
    FieldPath: rule["fieldPath"] ?? "",
    OptionalOldSelf: rule["optionalOldSelf"] ?? null,
  };
  return JSON.stringify(fields).replaceAll(">", "\\u003e").replaceAll("<", "\\u003c").replaceAll("&", "\\u0026");
}

describe("a CustomResourceDefinition with a CEL rule is accepted", () => {
  const accepted: readonly (readonly [what: string, spec: JsonObject])[] = [
    ["on an object", ruled(object({ a: integer }), "self.a > 0")],
    ["on a scalar", object({ a: ruled(integer, "self > 0") })],
    ["on a list of items with a limit", object({ a: { ...ruled(array(text), "self.all(i, i != '')"), maxItems: 10 } })],
    ["on items", object({ a: array(ruled(integer, "self > 0"), { maxItems: 10 }) })],
    ["on values of a map", object({ a: map(ruled(integer, "self > 0")) })],
    ["on an embedded resource", object({ a: ruled(embedded(), "self.kind == 'Pod' && self.metadata.name != ''") })],
    ["on an int-or-string", object({ a: { ...ruled({ "x-kubernetes-int-or-string": true }, "self != '0%'") } })],
    ["that compare with what was before", ruled(object({ a: integer }), "self.a >= oldSelf.a")],
    [
      "that compare items with those of before",
      object({ a: mapList(["k"], object({ k: { ...text, default: "x" }, n: ruled(integer, "self >= oldSelf") })) }),
    ],
    [
      "that also run without it",
      ruled(object({ a: integer }), { rule: "oldSelf.?a.orValue(0) <= self.a", optionalOldSelf: true }),
    ],
    [
      "with messages, reasons and fields",
      ruled(object({ a: integer }), {
        rule: "self.a > 0",
        message: "m",
        messageExpression: "'is %d'.format([self.a])",
        reason: "FieldValueForbidden",
        fieldPath: ".a",
      }),
    ],
    [
      "of several lines with a message",
      ruled(object({ a: integer }), { rule: "self.a > 0 &&\nself.a < 5", message: "m" }),
    ],
    [
      "with Kubernetes' functions",
      ruled(
        object({ a: { ...text, maxLength: 20 } }),
        "isIP(self.a) && quantity('1').isGreaterThan(quantity('0')) && !format.named('uuid').hasValue()",
      ),
    ],
    [
      "with a format of values of several types",
      ruled(object({ a: integer, b: { ...text, maxLength: 9 } }), {
        rule: "self.a > 0",
        messageExpression: "'%d of %s'.format([self.a, self.b])",
      }),
    ],
    [
      "on fields named as CEL's own words",
      ruled(object({ namespace: text, "a-b": integer }), "self.namespace != '' && self.a__dash__b > 0"),
    ],
    [
      "beside a default that keeps them",
      object({ a: { ...ruled(integer, "self > 0", "self >= oldSelf"), default: 5 } }),
    ],
  ];

  test.each(accepted)("when the rule stands %s", (_what, spec) => {
    expect(errorsOf(withSpec(spec))).toEqual([]);
  });

  test("when the rule stands on the whole object, where it may use apiVersion, kind and metadata", () => {
    expect(errorsOf(ruled(object({}), "self.metadata.name.size() < 20 && self.kind == 'Box'"))).toEqual([]);
  });
});

describe("a CustomResourceDefinition with a CEL rule that does not compile is refused", () => {
  const fields = object({
    a: integer,
    s: { ...text, maxLength: 10 },
    l: array(integer, { maxItems: 10 }),
    o: object({ b: text }),
  });
  const at = (place: string): string => `ERROR: <input>:${place}`;
  const rows: readonly (readonly [rule: string, problem: string])[] = [
    ["self.a", "cel expression must evaluate to a bool"],
    ["'true'", "cel expression must evaluate to a bool"],
    ["dyn(self.a > 0)", "cel expression must evaluate to a bool"],
    ["self.b > 0", `compilation failed: ${at("1:5")}: undefined field 'b'\n | self.b > 0\n | ....^`],
    ["has(self.b)", `compilation failed: ${at("1:4")}: undefined field 'b'\n | has(self.b)\n | ...^`],
    [
      "other.a > 0",
      `compilation failed: ${at("1:1")}: undeclared reference to 'other' (in container '')\n | other.a > 0\n | ^`,
    ],
    [
      "self.a == 'x'",
      `compilation failed: ${at("1:8")}: found no matching overload for '_==_' applied to '(int, string)'\n | self.a == 'x'\n | .......^`,
    ],
    [
      "self.o == {'b': 'x'}",
      `compilation failed: ${at("1:8")}: found no matching overload for '_==_' applied to '(selfType.o, map(string, string))'\n | self.o == {'b': 'x'}\n | .......^`,
    ],
    [
      "self.o['b'] == 'x'",
      `compilation failed: ${at("1:7")}: found no matching overload for '_[_]' applied to '(selfType.o, string)'\n | self.o['b'] == 'x'\n | ......^`,
    ],
    [
      "self.a.b == 1",
      `compilation failed: ${at("1:7")}: type 'int' does not support field selection\n | self.a.b == 1\n | ......^`,
    ],
    [
      "self.a.all(x, x > 0)",
      `compilation failed: ${at("1:5")}: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.a.all(x, x > 0)\n | ....^`,
    ],
    [
      "self.s.unknown()",
      `compilation failed: ${at("1:15")}: undeclared reference to 'unknown' (in container '')\n | self.s.unknown()\n | ..............^`,
    ],
    [
      "[1, 'a'].size() == 2",
      `compilation failed: ${at("1:5")}: expected type 'int' but found 'string'\n | [1, 'a'].size() == 2\n | ....^`,
    ],
    [
      "self.s.matches(')')",
      `compilation failed: ${at("1:16")}: invalid matches argument\n | self.s.matches(')')\n | ...............^`,
    ],
    [
      "duration('1d') > duration('1h')",
      `compilation failed: ${at("1:10")}: invalid duration argument\n | duration('1d') > duration('1h')\n | .........^`,
    ],
    [
      "timestamp('today') < timestamp('tomorrow')",
      `compilation failed: ${at("1:11")}: invalid timestamp argument\n | timestamp('today') < timestamp('tomorrow')\n | ..........^\n${at("1:32")}: invalid timestamp argument\n | timestamp('today') < timestamp('tomorrow')\n | ...............................^`,
    ],
    [
      "self.a >",
      `compilation failed: ${at("1:9")}: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.a >\n | ........^`,
    ],
    [
      "self.true == 1",
      `compilation failed: ${at("1:6")}: Syntax error: mismatched input 'true' expecting IDENTIFIER\n | self.true == 1\n | .....^`,
    ],
    [
      "self.o == oldSelf",
      `compilation failed: ${at("1:8")}: found no matching overload for '_==_' applied to '(selfType.o, selfType)'\n | self.o == oldSelf\n | .......^`,
    ],
  ];

  test.each(rows)("for the rule %s", (rule, problem) => {
    const [error = "", ...rest] = errorsOf(withSpec(ruled(fields, rule)));
    const start = `${SPEC}.x-kubernetes-validations[0].rule: Invalid value: ${shown({ rule })}: `;
    expect(error).toBe(start + problem);
    expect(rest).toEqual([]);
  });
});

describe("a CustomResourceDefinition is refused for a wrong message, reason or fieldPath of a CEL rule", () => {
  const path = `${SPEC}.x-kubernetes-validations[0]`;
  const rule = "self.a > 0";
  const bad = (messageExpression: string): JsonObject => ({ rule, messageExpression });
  const rows: readonly (readonly [what: string, rule: JsonObject, errors: readonly string[]])[] = [
    ["nothing but a message", { message: "m" }, [`${path}.rule: Required value: rule is not specified`]],
    [
      "null for an expression",
      { rule: null, messageExpression: null },
      [`${path}.rule: Required value: rule is not specified`],
    ],
    ["no expression", { rule: "" }, [`${path}.rule: Required value: rule is not specified`]],
    ["white space for an expression", { rule: " \n" }, [`${path}.rule: Required value: rule is not specified`]],
    [
      "a message of white space",
      { rule, message: " " },
      [`${path}.message: Invalid value: " ": must be non-empty if specified`],
    ],
    [
      "a message of two lines",
      { rule, message: "a\nb" },
      [`${path}.message: Invalid value: "a\\nb": must not contain line breaks`],
    ],
    [
      "an expression of two lines without a message",
      { rule: "self.a > 0 &&\n true" },
      [`${path}.message: Required value: message must be specified if rule contains line breaks`],
    ],
    [
      "a messageExpression of white space",
      bad(" "),
      [`${path}.messageExpression: Required value: messageExpression must be non-empty if specified`],
    ],
    [
      "a messageExpression that is no text",
      bad("self.a"),
      [
        `${path}.messageExpression: Invalid value: ${shown(bad("self.a"))}: messageExpression must evaluate to a string`,
      ],
    ],
    [
      "a messageExpression that does not compile",
      bad("self.b"),
      [
        `${path}.messageExpression: Invalid value: ${shown(bad("self.b"))}: messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b\n | ....^`,
      ],
    ],
    [
      "a reason that there is not",
      { rule, reason: "Because" },
      [
        `${path}.reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      ],
    ],
    [
      "a path of white space",
      { rule, fieldPath: " " },
      [
        `${path}.fieldPath: Invalid value: " ": must be non-empty if specified`,
        `${path}.fieldPath: Invalid value: " ": must be a valid path`,
      ],
    ],
    [
      "a path of two lines",
      { rule, fieldPath: ".a\n" },
      [
        `${path}.fieldPath: Invalid value: ".a\\n": must not contain line breaks`,
        `${path}.fieldPath: Invalid value: ".a\\n": must be a valid path`,
      ],
    ],
    [
      "a path to a field that there is not",
      { rule, fieldPath: ".b" },
      [`${path}.fieldPath: Invalid value: ".b": must be a valid path`],
    ],
    ["a path without a dot", { rule, fieldPath: "a" }, [`${path}.fieldPath: Invalid value: "a": must be a valid path`]],
    [
      "a path to an item",
      { rule, fieldPath: ".l[0]" },
      [`${path}.fieldPath: Invalid value: ".l[0]": must be a valid path`],
    ],
    [
      "optionalOldSelf without oldSelf",
      { rule, optionalOldSelf: true },
      [`${path}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`],
    ],
    [
      "no optionalOldSelf without oldSelf",
      { rule, optionalOldSelf: false },
      [`${path}.optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule`],
    ],
    [
      "oldSelf as if it were there",
      { rule: "oldSelf.a <= self.a + 0 && oldSelf == self", optionalOldSelf: true },
      [
        `${path}.rule: Invalid value: ${shown({ rule: "oldSelf.a <= self.a + 0 && oldSelf == self", optionalOldSelf: true })}: compilation failed: ERROR: <input>:1:11: found no matching overload for '_<=_' applied to '(optional_type(int), int)'\n | oldSelf.a <= self.a + 0 && oldSelf == self\n | ..........^\nERROR: <input>:1:36: found no matching overload for '_==_' applied to '(optional_type(selfType), selfType)'\n | oldSelf.a <= self.a + 0 && oldSelf == self\n | ...................................^`,
        `${path}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
      ],
    ],
  ];

  test.each(rows)("for %s", (_what, one, errors) => {
    expect(errorsOf(withSpec(ruled(object({ a: integer, l: array(text) }), one)))).toEqual(errors);
  });
});

describe("a CustomResourceDefinition is refused for a CEL rule where its schema gives the rule no value or no old value", () => {
  const NO_TYPE =
    "Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
  const unknown: JsonObject = { "x-kubernetes-preserve-unknown-fields": true };
  const old = "self == oldSelf";
  const uncorrelated = (path: string, list: string): string =>
    `${path}.x-kubernetes-validations[0].rule: Invalid value: "${old}": oldSelf cannot be used on the uncorrelatable portion of the schema within ${list}`;
  const list = `${SPEC}.properties[l]`;
  const rows: readonly (readonly [what: string, spec: JsonObject, errors: readonly string[]])[] = [
    [
      "a value of any type",
      object({ x: ruled(unknown, "self == 1") }),
      [`${SPEC}.properties[x].x-kubernetes-validations: ${NO_TYPE}`],
    ],
    [
      "a list of values of any type",
      object({ l: ruled(array(unknown), "self.size() > 0") }),
      [`${list}.x-kubernetes-validations: ${NO_TYPE}`],
    ],
    [
      "a map of values of any type",
      object({ l: ruled(map(unknown), "self.size() > 0") }),
      [`${list}.x-kubernetes-validations: ${NO_TYPE}`],
    ],
    [
      "an item of a list",
      object({ l: array(ruled(text, old), { maxItems: 2 }) }),
      [uncorrelated(`${list}.items`, list)],
    ],
    [
      "an item of a set",
      object({ l: array(ruled(text, old), { maxItems: 2, "x-kubernetes-list-type": "set" }) }),
      [uncorrelated(`${list}.items`, list)],
    ],
    [
      "a field of an item",
      object({ l: array(object({ b: ruled(text, old) }), { maxItems: 2 }) }),
      [uncorrelated(`${list}.items.properties[b]`, list)],
    ],
    [
      "an item of a list of type map in another list",
      object({ l: array(mapList(["k"], ruled(object({ k: { ...text, default: "x" } }), old)), { maxItems: 2 }) }),
      [uncorrelated(`${list}.items.items`, list)],
    ],
  ];

  test.each(rows)("for %s", (_what, spec, errors) => {
    expect(errorsOf(withSpec(spec))).toEqual(errors);
  });

  test("CEL rules are compiled only where the schema at and below them has no other error", () => {
    const wrong = ruled(object({ l: { type: "array", items: text, "x-kubernetes-list-type": "bag" } }), "self.nothing");
    const right = ruled(object({ a: integer }), "self.nothing");
    const errors = errorsOf(withSpec(object({ wrong, right })));
    expect(errors).toHaveLength(2);
    expect(errors[0]).toContain("properties[wrong].properties[l].x-kubernetes-list-type: Unsupported value");
    expect(errors[1]).toContain("properties[right].x-kubernetes-validations[0].rule: Invalid value");
  });
});

describe("a CustomResourceDefinition with a CEL rule that may cost too much is refused", () => {
  const loops = "self.l.all(x, self.l.all(y, x == y))";
  const over = (factor: string, what = "rule"): string =>
    `Forbidden: estimated ${what} cost exceeds budget by factor of ${factor} ${ADVICE}`;
  const SHARE = "Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const total = (factor: string): string =>
    `${SCHEMA}: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of ${factor} ${ADVICE}`;
  const path = `${SPEC}.x-kubernetes-validations[0].rule`;
  const texts = (maxItems?: number, maxLength?: number): JsonObject => ({
    ...array({ ...text, ...(maxLength !== undefined && { maxLength }) }),
    ...(maxItems !== undefined && { maxItems }),
  });
  const rows: readonly (readonly [what: string, spec: JsonObject, errors: readonly string[]])[] = [
    [
      "far above the limit",
      ruled(object({ l: texts() }), loops),
      [`${path}: ${over("more than 100x")}`, `${path}: ${SHARE}`, total("more than 100x")],
    ],
    ["some times the limit", ruled(object({ l: texts(1000, 200) }), loops), [`${path}: ${over("8.5x")}`]],
    ["a little above the limit", ruled(object({ l: texts(1000, 20) }), loops), [`${path}: ${over("1.300600x")}`]],
    ["within the limit", ruled(object({ l: texts(1000, 10) }), loops), []],
    [
      "by the number of items that it runs on",
      object({
        l: array(ruled(object({ s: { ...text, maxLength: 1000 } }), "self.s.contains('x')"), { maxItems: 100_000 }),
      }),
      [`${SPEC}.properties[l].items.x-kubernetes-validations[0].rule: ${over("4.0x")}`],
    ],
    [
      "by the number of values that it runs on",
      object({ m: { ...map(ruled({ ...text, maxLength: 1000 }, "self.contains('x')")), maxProperties: 100_000 } }),
      [`${SPEC}.properties[m].additionalProperties.x-kubernetes-validations[0].rule: ${over("4.0x")}`],
    ],
    [
      "by lists in lists",
      object({
        l: array(array(ruled({ ...text, maxLength: 100 }, "self.contains('x')"), { maxItems: 1000 }), {
          maxItems: 1000,
        }),
      }),
      [`${SPEC}.properties[l].items.items.x-kubernetes-validations[0].rule: ${over("4.1x")}`],
    ],
    [
      "by as many items as fit into a request",
      object({ l: array(ruled({ ...text, maxLength: 1000 }, "self.contains('x')")) }),
      [
        `${SPEC}.properties[l].items.x-kubernetes-validations[0].rule: ${over("42.0x")}`,
        `${SPEC}.properties[l].items.x-kubernetes-validations[0].rule: ${SHARE}`,
        total("4.2x"),
      ],
    ],
    [
      "by its messageExpression",
      ruled(object({ l: texts(1000, 200) }), { rule: "self.l.size() > 0", messageExpression: `${loops} ? 'a' : 'b'` }),
      [`${SPEC}.x-kubernetes-validations[0].messageExpression: ${over("8.5x", "messageExpression")}`],
    ],
  ];

  test.each(rows)("for %s", (_what, spec, errors) => {
    expect(errorsOf(withSpec(spec))).toEqual(errors);
  });

  test("rules whose estimated costs are too high together are refused, and the error names the four most expensive", () => {
    const costly = (maxLength: number): JsonObject => ruled(object({ l: texts(1000, maxLength) }), loops);
    const fields = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`f${String(at).padStart(2, "0")}`, costly(at % 2 === 0 ? 10 : 5)]),
    );
    const errors = errorsOf(withSpec(object(fields)));
    expect(errors).toEqual([
      ...["f00", "f02", "f04", "f06"].map(
        (name) => `${SPEC}.properties[${name}].x-kubernetes-validations[0].rule: ${SHARE}`,
      ),
      total("1.6x"),
    ]);
  });
});

describe("a default value in a CustomResourceDefinition is validated by the CEL rules beside it", () => {
  const rows: readonly (readonly [what: string, spec: JsonObject, errors: readonly string[]])[] = [
    [
      "its own",
      object({ a: { ...ruled(integer, "self > 5"), default: 1 } }),
      [`${SPEC}.properties[a].default: Invalid value: 1: failed rule: self > 5`],
    ],
    [
      "those inside of it",
      object({ o: { ...object({ b: ruled(text, { rule: "self != ''", message: "is empty" }) }), default: { b: "" } } }),
      [`${SPEC}.properties[o].default.b: Invalid value: "": is empty`],
    ],
    [
      "as a value that was there before",
      object({ a: { ...ruled(integer, "self > oldSelf"), default: 1 } }),
      [`${SPEC}.properties[a].default: Invalid value: 1: failed rule: self > oldSelf`],
    ],
    [
      "as a new value",
      object({ a: { ...ruled(integer, { rule: "oldSelf.hasValue()", optionalOldSelf: true }), default: 1 } }),
      [`${SPEC}.properties[a].default: Invalid value: 1: failed rule: oldSelf.hasValue()`],
    ],
    ["not by those around it", ruled(object({ a: { ...integer, default: 1 } }), "self.a > 5"), []],
    [
      "not where the schema refuses it",
      object({ a: { ...ruled(integer, "self > 5"), maximum: 0, default: 1 } }),
      [`${SPEC}.properties[a].default: Invalid value: 1: spec.a in body should be less than or equal to 0`],
    ],
  ];

  test.each(rows)("with the errors for: %s", (_what, spec, errors) => {
    const found = errorsOf(withSpec(spec)).map((error) => error.replace(/: \S* ?in body/, ": spec.a in body"));
    expect(found).toEqual(errors);
  });

  test("a CEL rule that does not compile is also reported at the default value", () => {
    const [error] = errorsOf(withSpec(object({ a: { ...ruled(integer, "self > 'a'"), default: 1 } })));
    expect(error).toContain(
      `${SPEC}.properties[a].default: Invalid value: "integer": rule compile error: compilation failed: ERROR`,
    );
  });
});

describe("an update of a CustomResourceDefinition whose stored CEL rules are invalid", () => {
  const costly = withSpec(
    ruled(
      object({ l: { ...array({ ...text, maxLength: 200 }), maxItems: 1000 } }),
      "self.l.all(x, self.l.all(y, x == y))",
    ),
  );
  const errors = (now: JsonObject[], before: JsonObject[]): string[] =>
    validateCustomResourceDefinitionUpdate(definition(now), definition(before)).map((error) => error.field);

  test("accepts a rule that costs too much while the version's schema is unchanged", () => {
    const [stored] = [[version("v1", costly)]];
    expect(errors(stored, stored)).toEqual([]);
    const other = version("v2", withSpec(object({})), false);
    expect(errors([version("v1", costly), other], stored)).toEqual([]);
  });

  test("refuses a rule that costs too much once the schema changes", () => {
    const changed = { ...costly, description: "changed" };
    expect(errors([version("v1", changed)], [version("v1", costly)])).toEqual([
      `${SPEC}.x-kubernetes-validations[0].rule`,
    ]);
    const other = version("v2", costly, false);
    const first = version("v1", withSpec(object({})));
    expect(errors([first, other], [first])).toEqual([
      "spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule",
    ]);
  });

  test("refuses a rule that does not compile even when it is unchanged", () => {
    const broken = [version("v1", withSpec(ruled(object({}), "self.nothing")))];
    expect(errors(broken, broken)).toEqual([`${SPEC}.x-kubernetes-validations[0].rule`]);
  });
});

test.each<[string, (index: number) => JsonObject]>([
  ["good rules", (index) => ruled(integer, `self > ${index}`)],
  ["rules that are none", () => ({ ...integer, "x-kubernetes-validations": [{ message: "m" }, null] })],
  ["rules that do not compile", (index) => ruled(integer, `self > '${index}'`)],
  ["rules that may cost too much", () => ruled(array(text), "self.all(x, self.all(y, x == y))")],
  ["defaults that rules refuse", (index) => ({ ...ruled(integer, `self > ${index + 1}`), default: index })],
])(
  "validating a CustomResourceDefinition with %s in time slices returns the same errors as validating it at once",
  (_, property) => {
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_value, index) => [`a${index}`, property(index)]));
    const [plain, ahead] = [0, 1].map(() => definition([version("v1", structuredClone(withSpec(object(fields))))]));
    let steps = 0;
    for (const _step of customResourceDefinitionSteps(ahead as KubeObject)) steps += 1;
    expect(steps).toBeGreaterThan(4);
    const [now, before] = [ahead, plain].map((one) =>
      validateCustomResourceDefinition(one as KubeObject).map(formatFieldError),
    );
    expect(now).toEqual(before);
  },
);
