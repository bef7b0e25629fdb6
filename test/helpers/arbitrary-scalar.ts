import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/machinery/meta/json.js";
import type { ScalarSchema } from "../../src/machinery/schema/schema.js";

/** A DNS label out of a few, so that two objects often have the same. */
export const arbitraryName: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "d", "web", "side-car");

export const arbitraryMapKey: fc.Arbitrary<string> = fc.constantFrom(
  "a",
  "b",
  "app",
  "tier",
  "example.com/a",
  "example.com/~b",
);

const texts = ["", "a", "b", "web", "two words", 'quote"d', "Straße", "1", "true", "/a/b~1"];
const quantities = ["1", "100m", "1500m", "2k", "512Mi", "1Gi", "3Ei"];
const durations = ["5s", "1m30s", "2h0m0s", "1.5s"];

/** Values of a scalar type in their canonical form; never null. `nonZero`: never Go's zero value either. */
export function arbitraryScalar(schema: ScalarSchema, nonZero: boolean): fc.Arbitrary<JsonValue> {
  const from = nonZero ? 1 : 0;
  switch (schema.scalar) {
    case "string":
      return fc.constantFrom(...(schema.enum ?? texts).filter((text) => !nonZero || text !== ""));
    case "bool":
      return nonZero ? fc.constant(true) : fc.boolean();
    case "int32":
      return fc.oneof(fc.integer({ min: from, max: 9 }), fc.constantFrom(-1, 65_535, 2 ** 31 - 1));
    case "int64":
      return fc.oneof(fc.integer({ min: from, max: 9 }), fc.constantFrom(-1, 2 ** 31, Number.MAX_SAFE_INTEGER));
    case "float64":
      return fc.integer({ min: from, max: 9 }).map((quarters) => quarters / 4);
    case "bytes":
      return fc.uint8Array({ minLength: from, maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    case "time":
      return seconds.map((text) => `${text}Z`);
    case "microTime":
      return fc.tuple(seconds, fc.nat(999_999)).map(([text, micros]) => `${text}.${String(micros).padStart(6, "0")}Z`);
    case "duration":
      return fc.constantFrom(...(nonZero ? durations : ["0s", ...durations]));
    case "quantity":
      return fc.constantFrom(...(nonZero ? quantities : ["0", ...quantities]));
    case "intOrString":
      return fc.oneof(fc.integer({ min: from, max: 9 }), fc.constantFrom("25%", "http"));
    case "any":
      return freeForm(schema.definition);
  }
}

/** Times of one day to the second, without a zone. */
const seconds = fc
  .integer({ min: 0, max: 86_399 })
  .map((second) => new Date(Date.UTC(2024, 1, 29) + second * 1000).toISOString().slice(0, 19));

const someSchema = fc.constantFrom<JsonObject>({ type: "string" }, { type: "integer", minimum: 1 });

/** JSON that a type with a decoder of its own takes, by the type's full name. */
function freeForm(definition = ""): fc.Arbitrary<JsonValue> {
  switch (definition.slice(definition.lastIndexOf(".") + 1)) {
    case "RawExtension":
      return arbitraryName.map((name) => ({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name } }));
    case "FieldsV1":
      return arbitraryName.map((name) => ({ "f:metadata": { "f:labels": { ".": {}, [`f:${name}`]: {} } } }));
    case "JSONSchemaPropsOrArray":
      return someSchema;
    case "JSONSchemaPropsOrBool":
      return fc.oneof(fc.boolean(), someSchema);
    case "JSONSchemaPropsOrStringArray":
      return fc.oneof(
        someSchema,
        arbitraryName.map((name) => [name]),
      );
    default:
      return fc.oneof(
        fc.integer({ min: 1, max: 9 }),
        arbitraryName,
        arbitraryName.map((name) => ({ [name]: [1, "two", true] })),
      );
  }
}
