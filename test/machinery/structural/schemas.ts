import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { type StructuralSchema, structuralSchemaOf } from "../../../src/machinery/structural/structural-schema.js";
import { compileValueValidation } from "../../../src/machinery/structural/validate-value.js";

export const text: JsonObject = { type: "string" };
export const integer: JsonObject = { type: "integer" };
export const unknownFields: JsonObject = { "x-kubernetes-preserve-unknown-fields": true };

export const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...rest,
});
export const array = (items: JsonValue, rest: JsonObject = {}): JsonObject => ({ type: "array", items, ...rest });
export const map = (values: JsonValue): JsonObject => ({ type: "object", additionalProperties: values });
export const mapList = (keys: readonly string[], items: JsonObject): JsonObject =>
  array(items, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [...keys] });
export const set = (items: JsonObject): JsonObject => array(items, { "x-kubernetes-list-type": "set" });
export const embedded = (properties: JsonObject = {}): JsonObject =>
  object(properties, { "x-kubernetes-embedded-resource": true, ...unknownFields });

/** A kind whose spec has the field x. */
export const withX = (x: JsonObject): StructuralSchema => structuralSchemaOf(object({ spec: object({ x }) }));

/** What is wrong with a value of spec.x; `old` is what an update changes. */
export function problemsOfX(x: JsonObject, value: JsonValue, old?: JsonValue): string[] {
  const validate = compileValueValidation(withX(x));
  return validate({ spec: { x: value } }, old === undefined ? undefined : { spec: { x: old } }).map(formatFieldError);
}
