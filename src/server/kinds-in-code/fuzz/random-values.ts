import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { JSONSchemaProps } from "../../../api/types/apiextensions/v1.js";
import { seededRandom } from "../../../base/numbers/seeded-random.js";
import type { Random } from "../../../base/numbers/random.js";
import { list as listOf } from "../../../machinery/meta/access.js";
import type { ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from "../../../machinery/schema/schema.js";
import { numberOf } from "../../../machinery/structural/value-validation.js";
import { setKey } from "../../../machinery/wire/json/own-keys.js";

/** Draws the values of a fuzzer. The same seed gives the same values. */
export interface Fuzz {
  /** From 0 to below 1. */
  random(): number;
  /** From 0 to below `limit`. */
  integer(limit: number): number;
  /** Some letters. */
  text(): string;
  /**
   * A value of another schema, made with the custom fuzzers. `place` is where it goes below this place: "[*]" for an item, ".name" for a
   * field; without it, no path's fuzzer is asked for the value itself.
   */
  continue(schema: Schema, place?: string): unknown;
  /** The value of this place without this fuzzer; those of the fields in it are asked (FuzzNoCustom). */
  withoutCustom(): unknown;
}

/** Makes the value of a place in place of the default fuzzer. */
export type Fuzzer = (fuzz: Fuzz) => unknown;

/**
 * Fuzzers by path ("spec.toppings", "spec.toppings[*].quantity", "spec.limits[*]" for the values of a map), by the name of a
 * struct ("PizzaSpec"), or by that of a scalar ("string", "int32", "time"). A path wins over a struct, a struct over a scalar.
 */
export type Fuzzers = Readonly<Record<string, Fuzzer>>;

/** How often a field that may be left out is there. */
const PRESENT = 0.7;
const MOST_ITEMS = 3;
/** Structs in structs end there. */
const MOST_DEPTH = 12;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789-äß漢 \"'\\:#{";

/** Makes random values that fit a schema and its keywords, except patterns and rules: those need a fuzzer. */
export class RandomValues {
  readonly #source: Random;

  constructor(
    seed: number,
    private readonly fuzzers: Fuzzers,
  ) {
    this.#source = seededRandom(String(seed));
  }

  random(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#source.bytes(4);
    return (((a * 256 + b) * 256 + c) * 256 + d) / 2 ** 32;
  }

  integer(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  text(shortest = 0, longest = 10): string {
    const length = shortest + this.integer(Math.max(longest - shortest, 0) + 1);
    return Array.from({ length }, () => ALPHABET[this.integer(ALPHABET.length)]).join("");
  }

  /** A value of the schema at a path. */
  value(schema: Schema, path: string, depth = 0, isByPath = true): unknown {
    const name = schema.type === "struct" ? schema.name : schema.type === "scalar" ? schema.scalar : "";
    const custom = (isByPath ? own(this.fuzzers, path) : undefined) ?? own(this.fuzzers, name);
    if (custom === undefined) return this.#default(schema, path, depth);
    return custom({
      random: () => this.random(),
      integer: (limit) => this.integer(limit),
      text: () => this.text(1),
      continue: (other, place = "") => this.value(other, `${path}${place}`, depth + 1, place !== ""),
      withoutCustom: () => this.#default(schema, path, depth),
    });
  }

  #default(schema: Schema, path: string, depth: number): unknown {
    switch (schema.type) {
      case "struct":
        return this.#struct(schema, path, depth);
      case "list":
        return this.#list(schema, path, depth);
      case "map":
        return this.#map(schema, path, depth);
      case "scalar":
        return this.#scalar(schema);
    }
  }

  #struct({ fields }: StructSchema, path: string, depth: number): object {
    const made = {};
    for (const { name, schema, required, omitEmpty } of fields) {
      const isThere = required || !omitEmpty || this.random() < PRESENT;
      const isTooDeep = depth > MOST_DEPTH && !required;
      if (!isThere || isTooDeep) continue;
      const value = this.value(schema, path === "" ? name : `${path}.${name}`, depth + 1);
      if (value !== undefined) setKey(made, name, value);
    }
    return made;
  }

  #list({ items, listType, listMapKeys = [], openApi }: ListSchema, path: string, depth: number): unknown[] {
    const keywords: FieldsOf<JSONSchemaProps> = openApi ?? {};
    const least = numberOf(keywords.minItems) ?? 0;
    const most = Math.max(least, Math.min(numberOf(keywords.maxItems) ?? MOST_ITEMS, MOST_ITEMS));
    const length = least + this.integer(most - least + 1);
    const made = Array.from({ length }, () => this.value(items, `${path}[*]`, depth + 1));
    const keyOf = (item: unknown): string =>
      JSON.stringify(listType === "map" ? listMapKeys.map((key) => (item as Record<string, unknown>)[key]) : item);
    if (listType !== "set" && listType !== "map") return made;
    return [...new Map(made.map((item) => [keyOf(item), item])).values()];
  }

  #map({ values }: MapSchema, path: string, depth: number): object {
    const made = {};
    for (let left = this.integer(MOST_ITEMS + 1); left > 0; left--) {
      setKey(made, this.text(1), this.value(values, `${path}[*]`, depth + 1));
    }
    return made;
  }

  #scalar(schema: ScalarSchema): unknown {
    const { scalar, openApi } = schema;
    const keywords: FieldsOf<JSONSchemaProps> = openApi ?? {};
    const allowed = schema.enum ?? listOf(keywords.enum);
    if (allowed.length > 0) return allowed[this.integer(allowed.length)];
    switch (scalar) {
      case "string":
        return this.text(numberOf(keywords.minLength), Math.min(numberOf(keywords.maxLength) ?? 10, 10));
      case "bool":
        return this.random() < 0.5;
      case "int32":
        return this.#whole(schema, 2 ** 31);
      case "int64":
        return this.#whole(schema, 2 ** 53);
      case "float64":
        return this.#between(schema, 1e6);
      case "bytes":
        return Buffer.from(this.text()).toString("base64");
      case "time":
        return `${new Date(this.integer(4e9) * 1000).toISOString().slice(0, 19)}Z`;
      case "microTime":
        return `${new Date(this.integer(4e9) * 1000).toISOString().slice(0, 19)}.${String(this.integer(1e6)).padStart(6, "0")}Z`;
      case "duration":
        return `${1 + this.integer(59)}s`;
      case "quantity":
        return `${1 + this.integer(999)}${["", "m", "Mi", "Gi"][this.integer(4)] ?? ""}`;
      case "intOrString":
        return this.random() < 0.5 ? this.integer(65_536) : this.text(1);
      case "any":
        return { [this.text(1)]: [this.integer(100), this.text(), null] };
    }
  }

  #whole(schema: ScalarSchema, size: number): number {
    // Small numbers are as likely as large ones.
    return Math.trunc(this.#between(schema, this.random() < 0.5 ? 10 : size - 1));
  }

  #between({ openApi }: ScalarSchema, size: number): number {
    const { minimum, maximum }: FieldsOf<JSONSchemaProps> = openApi ?? {};
    const low = numberOf(minimum) ?? -size;
    const high = numberOf(maximum) ?? Math.max(size, low);
    return low + this.random() * (high - low);
  }
}

const own = (fuzzers: Fuzzers, name: string): Fuzzer | undefined =>
  Object.hasOwn(fuzzers, name) ? fuzzers[name] : undefined;
