import { isFields, list, object, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import { capitalized, singularOf, type UnusedNames } from "../type-names.js";

/** Where a schema is used: the names of its version and of the fields that lead to it, outermost first. */
export interface Place {
  readonly version: VersionNames;
  /** "Spec", "Rule": the items of rules. */
  readonly path: readonly string[];
  /** As errors show it: "spec.rules[*]". */
  readonly at: string;
}

/** How names begin that would not be unique without it. */
export interface VersionNames {
  /** "HTTPRoute" */
  readonly kind: string;
  /** "V1" */
  readonly version: string;
}

export const placeOfField = ({ version, path, at }: Place, name: string): Place => ({
  version,
  path: [...path, capitalized(name)],
  at: at === "" ? name : `${at}.${name}`,
});

/** The place of a list's items or of a map's values. */
export const placeOfItems = ({ version, path, at }: Place): Place => ({
  version,
  at: `${at}[*]`,
  path: path.map((name, index) => (index === path.length - 1 ? singularOf(name) : name)),
});

/** A struct that is declared once, however often it is used. */
export interface SharedStruct {
  /** Without what is said of its uses. */
  readonly schema: JsonObject;
  /** Of the type: "HTTPRouteSpec". */
  readonly name: string;
  /** What all its uses say of it. Undefined where they differ, and say it themselves. */
  readonly description: string | undefined;
}

interface Uses {
  readonly schema: JsonObject;
  readonly places: Place[];
  readonly descriptions: Set<string | undefined>;
}

/** What a schema says of one use of its type, and not of the type. */
const OF_THE_USE: ReadonlySet<string> = new Set([
  "description",
  "default",
  "nullable",
  "title",
  "example",
  "externalDocs",
]);

/** What a schema says of a struct wherever it is used. */
export const ownPartOf = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OF_THE_USE.has(keyword)));

/** Whether a schema is that of an object with named fields, which the module declares as a struct. */
export const hasFields = (schema: JsonObject): boolean =>
  schema.type === "object" && Object.keys(object(schema.properties)).length > 0;

/** The structs of several schemas. Those that are equal but for what is said of their uses are one. */
export class SharedStructs {
  readonly #uses = new Map<string, Uses>();
  readonly #keys = new WeakMap<JsonObject, string>();
  readonly #structs = new Map<string, SharedStruct>();

  /** Looks for structs in a schema at a place. */
  collect(schema: JsonObject, place: Place): void {
    if (hasFields(schema)) {
      const key = this.#keyOf(schema);
      const uses = this.#uses.get(key) ?? { schema: ownPartOf(schema), places: [], descriptions: new Set() };
      uses.places.push(place);
      uses.descriptions.add(descriptionOf(schema));
      this.#uses.set(key, uses);
    }
    for (const [name, property] of Object.entries(object(schema.properties))) {
      if (isFields(property)) this.collect(property as JsonObject, placeOfField(place, name));
    }
    for (const inner of [schema.items, schema.additionalProperties]) {
      if (isFields(inner)) this.collect(inner as JsonObject, placeOfItems(place));
    }
  }

  /** Names all structs that were found, in the order in which they were. */
  nameAll(names: UnusedNames): void {
    for (const [key, { schema, places, descriptions }] of this.#uses) {
      const name = names.take(candidatesFor(places));
      const [description] = descriptions;
      this.#structs.set(key, { schema, name, description: descriptions.size === 1 ? description : undefined });
    }
  }

  /** The struct of a schema that was collected. */
  of(schema: JsonObject): SharedStruct {
    const found = this.#structs.get(this.#keyOf(schema));
    if (found === undefined) throw new Error("a struct was not collected before it was asked for");
    return found;
  }

  #keyOf(schema: JsonObject): string {
    let key = this.#keys.get(schema);
    if (key === undefined) {
      key = encodeJson(ownPartOf(schema));
      this.#keys.set(schema, key);
    }
    return key;
  }
}

const descriptionOf = ({ description }: JsonObject): string | undefined =>
  description === undefined ? undefined : text(description);

/** Of a struct: its field's name, then with those of the fields around it, then with kind and version. */
function candidatesFor(places: readonly Place[]): readonly string[] {
  const [{ version, path } = { version: { kind: "", version: "" }, path: [] }] = places;
  const own = mostFrequent(places.map((place) => place.path.at(-1) ?? ""));
  const outer = path.slice(0, -1);
  const short = path.length === 1 || WITHOUT_MEANING.has(own) ? [] : [own];
  const longer = outer.map((_, count) => [...outer.slice(outer.length - 1 - count), own].join(""));
  const whole = [...outer, own].join("");
  const { kind, version: of } = version;
  return [...short, ...longer, `${kind}${whole}`, `${kind}${of}${whole}`].filter((name) => name !== "");
}

/** Names that say nothing without those around them. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set(["Spec", "Status", "Metadata"]);

/** The first one of those that occur most often. */
function mostFrequent(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0] ?? "";
}

/** The names of the fields that a schema requires. */
export const requiredOf = ({ required }: JsonObject): readonly string[] => list(required).map(text);
