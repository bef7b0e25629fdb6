import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { publishedSchema } from "../../../src/machinery/structural/publish.js";
import { array, embedded, integer, map, object, text, unknownFields, withX } from "./schemas.js";

const meta: JsonObject = { apiVersion: text, kind: text, metadata: { $ref: "ObjectMeta" } };
const EITHER = [{ type: "integer" }, { type: "string" }];

const published = (x: JsonObject, isV3: boolean): unknown => {
  const schema = publishedSchema(withX(x), { isV3, meta });
  return ((schema.properties as JsonObject).spec as { properties: { x: unknown } }).properties.x;
};

describe("a custom resource's schema in OpenAPI v3, as apiextensions' BuildOpenAPIV3", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "a schema as it is",
      { ...text, description: "d", pattern: "a", nullable: true, default: "a", not: { enum: ["b"] } },
      { ...text, description: "d", pattern: "a", nullable: true, default: "a", not: { enum: ["b"] } },
    ],
    [
      "an int-or-string spelled out",
      { "x-kubernetes-int-or-string": true },
      { "x-kubernetes-int-or-string": true, anyOf: EITHER },
    ],
    [
      "an int-or-string that is spelled out already",
      { "x-kubernetes-int-or-string": true, anyOf: EITHER },
      { "x-kubernetes-int-or-string": true, anyOf: EITHER },
    ],
    [
      "an int-or-string with alternatives of its own",
      { "x-kubernetes-int-or-string": true, anyOf: [{ minimum: 1 }] },
      { "x-kubernetes-int-or-string": true, anyOf: [{ minimum: 1 }], allOf: [{ anyOf: EITHER }] },
    ],
    [
      "an embedded resource with its fields",
      embedded({ spec: text }),
      { ...embedded({ spec: text, ...meta }), required: ["kind", "apiVersion"] },
    ],
    [
      "an embedded resource in a list",
      array(embedded()),
      array({ ...embedded(meta), required: ["kind", "apiVersion"] }),
    ],
  ])("%s", (_, x, expected) => {
    expect(published(x, true)).toEqual(expected);
  });

  test("shares what it does not change with the definition", () => {
    const schema = withX(object({ a: text }));
    expect(publishedSchema(schema, { isV3: true, meta })).toBe(schema.source);
  });
});

describe("a custom resource's schema in OpenAPI v2, as apiextensions' ToStructuralOpenAPIV2", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["alternatives are left out", { ...text, anyOf: [{ minLength: 1 }], oneOf: [{}], allOf: [{}], not: {} }, text],
    ["a nullable value has no type", object({ a: text }, { nullable: true, description: "d" }), { description: "d" }],
    [
      "a property that may be null is not required",
      object({ a: { ...text, nullable: true }, b: text }, { required: ["a", "b"] }),
      object({ a: {}, b: text }, { required: ["b"] }),
    ],
    ["a map whose values may be null", { ...map({ ...text, nullable: true }), required: ["a"] }, map({})],
    [
      "an object that preserves unknown fields has neither type nor properties",
      object({ a: text }, unknownFields),
      unknownFields,
    ],
    ["a list that preserves unknown fields has neither type nor items", array(integer, unknownFields), unknownFields],
    [
      "an embedded resource that preserves unknown fields",
      embedded({ spec: text }),
      { "x-kubernetes-embedded-resource": true, ...unknownFields },
    ],
    ["an int-or-string", { "x-kubernetes-int-or-string": true }, { "x-kubernetes-int-or-string": true }],
  ])("%s", (_, x, expected) => {
    expect(published(x, false)).toEqual(expected);
  });
});
