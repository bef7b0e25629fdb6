import { formatG } from "../../machinery/text/go/format-g.js";
import { goV } from "../../machinery/text/go/go-values.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { heldBy, isStated, partsOf, type SchemaDocument, textOf } from "./schema-document.js";
import { indent, wordWrap } from "./word-wrap.js";

/** A short word for the type of a value: "string", "Object", "[]Container", "map[string]Quantity". */
export function typeName(schema: JsonObject, document: SchemaDocument): string {
  if (!isStated(schema)) throw new Error("expected schema argument to subtemplate 'typeguess'");
  const { items, additionalProperties: values } = schema;
  if (isStated(items)) return `[]${typeName(items, document)}`;
  if (isStated(values)) return `map[string]${typeName(values, document)}`;
  const [part, ...others] = partsOf(schema);
  if (part !== undefined && others.length === 0 && !isStated(schema["properties"])) return typeName(part, document);
  const reference = textOf(schema["$ref"]);
  if (reference === undefined) return simpleType(schema["type"]);
  const type = textOf(document.target(reference)?.["type"]);
  if (type !== undefined && type !== "object") return type;
  return reference.split("/").at(-1)?.split(".").at(-1) || "Object";
}

function simpleType(type: JsonValue | undefined): string {
  return type === "object" ? "Object" : (textOf(type) ?? "Object");
}

/** Returns the descriptions of a schema, of its parts, and of its items and values, a paragraph each. */
export function describe(schema: JsonObject, document: SchemaDocument): string {
  const resolved = document.resolve(schema);
  const own = textOf(resolved["description"]);
  const rest = [...partsOf(resolved), ...heldBy(resolved)];
  return (own === undefined ? "" : `${own}\n`) + rest.map((one) => describe(one, document)).join("");
}

/** Columns: where the title begins, where the text below it begins, and how wide that may be. */
interface Place {
  readonly title: number;
  readonly text: number;
  readonly width: number;
}

/** The reference to external documentation; "" when the schema has none. */
export function externalDocs(schema: JsonObject, { title, text, width }: Place): string {
  const docs = schema["externalDocs"];
  if (!isStated(docs)) return "";
  const description = textOf(docs["description"]);
  const url = textOf(docs["url"]);
  const lines = [
    indent("EXTERNAL DOCS:", title),
    ...(description === undefined ? [] : [indent(wordWrap(description, width), text)]),
    ...(url === undefined ? [] : [indent(`URL: ${url}`, text)]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** How many values the line in a list of fields shows. */
const SHOWN = 4;

/** The enum values of a field, on a line below it; "" for a field without an enum. */
export function enumLine(schema: JsonObject, margin: number): string {
  const values = enumOf(schema);
  if (values.length === 0) return "";
  const shown = values.slice(0, SHOWN).map(showValue).join(", ");
  return `\n${" ".repeat(margin)}enum: ${shown}${values.length > SHOWN ? ", ...." : ""}`;
}

/** The enum values of a field, one per line; "" for a field without an enum. */
export function enumList(schema: JsonObject): string {
  const values = enumOf(schema);
  return values.length === 0 ? "" : ["ENUM:", ...values.map((value) => `    ${showValue(value)}`)].join("\n");
}

const enumOf = (schema: JsonObject): readonly JsonValue[] => (Array.isArray(schema["enum"]) ? schema["enum"] : []);

function showValue(value: JsonValue): string {
  if (value === "") return '""';
  return value === null ? "<no value>" : goV(withGoNumbers(value));
}

/** Every number as text: to kubectl all of them are float64, which shows large integers with an exponent. */
function withGoNumbers(value: JsonValue): JsonValue {
  if (typeof value === "number" || typeof value === "bigint") return formatG(Number(value));
  if (Array.isArray(value)) return value.map(withGoNumbers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, withGoNumbers(held)]));
}
