import type { FieldsOf } from "../../machinery/meta/received.js";
import type { JSONSchemaProps } from "../../api/types/apiextensions/v1.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import type { KindRule } from "./declaration.js";

const RULES = "x-kubernetes-validations";

/**
 * The openAPIV3Schema with rules at their places, behind those that are there. Throws a TypeError that begins with `at` for a rule whose
 * place the schema does not have.
 */
export function withRules(openApi: JsonObject, rules: readonly KindRule[], at: string): JsonObject {
  let schema = openApi;
  for (const { at: place = "", ...rule } of rules)
    schema = placed(schema, stepsOf(place), { ...rule }, `${at}: ${place}`);
  return schema;
}

/** "spec.ports[*].name" as ["spec", "ports", "[*]", "name"]. */
const stepsOf = (place: string): readonly string[] =>
  place
    .replaceAll("[*]", ".[*]")
    .split(".")
    .filter((step) => step !== "");

function placed(schema: JsonObject, [step, ...rest]: readonly string[], rule: JsonObject, at: string): JsonObject {
  if (step === undefined) {
    const before = (schema[RULES] ?? []) as readonly JsonValue[];
    return { ...schema, [RULES]: [...before, rule] };
  }
  const inside = (name: string, inner: JsonValue | undefined): JsonObject => {
    if (typeof inner !== "object" || inner === null)
      throw new TypeError(`${at}: the schema has no such field for a rule`);
    return { ...schema, [name]: placed(inner as JsonObject, rest, rule, at) };
  };
  const keywords: { readonly [Field in keyof JSONSchemaProps]?: JsonValue } = schema;
  if (step === "[*]")
    return inside(
      keywords.items === undefined ? "additionalProperties" : "items",
      keywords.items ?? keywords.additionalProperties,
    );
  const properties = (keywords.properties ?? {}) as JsonObject;
  const property = Object.hasOwn(properties, step) ? properties[step] : undefined;
  if (property === undefined) throw new TypeError(`${at}: the schema has no such field for a rule`);
  return {
    ...schema,
    properties: { ...properties, [step]: placed(property as JsonObject, rest, rule, at) },
  } satisfies FieldsOf<JSONSchemaProps>;
}
