import type { JsonObject } from "../../meta/json.js";
import { evaluate } from "./evaluate.js";
import { findFunction } from "./functions.js";
import { parseTemplate, type TemplateSet } from "./parser.js";

export interface GoTemplateOptions {
  /** A field that an object lacks is an error. Default: it is no value. */
  readonly missingKeyIsError?: boolean;
}

/** kubectl calls every template so, and messages show it. */
const name = "output";

/** A template of Go's text/template with kubectl's functions, parsed once, run any number of times. */
export class GoTemplate {
  readonly #text: string;
  readonly #set: TemplateSet;
  readonly #missingKeyIsError: boolean;

  /** Throws {@link TemplateError}. */
  constructor(text: string, { missingKeyIsError = false }: GoTemplateOptions = {}) {
    this.#text = text;
    this.#set = parseTemplate(text, { name, hasFunction: (word) => findFunction(word) !== undefined });
    this.#missingKeyIsError = missingKeyIsError;
  }

  /**
   * Writes the output piece by piece, so that what came before an error is there. Throws {@link TemplateError} when the
   * template does not fit the data. The pieces may hold bytes that are not UTF-8, in the way of base/byte-text.
   */
  execute(data: JsonObject, out: (text: string) => void): void {
    const { missingKeyIsError } = { missingKeyIsError: this.#missingKeyIsError };
    evaluate({ set: this.#set, text: this.#text, name, missingKeyIsError, out }, name, data);
  }

  /** The output as one text. Throws {@link TemplateError}. */
  print(data: JsonObject): string {
    const pieces: string[] = [];
    this.execute(data, (text) => pieces.push(text));
    return pieces.join("");
  }
}
