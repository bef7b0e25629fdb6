import { encodeJson } from "../../wire/json/json-encoder.js";
import { formatG } from "../go/format-g.js";
import { goTypeName } from "../go/go-values.js";
import type { JsonValue } from "../../meta/json.js";
import { type Operand, evaluate, type Found } from "./evaluate.js";
import { JsonPathError, type Template } from "./nodes.js";
import { parseTemplate } from "./parser.js";

/** A JSONPath template of client-go's dialect, parsed once, run any number of times. */
export class JsonPath {
  readonly #template: Template;
  readonly #allowMissingKeys: boolean;
  readonly #floats: boolean;

  /**
   * Throws {@link JsonPathError}. `floats` prints every number as a float64, which it is where Go decodes without types
   * what it encoded from one.
   */
  constructor(text: string, options: { readonly allowMissingKeys?: boolean; readonly floats?: boolean } = {}) {
    this.#template = parseTemplate(text);
    this.#floats = options.floats ?? false;
    this.#allowMissingKeys = options.allowMissingKeys ?? false;
  }

  /** What each text and action found. Throws {@link JsonPathError} when the template does not fit the data. */
  find(data: unknown): readonly (readonly JsonValue[])[] {
    return this.#evaluate(data).map((found) => found.map(({ value }) => value));
  }

  /** The template's output: values of one action are separated by spaces; objects and lists are JSON. */
  print(data: unknown): string {
    return this.#evaluate(data)
      .map((found) => found.map((operand) => printOperand(operand, this.#floats)).join(" "))
      .join("");
  }

  /**
   * The first value that the first action found, printed by itself: null is "<no value>", as Go prints no value at all. Undefined
   * where it found none. Throws {@link JsonPathError}.
   */
  printFirst(data: unknown): string | undefined {
    const first = this.#evaluate(data)[0]?.[0];
    if (first === undefined) return undefined;
    return first.value === null ? "<no value>" : printOperand(first, this.#floats);
  }

  #evaluate(data: unknown): readonly Found[] {
    return evaluate(this.#template, data as JsonValue, { allowMissingKeys: this.#allowMissingKeys });
  }
}

function printOperand({ value, float }: Operand, floats: boolean): string {
  if (value === null) return "null";
  if (typeof value === "object") return encodeJson(value, { sortKeys: true });
  if (typeof value === "bigint" && floats) return formatG(Number(value));
  if (typeof value === "number" && (float || floats || goTypeName(value) === "float64")) return formatG(value);
  return String(value);
}

/**
 * Completes a path as --sort-by and custom-columns accept it: `a.b`, `.a.b`, `{a.b}` and `{.a.b}` all become `{.a.b}`. Throws
 * {@link JsonPathError}.
 */
export function relaxedJsonPath(path: string): string {
  if (path === "") return "";
  const match = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(path);
  if (match === null) {
    throw new JsonPathError(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    );
  }
  return `{.${match[1] ?? match[2]}}`;
}
