import { isFields, list, object, text } from "../../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import {
  hasFields,
  ownPartOf,
  type Place,
  placeOfField,
  placeOfItems,
  requiredOf,
  type SharedStructs,
} from "./shared-structs.js";
import { atom, callCode, type Code, constant, jsonCode, objectCode, textCode } from "./typescript-text.js";
import { uncapitalized } from "../type-names.js";

const RULES = "x-kubernetes-validations";
const PRESERVES = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED = "x-kubernetes-embedded-resource";
const INT_OR_STRING = "x-kubernetes-int-or-string";
const MAP_TYPE = "x-kubernetes-map-type";
const LIST_TYPE = "x-kubernetes-list-type";
const LIST_KEYS = "x-kubernetes-list-map-keys";

/** The keywords that are options of a declaration, in the order in which it has them. */
const OPTIONS: readonly string[] = [
  "default",
  "nullable",
  "enum",
  "format",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
];

/** A type of the builders, and the keywords that it states. */
interface DeclaredType {
  readonly code: Code;
  readonly states: readonly string[];
}

/** The declarations of schemas, by the builders of kubets/kind. */
export class DeclaredSchemas {
  /** The constants of the structs, each behind those that it needs. */
  readonly constants: string[] = [];
  /** The builders that are used. */
  readonly builders = new Set<string>();
  readonly #declared = new Set<string>();

  constructor(readonly structs: SharedStructs) {}

  /** A constant of the struct of a whole object without apiVersion, kind and metadata. */
  declareRoot(name: string, schema: JsonObject, place: Place): void {
    const { description, ...rest } = schema;
    this.#declareStruct(name, rest, description === undefined ? undefined : text(description), place);
  }

  #declareStruct(name: string, schema: JsonObject, description: string | undefined, place: Place): void {
    const code = this.#structOf(name, schema, description, place);
    this.constants.push(constant(`const ${uncapitalized(name)}`, code));
  }

  #structOf(name: string, schema: JsonObject, description: string | undefined, place: Place): Code {
    const properties = object(schema.properties) as JsonObject;
    const required = requiredOf(schema);
    const fields = Object.entries(properties)
      .filter(([field]) => schema[EMBEDDED] !== true || !META_FIELDS.has(field))
      .map(([field, property]): [string, Code] => [
        field,
        this.declarationOf(property as JsonObject, placeOfField(place, field), {
          isRequired: required.includes(field),
        }),
      ]);
    const options = structOptions(schema, description);
    return this.#call("struct", textCode(name), objectCode(fields, fields.length > 0), ...options);
  }

  /** The declaration of a field or, without `field`, of items or values: its type alone where nothing more is said. */
  declarationOf(schema: JsonObject, place: Place, field?: { readonly isRequired: boolean }): Code {
    const shared = hasFields(schema) ? this.structs.of(schema) : undefined;
    const { code, states } = this.#typeOf(schema, place);
    const said = new Set(states);
    if (shared?.description !== undefined) said.add("description");
    const rest = Object.entries(schema).filter(([name]) => !said.has(name));
    const options = optionsOf(Object.fromEntries(rest), field === undefined);
    const isRequired = field?.isRequired === true;
    if (options.length === 0 && !isRequired) return code;
    const [first] = options;
    const description = first?.[0] === "description" ? [first] : [];
    return objectCode([
      ...description,
      ["schema", code],
      ...(isRequired ? [["required", atom("true")] as const] : []),
      ...options.slice(description.length),
    ]);
  }

  #typeOf(schema: JsonObject, place: Place): DeclaredType {
    if (schema.type === undefined && schema[INT_OR_STRING] === true) return this.#intOrString(schema);
    if (schema.type === undefined && schema[PRESERVES] === true) return this.#builder("anyJson", [PRESERVES]);
    switch (text(schema.type)) {
      case "object":
        return this.#objectOf(schema, place);
      case "array":
        return this.#listOf(schema, place);
      case "string":
        return schema.format === "byte"
          ? this.#builder("bytes", ["type", "format"])
          : this.#builder("string", ["type"]);
      case "boolean":
        return this.#builder("boolean", ["type"]);
      case "integer":
        return this.#numberOf(schema, "integer", { int32: "int32", int64: "int64" });
      case "number":
        return this.#numberOf(schema, "number", { double: "float64" });
      default:
        throw new Error(`${place.at}: a schema without a type has no declaration`);
    }
  }

  #builder(name: string, states: readonly string[]): DeclaredType {
    this.builders.add(name);
    return { code: atom(name), states };
  }

  #call(name: string, ...args: readonly Code[]): Code {
    this.builders.add(name);
    return callCode(name, ...args);
  }

  #intOrString({ anyOf }: JsonObject): DeclaredType {
    const usual = JSON.stringify([{ type: "integer" }, { type: "string" }]);
    return this.#builder("intOrString", JSON.stringify(anyOf) === usual ? [INT_OR_STRING, "anyOf"] : [INT_OR_STRING]);
  }

  #numberOf({ format }: JsonObject, plain: string, byFormat: Readonly<Record<string, string>>): DeclaredType {
    const name = typeof format === "string" && Object.hasOwn(byFormat, format) ? byFormat[format] : undefined;
    return name === undefined ? this.#builder(plain, ["type"]) : this.#builder(name, ["type", "format"]);
  }

  #listOf(schema: JsonObject, place: Place): DeclaredType {
    const { items } = schema;
    if (!isFields(items)) throw new Error(`${place.at}: a list without a schema of its items has no declaration`);
    const options: [string, Code][] = [];
    if (schema[LIST_TYPE] !== undefined) options.push(["listType", jsonCode(schema[LIST_TYPE])]);
    if (schema[LIST_KEYS] !== undefined) options.push(["keys", jsonCode(schema[LIST_KEYS])]);
    const item = this.declarationOf(items as JsonObject, placeOfItems(place));
    const code = this.#call("list", item, ...(options.length > 0 ? [objectCode(options)] : []));
    return { code, states: ["type", "items", LIST_TYPE, LIST_KEYS] };
  }

  #objectOf(schema: JsonObject, place: Place): DeclaredType {
    if (hasFields(schema)) return { code: this.#sharedStruct(schema, place), states: Object.keys(ownPartOf(schema)) };
    const { additionalProperties: values } = schema;
    if (isFields(values)) {
      const mapType = schema[MAP_TYPE];
      const value = this.declarationOf(values as JsonObject, placeOfItems(place));
      const options = mapType === undefined ? [] : [objectCode([["mapType", jsonCode(mapType)]])];
      return { code: this.#call("map", value, ...options), states: ["type", "additionalProperties", MAP_TYPE] };
    }
    const own = ownPartOf(schema);
    const states = Object.keys(own);
    if (states.length === 2 && own[PRESERVES] === true) return this.#builder("anyObject", states);
    return { code: this.#structOf(place.path.at(-1) ?? "", own, undefined, place), states };
  }

  #sharedStruct(schema: JsonObject, place: Place): Code {
    const shared = this.structs.of(schema);
    if (!this.#declared.has(shared.name)) {
      this.#declared.add(shared.name);
      this.#declareStruct(shared.name, shared.schema, shared.description, place);
    }
    return atom(uncapitalized(shared.name));
  }
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The keywords of a struct that are options under names of their own. */
const STRUCT_OPTIONS: readonly (readonly [keyword: string, option: string])[] = [
  [PRESERVES, "preservesUnknownFields"],
  [EMBEDDED, "embeddedResource"],
  [MAP_TYPE, "mapType"],
  ["minProperties", "minProperties"],
  ["maxProperties", "maxProperties"],
];

/** The third argument of a struct, where it has one. */
function structOptions(schema: JsonObject, description: string | undefined): readonly Code[] {
  const left: JsonObject = { ...schema };
  for (const name of ["type", "description"]) delete left[name];
  const properties = object(schema.properties);
  // The builder declares these itself.
  const isRestricted = schema[EMBEDDED] === true && Object.keys(properties).some((name) => META_FIELDS.has(name));
  const hasAll = requiredOf(schema).every((name) => Object.hasOwn(properties, name));
  if (!isRestricted) delete left.properties;
  if (!isRestricted && hasAll) delete left.required;
  const entries: [string, Code][] = [];
  if (description !== undefined) entries.push(["description", textCode(description)]);
  for (const [keyword, option] of STRUCT_OPTIONS) {
    const value = left[keyword];
    if (value === undefined || value === false) continue;
    entries.push([option, jsonCode(value)]);
    delete left[keyword];
  }
  if (left[RULES] !== undefined) entries.push(["rules", jsonCode(left[RULES])]);
  delete left[RULES];
  if (Object.keys(left).length > 0) entries.push(["openApi", jsonCode(left)]);
  return entries.length === 0 ? [] : [objectCode(entries)];
}

/** Keywords as the options of a declaration. Items and values have no option for a default. */
export function optionsOf(schema: JsonObject, isItem: boolean): readonly (readonly [string, Code])[] {
  const left: JsonObject = { ...schema };
  const entries: [string, Code][] = [];
  const take = (keyword: string, option = keyword): void => {
    const value = left[keyword];
    if (value === undefined || !isOption(keyword, value, isItem)) return;
    entries.push([option, jsonCode(value)]);
    delete left[keyword];
  };
  take("description");
  for (const keyword of OPTIONS) take(keyword);
  take(RULES, "rules");
  if (Object.keys(left).length > 0) entries.push(["openApi", jsonCode(left)]);
  return entries;
}

function isOption(keyword: string, value: JsonValue, isItem: boolean): boolean {
  if (keyword === "default") return !isItem && value !== null;
  if (keyword === "enum") return list(value).every((one) => typeof one !== "object" && typeof one !== "bigint");
  return true;
}
