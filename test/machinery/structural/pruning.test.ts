import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { prune } from "../../../src/machinery/structural/pruning.js";
import { structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { array, embedded, map, object, text, unknownFields } from "./schemas.js";

type Row = readonly [title: string, schema: JsonObject, value: JsonValue, left: JsonValue, ...removed: string[]];

const open = (properties: JsonObject, rest: JsonObject = {}): JsonObject =>
  object(properties, { ...unknownFields, ...rest });
const untyped: JsonObject = { ...unknownFields };

const values: readonly Row[] = [
  ["a field that is specified stays", object({ a: text }), { a: "1" }, { a: "1" }],
  ["a field that is not specified goes", object({ a: text }), { a: "1", b: "2" }, { a: "1" }, "b"],
  ["values of a wrong type stay", object({ a: text }), { a: 5 }, { a: 5 }],
  ["fields of a value of a wrong type go", object({ a: text }), { a: { b: 1 } }, { a: {} }, "a.b"],
  ["null stays", object({ a: text }), { a: null }, { a: null }],
  ["a field inside an object", object({ a: object({ b: text }) }), { a: { b: "1", c: "2" } }, { a: { b: "1" } }, "a.c"],
  ["paths are sorted", object({}), { b: 1, a: 1, c: 1 }, {}, "a", "b", "c"],
  ["an object without properties loses all", object({ a: object({}) }), { a: { b: 1 } }, { a: {} }, "a.b"],
  ["a type alone specifies nothing", { type: "object" }, { a: 1 }, {}, "a"],
  [
    "items of a list",
    object({ a: array(object({ b: text })) }),
    { a: [{ b: "1", c: 2 }, { d: 3 }] },
    { a: [{ b: "1" }, {}] },
    "a[0].c",
    "a[1].d",
  ],
  [
    "items of lists in lists",
    object({ a: array(array(object({ b: text }))) }),
    { a: [[{ c: 2 }]] },
    { a: [[{}]] },
    "a[0][0].c",
  ],
  [
    "items that nothing specifies lose their fields",
    object({ a: { type: "array" } }),
    { a: [1, { b: 1 }, [{ c: 1 }]] },
    { a: [1, {}, [{}]] },
    "a[1].b",
    "a[2][0].c",
  ],
  ["a list where an object is specified", object({ a: object({ b: text }) }), { a: [{ b: 1 }] }, { a: [{}] }, "a[0].b"],
  ["an object where a list is specified", object({ a: array(text) }), { a: { b: 1 } }, { a: {} }, "a.b"],
  [
    "values of a map",
    object({ a: map(object({ b: text })) }),
    { a: { x: { b: "1", c: 2 } } },
    { a: { x: { b: "1" } } },
    "a.x.c",
  ],
  [
    "a map of anything keeps its keys, and no fields below",
    object({ a: map(true) }),
    { a: { x: 1, y: { z: 1 } } },
    { a: { x: 1, y: {} } },
    "a.y.z",
  ],
  [
    "properties beside additionalProperties",
    object({ a: object({ b: object({}) }, { additionalProperties: true }) }),
    { a: { b: { c: 1 }, d: 1 } },
    { a: { b: {}, d: 1 } },
    "a.b.c",
  ],
  [
    "a key with a dot is no path",
    object({ a: map(object({})) }),
    { a: { "x.y": { c: 1 } } },
    { a: { "x.y": {} } },
    "a.x.y.c",
  ],
  [
    "__proto__ is a field like any other",
    object({}),
    JSON.parse('{"__proto__": {"a": 1}}') as JsonValue,
    {},
    "__proto__",
  ],
  ["constructor is not specified", object({ a: text }), { constructor: 1 }, {}, "constructor"],
];

const kept: readonly Row[] = [
  ["unknown fields", open({}), { a: { b: [1, { c: 1 }] } }, { a: { b: [1, { c: 1 }] } }],
  ["an untyped value", object({ a: untyped }), { a: { b: { c: 1 } } }, { a: { b: { c: 1 } } }],
  ["beside properties that are specified", open({ a: text }), { a: "1", b: 2 }, { a: "1", b: 2 }],
  [
    "but not below properties that are specified",
    open({ a: object({ b: text }) }),
    { a: { b: "1", c: 2 }, d: 3 },
    { a: { b: "1" }, d: 3 },
    "a.c",
  ],
  [
    "and again below one that says so",
    open({ a: object({ b: untyped }) }),
    { a: { b: { c: 1 }, d: 1 } },
    { a: { b: { c: 1 } } },
    "a.d",
  ],
  [
    "but not below additionalProperties",
    open({}, { additionalProperties: object({ a: text }) }),
    { x: { a: "1", b: 2 } },
    { x: { a: "1" } },
    "x.b",
  ],
  ["of items", array(object({ a: text }), unknownFields), [{ a: "1", b: 2 }], [{ a: "1", b: 2 }]],
  [
    "of items, but not below their properties",
    array(object({ a: object({}) }), unknownFields),
    [{ a: { c: 1 }, b: 2 }],
    [{ a: {}, b: 2 }],
    "[0].a.c",
  ],
  [
    "of items of items",
    array(array(object({ a: object({}) })), unknownFields),
    [[{ a: { c: 1 }, b: 2 }]],
    [[{ a: {}, b: 2 }]],
    "[0][0].a.c",
  ],
  ["of items that nothing specifies", { type: "array", ...unknownFields }, [{ a: { b: 1 } }], [{ a: { b: 1 } }]],
];

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", foo: 1 } };
const resources: readonly Row[] = [
  [
    "keeps apiVersion, kind and all metadata",
    object({ a: object({}, { "x-kubernetes-embedded-resource": true }) }),
    { a: { ...pod } },
    { a: pod },
  ],
  [
    "loses other fields",
    object({ a: object({ spec: object({}) }, { "x-kubernetes-embedded-resource": true }) }),
    { a: { ...pod, spec: { b: 1 }, c: 2 } },
    { a: { ...pod, spec: {} } },
    "a.c",
    "a.spec.b",
  ],
  [
    "keeps other fields where they are preserved",
    object({ a: embedded() }),
    { a: { ...pod, b: { c: 1 } } },
    { a: { ...pod, b: { c: 1 } } },
  ],
  ["in a list of preserved fields", array(embedded(), unknownFields), [{ ...pod, b: 1 }], [{ ...pod, b: 1 }]],
  [
    "in a map",
    map(object({ a: text }, { "x-kubernetes-embedded-resource": true })),
    { x: { ...pod, b: 1 } },
    { x: pod },
    "x.b",
  ],
];

const roots: readonly Row[] = [
  ["keeps apiVersion, kind and metadata", object({}), { ...pod, spec: 1 }, pod, "spec"],
  ["keeps metadata whose schema says less", object({ metadata: object({ name: text }) }), { ...pod }, pod],
  [
    "keeps unknown fields at the root",
    open({ spec: object({}) }),
    { ...pod, a: 1, spec: { b: 1 } },
    { ...pod, a: 1, spec: {} },
    "spec.b",
  ],
  [
    "of a status",
    object({ status: object({ phase: text }) }),
    { ...pod, status: { phase: "a", other: 1 } },
    { ...pod, status: { phase: "a" } },
    "status.other",
  ],
];

describe("pruning a custom object by its schema, as apiextensions' pruning.PruneWithOptions", () => {
  describe.each([
    ["removes what is not specified", values, false],
    ["keeps below x-kubernetes-preserve-unknown-fields", kept, false],
    ["an embedded resource", resources, false],
    ["the root of a resource", roots, true],
  ] as const)("%s", (_, rows, isResourceRoot) => {
    test.each(rows)("%s", (_title, schema, value, left, ...removed) => {
      const object = structuredClone(value) as JsonValue;
      expect(prune(object, structuralSchemaOf(schema as JsonObject), { isResourceRoot })).toEqual(removed);
      expect(object).toEqual(left);
    });
  });

  test("removes apiVersion, kind and metadata of a value that is no resource without reporting them", () => {
    const value: JsonObject = { ...pod, a: { kind: "b" } };
    expect(prune(value, structuralSchemaOf(object({ a: object({}) })), { isResourceRoot: false })).toEqual(["a.kind"]);
    expect(value).toEqual({ a: {} });
  });
});
