import { goQuote } from "../base/text/go-quote.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../machinery/meta/json.js";

/** A Go type that JSON is read into; `go` is its name in errors. */
export type Shape =
  | { readonly kind: "string" | "bool" | "int" | "any"; readonly go: string }
  | { readonly kind: "list" | "map"; readonly go: string; readonly of: Shape }
  | { readonly kind: "struct"; readonly go: string; readonly fields: Fields };

/** The fields of a Go struct by JSON name. The field of an embedded struct names that struct. */
export type Fields = Readonly<Record<string, Shape | Embedded>>;

interface Embedded {
  readonly within: string;
  readonly shape: Shape;
}

export const text: Shape = { kind: "string", go: "string" };
export const flag: Shape = { kind: "bool", go: "bool" };
export const anything: Shape = { kind: "any", go: "interface {}" };
export const integer = (go: string): Shape => ({ kind: "int", go });
export const listOf = (of: Shape): Shape => ({ kind: "list", go: `[]${of.go}`, of });
export const mapOf = (of: Shape): Shape => ({ kind: "map", go: `map[string]${of.go}`, of });
export const struct = (go: string, fields: Fields): Shape => ({ kind: "struct", go, fields });
export const named = (go: string): Shape => ({ kind: "string", go });

/** The fields of a struct that is embedded in another. */
export const embedded = (within: string, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, shape]) => [
      name,
      "within" in shape ? { within: `${within}.${shape.within}`, shape: shape.shape } : { within, shape },
    ]),
  );

/**
 * Reads JSON as Go's decoder does: names regardless of case, nulls passed over, the first thing that is wrong thrown at the end.
 * `strict`: a name that no field has is wrong.
 */
export function decodeStruct(value: JsonValue, shape: Shape, strict: boolean): JsonValue {
  const decoder = new Decoder(strict);
  const result = decoder.decode(value, shape, { struct: "", path: [] });
  if (decoder.failure !== undefined) throw decoder.failure;
  return result ?? null;
}

interface Place {
  /** Where the innermost struct is and what it is called. */
  readonly struct: string;
  readonly path: readonly string[];
}

class Decoder {
  failure: Error | undefined;

  constructor(readonly strict: boolean) {}

  decode(value: JsonValue, shape: Shape, place: Place): JsonValue | undefined {
    if (value === null) return undefined;
    switch (shape.kind) {
      case "any":
        return value;
      case "string":
        return typeof value === "string" ? value : this.#refuse(value, shape, place);
      case "bool":
        return typeof value === "boolean" ? value : this.#refuse(value, shape, place);
      case "int":
        return isInteger(value) ? value : this.#refuse(value, shape, place);
      case "list":
        if (!Array.isArray(value)) return this.#refuse(value, shape, place);
        return value.map((item) => this.decode(item, shape.of, place) ?? zeroOf(shape.of));
      case "map":
        if (!isJsonObject(value)) return this.#refuse(value, shape, place);
        return Object.fromEntries(
          sorted(value).map(([key, held]) => [key, this.decode(held, shape.of, place) ?? zeroOf(shape.of)]),
        );
      case "struct":
        return isJsonObject(value)
          ? this.#struct(value, shape.go, shape.fields, place)
          : this.#refuse(value, shape, place);
    }
  }

  #struct(value: JsonObject, go: string, fields: Fields, place: Place): JsonObject {
    const result: JsonObject = {};
    for (const [key, held] of sorted(value)) {
      const name = fieldNamed(fields, key);
      const field = name === undefined ? undefined : fields[name];
      if (name === undefined || field === undefined) {
        if (this.strict) this.#fail(new Error(`json: unknown field ${goQuote(key)}`));
        continue;
      }
      const { shape, within } = "within" in field ? field : { shape: field, within: "" };
      const path = [...place.path, ...(within === "" ? [] : within.split(".")), name];
      const decoded = this.decode(held, shape, { struct: go.replace(/^.*\./, ""), path });
      if (decoded !== undefined) result[name] = decoded;
    }
    return result;
  }

  #refuse(value: JsonValue, { go }: Shape, { struct, path }: Place): undefined {
    const into = path.length === 0 ? "Go value" : `Go struct field ${struct}.${path.join(".")}`;
    this.#fail(new Error(`json: cannot unmarshal ${wordFor(value, go)} into ${into} of type ${go}`));
    return undefined;
  }

  #fail(error: Error): void {
    this.failure ??= error;
  }
}

const sorted = (object: JsonObject): [string, JsonValue][] =>
  Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

const isInteger = (value: JsonValue): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));

/** Finds the field for a JSON name: the one with exactly that name, else one that differs only in case. */
export function fieldNamed(fields: Fields, key: string): string | undefined {
  if (Object.hasOwn(fields, key)) return key;
  const folded = key.toLowerCase();
  return Object.keys(fields).find((name) => name.toLowerCase() === folded);
}

const ZEROS: Readonly<Record<Shape["kind"], () => JsonValue>> = {
  string: () => "",
  bool: () => false,
  int: () => 0,
  struct: () => ({}),
  any: () => null,
  list: () => null,
  map: () => null,
};

const zeroOf = ({ kind }: Shape): JsonValue => ZEROS[kind]();

function wordFor(value: JsonValue, go: string): string {
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "object";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return /^u?int/.test(go) ? `number ${String(value)}` : "number";
}
