import { describe, expect, test } from "vitest";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { CorrelatedValue } from "../../../src/machinery/structural/ratchet.js";
import { compileValueValidation } from "../../../src/machinery/structural/validate-value.js";
import { array, embedded, integer, map, mapList, object, problemsOfX, set, text, unknownFields } from "./schemas.js";

type Row = readonly [title: string, x: JsonObject, value: JsonValue, ...problems: string[]];

const number: JsonObject = { type: "number" };
const boolean: JsonObject = { type: "boolean" };
const intOrString: JsonObject = { "x-kubernetes-int-or-string": true };
const X = "spec.x in body";
/** Of a problem of spec.x whose value is shown. */
const invalid = (shown: string, detail: string): string => `spec.x: Invalid value: ${shown}: ${X} ${detail}`;
const wrongType = (type: string, found: string): string => invalid(`"${found}"`, `must be of type ${type}: "${found}"`);
const unplaced = (detail: string): string => `<nil>: Invalid value: "": ${detail}`;

const types: readonly Row[] = [
  ["a string", text, "a"],
  ["an empty string", text, ""],
  ["a number for a string", text, 5, wrongType("string", "integer")],
  ["a float for a string", text, 1.5, wrongType("string", "number")],
  ["a boolean for a string", text, true, wrongType("string", "boolean")],
  ["an object for a string", text, {}, wrongType("string", "object")],
  ["a list for a string", text, [], wrongType("string", "array")],
  ["null for a string", text, null, wrongType("string", "null")],
  ["null where it is allowed", { ...text, nullable: true }, null],
  ["null for an untyped value", unknownFields, null],
  ["an integer", integer, 5],
  ["an int64 beyond what a float holds", integer, 9007199254740993n],
  [
    "an integer beyond int64",
    integer,
    9223372036854775808n,
    wrongType("integer", "number"),
    unplaced("Checked value must be of type integer (default format) in spec.x"),
  ],
  ["a string for an integer", integer, "5", wrongType("integer", "string")],
  [
    "a float for an integer",
    integer,
    1.5,
    wrongType("integer", "number"),
    unplaced("Checked value must be of type integer (default format) in spec.x"),
  ],
  ["null for an integer", integer, null, wrongType("integer", "null")],
  [
    "a boolean for an int32, which is named by its format",
    { ...integer, format: "int32" },
    true,
    invalid('""', 'must be of type int32: ""'),
  ],
  ["a string for an int32", { ...integer, format: "int32" }, "1", wrongType("integer", "string")],
  ["an int32", { ...integer, format: "int32" }, 2147483647],
  [
    "an int64 for an int32",
    { ...integer, format: "int32" },
    2147483648,
    unplaced("Checked value must be of type integer with format int32 in spec.x"),
  ],
  ["an int64", { ...integer, format: "int64" }, 9223372036854775807n],
  ["a number", number, 1.5],
  ["an integer for a number", number, 1],
  ["a string for a number", number, "1", wrongType("number", "string")],
  ["a float32", { ...number, format: "float" }, 1.5],
  [
    "a double for a float32",
    { ...number, format: "float" },
    1e300,
    unplaced("Checked value must be of type number with format float in spec.x"),
  ],
  ["a double", { ...number, format: "double" }, 1e300],
  ["a boolean", boolean, false],
  ["a string for a boolean", boolean, "false", wrongType("boolean", "string")],
  ["an object", object({}), {}],
  ["a string for an object", object({}), "a", wrongType("object", "string")],
  ["a list for an object", object({}), [], wrongType("object", "array")],
  ["a list", array(text), ["a"]],
  ["an object for a list", array(text), {}, wrongType("array", "object")],
  ["an int-or-string that is an integer", intOrString, 1],
  ["an int-or-string that is a string", intOrString, "50%"],
  ["a boolean for an int-or-string", intOrString, true, wrongType("integer,string", "boolean")],
  ["a float for an int-or-string", intOrString, 1.5, wrongType("integer,string", "number")],
  ["null for an int-or-string", intOrString, null, wrongType("integer,string", "null")],
  ["an untyped value of any form", unknownFields, { a: [1, "b", null] }],
];

const limits: readonly Row[] = [
  ["minimum", { ...integer, minimum: 1 }, 1],
  ["below minimum", { ...integer, minimum: 1 }, 0, invalid("0", "should be greater than or equal to 1")],
  [
    "at an exclusive minimum",
    { ...integer, minimum: 1, exclusiveMinimum: true },
    1,
    invalid("1", "should be greater than 1"),
  ],
  ["maximum", { ...integer, maximum: 9 }, 9],
  ["above maximum", { ...integer, maximum: 9 }, 10, invalid("10", "should be less than or equal to 9")],
  [
    "at an exclusive maximum",
    { ...integer, maximum: 9, exclusiveMaximum: true },
    9,
    invalid("9", "should be less than 9"),
  ],
  [
    "a large limit of integers",
    { ...integer, maximum: 1000000 },
    1000001,
    invalid("1000001", "should be less than or equal to 1000000"),
  ],
  [
    "a large limit of floats",
    { ...number, maximum: 1000000 },
    1000000.5,
    invalid("1.0000005e+06", "should be less than or equal to 1e+06"),
  ],
  [
    "a float below minimum",
    { ...number, minimum: 0.5 },
    0.25,
    invalid("0.25", "should be greater than or equal to 0.5"),
  ],
  ["an integer beside a limit with a fraction, of which the whole part counts", { ...number, minimum: 5.5 }, 5],
  [
    "an integer type with a limit that is none",
    { ...integer, minimum: 0.5 },
    1,
    unplaced("Minimum boundary value must be of type integer (default format) in spec.x"),
  ],
  ["a multiple", { ...integer, multipleOf: 5 }, 10],
  ["no multiple", { ...integer, multipleOf: 5 }, 7, invalid("7", "should be a multiple of 5")],
  ["a multiple of a fraction", { ...number, multipleOf: 0.1 }, 0.3],
  ["no multiple of a fraction", { ...number, multipleOf: 0.5 }, 0.75, invalid("0.75", "should be a multiple of 0.5")],
  [
    "an integer beside a factor whose whole part is 0",
    { ...number, multipleOf: 0.5 },
    3,
    "spec.x: Invalid value: 0: factor MultipleOf declared for spec.x must be positive: 0",
  ],
  ["three characters", { ...text, maxLength: 3 }, "äöü"],
  ["too many characters", { ...text, maxLength: 5 }, "abcdef", "spec.x: Too long: may not be more than 5 bytes"],
  ["one character", { ...text, maxLength: 1 }, "ab", "spec.x: Too long: may not be more than 1 byte"],
  ["characters beyond 16 bits count once", { ...text, maxLength: 2 }, "😀😀"],
  ["too few characters", { ...text, minLength: 3 }, "ab", invalid('"ab"', "should be at least 3 chars long")],
  [
    "too few characters beyond 16 bits",
    { ...text, minLength: 3 },
    "😀😀",
    invalid('"😀😀"', "should be at least 3 chars long"),
  ],
  ["a pattern", { ...text, pattern: "^[a-z]+$" }, "abc"],
  ["another pattern", { ...text, pattern: "^[a-z]+$" }, "A", invalid('"A"', "should match '^[a-z]+$'")],
  ["a pattern that is not anchored", { ...text, pattern: "b" }, "abc"],
  ["a pattern of Go's", { ...text, pattern: "^(?P<a>[[:alpha:]]+)\\z" }, "abc"],
  ["a pattern with a flag", { ...text, pattern: "(?i)^ABC$" }, "abc"],
  [
    "a length is judged before the pattern",
    { ...text, maxLength: 1, pattern: "^a$" },
    "bb",
    "spec.x: Too long: may not be more than 1 byte",
  ],
  ["items", array(text, { maxItems: 2 }), ["a", "b"]],
  ["too many items", array(text, { maxItems: 2 }), ["a", "b", "c"], "spec.x: Too many: 3: must have at most 2 items"],
  [
    "too many items where one is allowed",
    array(text, { maxItems: 1 }),
    ["a", "b"],
    "spec.x: Too many: 2: must have at most 1 item",
  ],
  ["too few items", array(text, { minItems: 2 }), ["a"], invalid("1", "should have at least 2 items")],
  ["repeated items", array(text, { uniqueItems: true }), ["a", "a"], invalid('""', "shouldn't contain duplicates")],
  [
    "too many properties",
    { ...map(text), maxProperties: 1 },
    { a: "1", b: "2" },
    "spec.x: Too many: 2: must have at most 1 item",
  ],
  ["too few properties", { ...map(text), minProperties: 1 }, {}, invalid("0", "should have at least 1 properties")],
];

const enums: readonly Row[] = [
  ["one of the values", { ...text, enum: ["a", "b"] }, "b"],
  [
    "none of the values",
    { ...text, enum: ["a", "b"] },
    "c",
    'spec.x: Unsupported value: "c": supported values: "a", "b"',
  ],
  ["an integer of the values", { ...integer, enum: [1, 2] }, 2],
  ["another integer", { ...integer, enum: [1, 2] }, 3, 'spec.x: Unsupported value: 3: supported values: "1", "2"'],
  ["a number that the conversion to an integer makes one of them", { ...number, enum: [1] }, 1.5],
  ["an object of the values", object({ a: text }, { enum: [{ a: "1" }] }), { a: "1" }],
  [
    "another object",
    object({ a: text }, { enum: [{ a: "1" }] }),
    { a: "2" },
    'spec.x: Unsupported value: {"a":"2"}: supported values: "{\\"a\\":\\"1\\"}"',
  ],
  [
    "a boolean of the values",
    { ...boolean, enum: [true] },
    false,
    'spec.x: Unsupported value: false: supported values: "true"',
  ],
  [
    "null, which an enum never allows",
    { ...text, nullable: true, enum: ["a"] },
    null,
    'spec.x: Unsupported value: null: supported values: "a"',
  ],
];

const objects: readonly Row[] = [
  ["required fields", object({ a: text }, { required: ["a"] }), { a: "1" }],
  ["a missing field", object({ a: text }, { required: ["a"] }), {}, "spec.x.a: Required value"],
  [
    "two missing fields",
    object({ a: text, b: text }, { required: ["a", "b"] }),
    {},
    "spec.x.a: Required value",
    "spec.x.b: Required value",
  ],
  [
    "a required field that is null",
    object({ a: text }, { required: ["a"] }),
    { a: null },
    'spec.x.a: Invalid value: "null": spec.x.a in body must be of type string: "null"',
  ],
  ["a field that is not specified", object({ a: text }), { b: 1 }],
  ["a map", map(integer), { a: 1 }],
  [
    "a value of a map",
    map(integer),
    { a: "1" },
    'spec.x.a: Invalid value: "string": spec.x.a in body must be of type integer: "string"',
  ],
  [
    "a key with a dot",
    map(integer),
    { "a.b/c": "1" },
    'spec.x.a.b/c: Invalid value: "string": spec.x.a.b/c in body must be of type integer: "string"',
  ],
  [
    "no other properties",
    { type: "object", additionalProperties: false },
    { a: 1 },
    'spec.x: Invalid value: "a": spec.x.a in body is a forbidden property',
  ],
  ["any other properties", map(true), { a: [1] }],
  [
    "an item",
    array(integer),
    [1, "2"],
    'spec.x[1]: Invalid value: "string": spec.x[1] in body must be of type integer: "string"',
  ],
  [
    "a field of an item",
    array(object({ a: integer })),
    [{ a: "1" }],
    'spec.x[0].a: Invalid value: "string": spec.x[0].a in body must be of type integer: "string"',
  ],
  [
    "a null item",
    array(text),
    [null],
    'spec.x[0]: Invalid value: "null": spec.x[0] in body must be of type string: "null"',
  ],
  [
    "an item of an item",
    array(array(integer)),
    [[1], ["2"]],
    'spec.x[1][0]: Invalid value: "string": spec.x[1][0] in body must be of type integer: "string"',
  ],
];

const either = { anyOf: [{ type: "integer" }, { type: "string" }] };
const aOrB = object({ a: text, b: text }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] });
const junctors: readonly Row[] = [
  ["anyOf", object({ a: text, b: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }), { a: "1", b: "2" }],
  [
    "none of anyOf, and why the first fails",
    object({ a: text, b: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    {},
    unplaced('"spec.x" must validate at least one schema (anyOf)'),
    "spec.x.a: Required value",
  ],
  [
    "none of anyOf, and why the one fails that fits best",
    object(
      { a: text, b: object({ c: text }) },
      {
        anyOf: [
          { properties: { a: { minLength: 1 } }, required: ["z"] },
          { properties: { a: { minLength: 1 }, b: { required: ["c"] } } },
        ],
      },
    ),
    { a: "1", b: {} },
    unplaced('"spec.x" must validate at least one schema (anyOf)'),
    "spec.x.b.c: Required value",
  ],
  ["oneOf", aOrB, { a: "1" }],
  [
    "none of oneOf",
    aOrB,
    {},
    unplaced('"spec.x" must validate one and only one schema (oneOf). Found none valid'),
    "spec.x.a: Required value",
  ],
  [
    "two of oneOf",
    aOrB,
    { a: "1", b: "2" },
    unplaced('"spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives'),
  ],
  ["allOf", { ...integer, allOf: [{ minimum: 1 }, { maximum: 5 }] }, 3],
  [
    "one of allOf",
    { ...integer, allOf: [{ minimum: 1 }, { maximum: 5 }] },
    6,
    invalid("6", "should be less than or equal to 5"),
    unplaced('"spec.x" must validate all the schemas (allOf)'),
  ],
  [
    "none of allOf",
    { ...integer, allOf: [{ minimum: 9 }, { maximum: 5 }] },
    7,
    invalid("7", "should be greater than or equal to 9"),
    invalid("7", "should be less than or equal to 5"),
    unplaced('"spec.x" must validate all the schemas (allOf). None validated'),
  ],
  ["not", { ...text, not: { enum: ["a"] } }, "b"],
  ["what not forbids", { ...text, not: { enum: ["a"] } }, "a", unplaced('"spec.x" must not validate the schema (not)')],
  ["an int-or-string that says so", { ...intOrString, ...either }, 1],
  [
    "a boolean for an int-or-string that says so",
    { ...intOrString, ...either },
    true,
    wrongType("integer,string", "boolean"),
    unplaced('"spec.x" must validate at least one schema (anyOf)'),
    wrongType("integer", "boolean"),
  ],
  [
    "a pattern of an int-or-string",
    { ...intOrString, ...either, pattern: "^[0-9]+%$" },
    "5",
    invalid('"5"', "should match '^[0-9]+%$'"),
  ],
  ["a pattern of an int-or-string that is an integer", { ...intOrString, ...either, pattern: "^[0-9]+%$" }, 5],
  [
    "one problem is told once",
    { ...integer, minimum: 1, allOf: [{ minimum: 1 }] },
    0,
    invalid("0", "should be greater than or equal to 1"),
    unplaced('"spec.x" must validate all the schemas (allOf). None validated'),
  ],
  [
    "a junctor within a junctor",
    { ...text, anyOf: [{ allOf: [{ pattern: "^a" }, { pattern: "b$" }] }, { enum: ["x"] }] },
    "ab",
  ],
];

const lists: readonly Row[] = [
  ["a set", set(text), ["a", "b"]],
  ["a repeated item of a set", set(text), ["a", "b", "a"], 'spec.x[2]: Duplicate value: "a"'],
  ["an item that a set has three times is named once", set(text), ["a", "a", "a"], 'spec.x[1]: Duplicate value: "a"'],
  ["a set of integers", set(integer), [1, 2, 1], "spec.x[2]: Duplicate value: 1"],
  [
    "a set of atomic objects",
    set(object({ a: text, b: text }, { "x-kubernetes-map-type": "atomic" })),
    [
      { a: "1", b: "2" },
      { b: "2", a: "1" },
    ],
    'spec.x[1]: Duplicate value: {"a":"1","b":"2"}',
  ],
  ["a list of type map", mapList(["name"], object({ name: text })), [{ name: "a" }, { name: "b" }]],
  [
    "a repeated key",
    mapList(["name"], object({ name: text })),
    [{ name: "a" }, { name: "a" }],
    'spec.x[1]: Duplicate value: {"name":"a"}',
  ],
  ["two items without a key", mapList(["name"], object({ name: text })), [{}, {}], "spec.x[1]: Duplicate value: {}"],
  [
    "two keys",
    mapList(["port", "name"], object({ name: text, port: integer })),
    [
      { name: "a", port: 1 },
      { name: "a", port: 2 },
    ],
  ],
  [
    "two repeated keys",
    mapList(["port", "name"], object({ name: text, port: integer })),
    [
      { name: "a", port: 1 },
      { name: "a", port: 1 },
    ],
    'spec.x[1]: Duplicate value: {"name":"a","port":1}',
  ],
  [
    "an item of a list of type map that is no object",
    mapList(["name"], object({ name: text })),
    ["a"],
    'spec.x[0]: Invalid value: "string": spec.x[0] in body must be of type object: "string"',
    'spec.x[0]: Invalid value: "a": must be an object for an array of list-type map',
  ],
  ["a set in a map", map(set(text)), { a: ["b", "b"] }, 'spec.x[a][1]: Duplicate value: "b"'],
];

const resource = { apiVersion: "v1", kind: "Pod" };
const resources: readonly Row[] = [
  ["an embedded resource", embedded(), { ...resource, metadata: { name: "a" }, spec: {} }],
  ["without metadata", embedded(), resource],
  ["without kind and version", embedded(), {}, "spec.x.apiVersion: Required value", "spec.x.kind: Required value"],
  [
    "an empty apiVersion",
    embedded(),
    { ...resource, apiVersion: "" },
    'spec.x.apiVersion: Invalid value: "": must not be empty',
  ],
  [
    "an apiVersion of three parts",
    embedded(),
    { ...resource, apiVersion: "a/b/c" },
    'spec.x.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ],
  ["a kind that is no string", embedded(), { ...resource, kind: 5 }, "spec.x.kind: Invalid value: 5: must be a string"],
  ["an empty kind", embedded(), { ...resource, kind: "" }, 'spec.x.kind: Invalid value: "": must not be empty'],
  [
    "a kind that is no name",
    embedded(),
    { ...resource, kind: "a.b" },
    "spec.x.kind: Invalid value: \"a.b\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  ],
  [
    "a name with a slash",
    embedded(),
    { ...resource, metadata: { name: "a/b" } },
    "spec.x.metadata.name: Invalid value: \"a/b\": may not contain '/'",
  ],
  [
    "in a list",
    array(embedded()),
    [resource, {}],
    "spec.x[1].apiVersion: Required value",
    "spec.x[1].kind: Required value",
  ],
  ["in a map", map(embedded()), { a: { kind: "Pod" } }, "spec.x[a].apiVersion: Required value"],
];

describe("validating a custom object's value by its schema", () => {
  describe.each([
    ["types, as kube-openapi's typeValidator and numberValidator", types],
    ["limits, as kube-openapi's numberValidator, stringValidator, schemaSliceValidator and objectValidator", limits],
    ["enums, as kube-openapi's basicCommonValidator", enums],
    ["objects and lists, as kube-openapi's objectValidator and schemaSliceValidator", objects],
    ["anyOf, oneOf, allOf and not, as kube-openapi's schemaPropsValidator", junctors],
    ["lists of type set and map, as apiextensions' ValidateListSetsAndMaps", lists],
    ["embedded resources, as apiextensions' objectmeta.Validate", resources],
  ])("%s", (_, rows) => {
    test.each(rows)("%s", (_title, x, value, ...problems) => {
      expect(problemsOfX(x as JsonObject, value)).toEqual(problems);
    });
  });

  test("names a missing field of the root without a dot", () => {
    const validate = compileValueValidation(structuralSchemaOf(object({ spec: object({}) }, { required: ["spec"] })));
    expect(validate({}, undefined).map(formatFieldError)).toEqual(["spec: Required value"]);
  });

  test("puts the path of a status before the field", () => {
    const status = object({ replicas: integer, ip: { ...text, format: "ipv4" } }, { required: ["phase"] });
    const schema = structuralSchemaOf(object({ status, spec: object({}, { required: ["size"] }) }));
    const validate = compileValueValidation(schema);
    const problems = (written: JsonObject, old: JsonObject = {}) =>
      validate.status(written, old, new CorrelatedValue(written, old, schema)).map(formatFieldError);
    expect(problems({ spec: {}, status: { replicas: "1", ip: "xyz" } })).toEqual([
      'status.replicas: Invalid value: "string": replicas in body must be of type integer: "string"',
      'status.ip: Invalid value: "xyz": ip in body must be of type ipv4: "xyz"',
      "status.phase: Required value",
    ]);
    expect(problems({ status: "a" })).toEqual([
      'status: Invalid value: "string":  in body must be of type object: "string"',
    ]);
    expect(problems({ status: { ip: "xyz", phase: "new" } }, { status: { ip: "xyz", phase: "old" } })).toEqual([]);
    expect(problems({ spec: {} })).toEqual([]);
  });

  test("validates a schema 40 levels deep with alternatives at each level once for each level", () => {
    let schema: JsonObject = { ...text, maxLength: 1 };
    let value: JsonValue = "ab";
    for (let level = 0; level < 40; level++) {
      schema = object({ a: schema }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] });
      value = { a: value };
    }
    expect(problemsOfX(schema, value)).toEqual([`spec.x${".a".repeat(40)}: Too long: may not be more than 1 byte`]);
  });

  test("matches patterns in time linear in the text, also those that backtrack in other engines", () => {
    expect(problemsOfX({ ...text, pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`)).toHaveLength(1);
  });

  test("has the same errors when it was compiled in time slices", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`a${index}`, { ...text, pattern: `^${index}$`, default: "x" }]),
    );
    const validate = compileValueValidation(structuralSchemaOf(object(properties)));
    let steps = 0;
    for (const _ of validate.prepareSteps()) steps += 1;
    expect(steps).toBeGreaterThan(1000);
    expect(validate({ a1: "1", a2: "1" }, undefined).map(formatFieldError)).toEqual([
      "a2: Invalid value: \"1\": a2 in body should match '^2$'",
    ]);
  });

  test("returns at most a thousand errors", () => {
    expect(
      problemsOfX(
        array(integer),
        Array.from({ length: 5000 }, () => "a"),
      ),
    ).toHaveLength(1000);
  });
});
