import { formatG } from "../../machinery/text/go/format-g.js";
import { isJsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";
import { decodeStruct, fieldNamed, type Shape } from "../go-struct.js";

/**
 * Reads YAML into a Go type as sigs.k8s.io/yaml does: unknown fields are passed over, and a number or a boolean becomes text
 * where text belongs. `T` is what the shape describes, every member optional. Throws in that library's words.
 */
export function decodeYaml<T>(source: string, shape: Shape): T {
  const value = withTexts(parseYaml(source), shape);
  try {
    return decodeStruct(value, shape, false) as T;
  } catch (error) {
    throw new Error(`error unmarshaling JSON: while decoding JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** The library does not look into embedded structs. */
function withTexts(value: JsonValue, shape: Shape): JsonValue {
  if (shape.kind === "string") return scalarText(value) ?? value;
  if (shape.kind === "list" && Array.isArray(value)) return value.map((item) => withTexts(item, shape.of));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value);
  if (shape.kind === "map") return Object.fromEntries(members.map(([name, held]) => [name, withTexts(held, shape.of)]));
  if (shape.kind !== "struct") return value;
  return Object.fromEntries(
    members.map(([name, held]) => {
      const known = fieldNamed(shape.fields, name);
      const field = known === undefined ? undefined : shape.fields[known];
      return [name, field === undefined || "within" in field ? held : withTexts(held, field)];
    }),
  );
}

function scalarText(value: JsonValue): string | undefined {
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : formatG(value);
  return undefined;
}
