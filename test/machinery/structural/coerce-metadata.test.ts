import { describe, expect, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import type { StructSchema } from "../../../src/machinery/schema/schema.js";
import { coerceMetadata } from "../../../src/machinery/structural/coerce-metadata.js";
import { array, embedded, map, withX } from "./schemas.js";

const objectMeta = schemaFor({ group: "", version: "v1", kind: "ConfigMap" })?.byName.get("metadata")
  ?.schema as StructSchema;

const UNREADABLE = "json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string";

describe("decoding metadata of embedded resources in a custom object, as apiextensions' objectmeta.CoerceWithOptions", () => {
  test.each<[string, JsonObject, JsonValue, JsonValue, string[]]>([
    ["good metadata stays", embedded(), { metadata: { name: "a" } }, { metadata: { name: "a" } }, []],
    [
      "fields that there are not go",
      embedded(),
      { metadata: { name: "a", foo: 1 } },
      { metadata: { name: "a" } },
      ["spec.x.metadata.foo"],
    ],
    ["no time of creation goes", embedded(), { metadata: { creationTimestamp: null } }, { metadata: {} }, []],
    ["null is empty metadata", embedded(), { metadata: null }, { metadata: {} }, []],
    ["in a list", array(embedded()), [{ metadata: { foo: 1 } }], [{ metadata: {} }], ["spec.x[0].metadata.foo"]],
    [
      "in a map, whose keys stand in brackets",
      map(embedded()),
      { a: { metadata: { foo: 1 } } },
      { a: { metadata: {} } },
      ["spec.x[a].metadata.foo"],
    ],
    ["what is no resource is left alone", map(map(true)), { metadata: { foo: 1 } }, { metadata: { foo: 1 } }, []],
  ])("%s", (_, x, value, expected, unknown) => {
    const object: JsonObject = { spec: { x: structuredClone(value) } };
    expect(coerceMetadata(object, withX(x), { objectMeta, dropInvalid: false })).toEqual({ unknown });
    expect(object).toEqual({ spec: { x: expected } });
  });

  test.each<[string, JsonObject, string, JsonObject]>([
    [
      "labels that are none",
      { metadata: { name: "a", labels: "b" } },
      `spec.x.metadata: Invalid value: {"labels":"b","name":"a"}: ${UNREADABLE}`,
      { metadata: { name: "a" } },
    ],
    [
      "a kind that is no string",
      { kind: 5, metadata: {} },
      "spec.x.kind: Invalid value: 5: must be a string",
      { metadata: {} },
    ],
    [
      "an apiVersion that is null",
      { apiVersion: null },
      "spec.x.apiVersion: Invalid value: null: must be a string",
      {},
    ],
    [
      "metadata that is text",
      { metadata: "a" },
      'spec.x.metadata: Invalid value: "a": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
      { metadata: "a" },
    ],
  ])("reports %s, or drops it from a stored object", (_, resource, message, left) => {
    const schema = withX(embedded());
    const refused = coerceMetadata({ spec: { x: { ...resource } } }, schema, { objectMeta, dropInvalid: false });
    expect(refused.error && formatFieldError(refused.error)).toBe(message);
    const stored: JsonObject = { spec: { x: { ...resource } } };
    expect(coerceMetadata(stored, schema, { objectMeta, dropInvalid: true })).toEqual({ unknown: [] });
    expect(stored).toEqual({ spec: { x: left } });
  });
});
