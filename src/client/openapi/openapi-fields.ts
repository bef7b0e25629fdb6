import { own } from "../../base/collections/own.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";

/**
 * The field names of a published schema at a path of field names. List items and map values have no name: `containers`,
 * `image` goes through the list, and below a map any name leads to its values. Empty when the path does not exist.
 */
export function fieldNamesAt(schema: JsonObject, schemas: JsonObject, path: readonly string[]): readonly string[] {
  let current: JsonObject | undefined = schema;
  for (const name of path) {
    const { properties, additional } = partsOf(current, schemas);
    current = asObject(own(properties, name)) ?? additional;
    if (current === undefined) return [];
  }
  return Object.keys(partsOf(current, schemas).properties);
}

interface Parts {
  readonly properties: JsonObject;
  /** The schema of a map's values. */
  readonly additional: JsonObject | undefined;
}

/** Resolves references, lists, and the wrapper schemas that carry a default beside a reference. */
function partsOf(schema: JsonObject | undefined, schemas: JsonObject): Parts {
  let current = schema;
  for (let steps = 0; current !== undefined && steps < 20; steps += 1) {
    const properties = asObject(current["properties"]);
    const additional = asObject(current["additionalProperties"]);
    if (properties !== undefined || additional !== undefined) return { properties: properties ?? {}, additional };
    current = next(current, schemas);
  }
  return { properties: {}, additional: undefined };
}

function next(schema: JsonObject, schemas: JsonObject): JsonObject | undefined {
  const reference = schema["$ref"];
  if (typeof reference === "string") return asObject(own(schemas, reference.split("/").at(-1) ?? ""));
  const { allOf } = schema;
  return (Array.isArray(allOf) ? asObject(allOf[0]) : undefined) ?? asObject(schema["items"]);
}

const asObject = (value: JsonValue | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined);
