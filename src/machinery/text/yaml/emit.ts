import { Pace } from "../../../base/time/pace.js";
import { atOnce, type Steps } from "../../../base/async/steps.js";
import { isJsonObject, type JsonValue } from "../../meta/json.js";
import { formatG } from "../go/format-g.js";
import { compareKeys } from "./key-order.js";
import { asPassedThroughJson } from "./through-json.js";
import { resolvePlain } from "./scalars.js";
import { chooseStyle, isBreak, isMultiline, isPrintable } from "./scalar-style.js";

export interface YamlOptions {
  /** Keys stand in the order that they have; else in natural order, as kubectl prints them. */
  readonly inGivenOrder?: boolean;
  /** Characters that no YAML may hold as they are are written escaped; else they are refused, as kubectl does it. */
  readonly anyCharacter?: boolean;
  /** The text "<<" is quoted, so that who reads the document does not merge; else it is as kubectl prints it. */
  readonly quotesMerge?: boolean;
}

/**
 * Prints a value as sigs.k8s.io/yaml does (goyaml v2's dialect): keys in natural order, lists not indented under their key,
 * text folded at 80 columns. Ends in a line break. `undefined` members are left out; a Date or a class instance is not JSON and
 * must not be passed. Throws a YamlError for characters YAML cannot hold.
 */
export function emitYaml(value: unknown, options: YamlOptions = {}): string {
  return atOnce(emitYamlSteps(value, options));
}

/** {@link emitYaml} in steps. */
export function* emitYamlSteps(value: unknown, options: YamlOptions = {}): Steps<string> {
  const emitter = new Emitter(options);
  yield* emitter.document(value as JsonValue);
  return emitter.text();
}

const bestWidth = 80;
/** A longer key is printed in the explicit form, `? key`. In bytes. */
const maxSimpleKey = 128;

/** Keeps libyaml's notion of where the pen is: whether white space or nothing but indentation was written last. */
class Emitter {
  constructor(private readonly options: YamlOptions) {}

  readonly #pace = new Pace();
  /** What was written before the last pause. */
  #text = "";
  #out: string[] = [];
  #column = 0;
  #whitespace = true;
  #indention = true;

  text(): string {
    return this.#text + this.#out.join("");
  }

  *document(value: JsonValue): Steps<void> {
    yield* this.#node(value, -1, "root");
    this.#writeIndent(0);
  }

  #isDue(): boolean {
    if (!this.#pace.isDue()) return false;
    this.#text = this.text();
    this.#out = [];
    return true;
  }

  #put(text: string): void {
    this.#out.push(text);
    this.#column += text.length;
  }

  #putBreak(text = "\n"): void {
    this.#out.push(text);
    this.#column = 0;
  }

  #writeIndent(indent: number): void {
    if (!this.#indention || this.#column > indent || (this.#column === indent && !this.#whitespace)) this.#putBreak();
    if (this.#column < indent) this.#put(" ".repeat(indent - this.#column));
    this.#whitespace = true;
    this.#indention = true;
  }

  #indicator(text: string, spaceBefore: boolean, isWhitespace: boolean, isIndention: boolean): void {
    if (spaceBefore && !this.#whitespace) this.#put(" ");
    this.#put(text);
    this.#whitespace = isWhitespace;
    this.#indention &&= isIndention;
  }

  *#node(value: JsonValue, indent: number, context: "root" | "item" | "value"): Steps<void> {
    if (Array.isArray(value)) yield* this.#sequence(value, indent, context);
    else if (isJsonObject(value)) yield* this.#mapping(value, indent);
    else this.#scalar(value, indent, false);
  }

  *#sequence(items: readonly JsonValue[], indent: number, context: "root" | "item" | "value"): Steps<void> {
    if (items.length === 0) {
      this.#indicator("[", true, true, false);
      this.#indicator("]", false, false, false);
      return;
    }
    const inner = context === "value" && !this.#indention ? indent : deeper(indent);
    for (const item of items) {
      this.#writeIndent(inner);
      this.#indicator("-", true, false, true);
      if (this.#isDue()) yield;
      if (typeof item === "object") yield* this.#node(item ?? null, inner, "item");
      else this.#scalar(item ?? null, inner, false);
    }
  }

  *#mapping(object: { readonly [key: string]: JsonValue | undefined }, indent: number): Steps<void> {
    const keys = Object.keys(object).filter((key) => object[key] !== undefined);
    if (keys.length === 0) {
      this.#indicator("{", true, true, false);
      this.#indicator("}", false, false, false);
      return;
    }
    const inner = deeper(indent);
    for (const key of this.options.inGivenOrder === true ? keys : keys.toSorted(compareKeys)) {
      if (this.#isDue()) yield;
      this.#writeIndent(inner);
      const simple = isSimpleKey(key);
      if (simple) {
        this.#scalar(key, inner, true);
        this.#indicator(":", false, false, false);
      } else {
        this.#indicator("?", true, false, true);
        this.#scalar(key, inner, false);
        this.#writeIndent(inner);
        this.#indicator(":", true, false, true);
      }
      const held = object[key] ?? null;
      if (typeof held === "object") yield* this.#node(held, inner, "value");
      else this.#scalar(held, inner, false);
    }
  }

  #scalar(value: Exclude<JsonValue, JsonValue[] | object>, indent: number, simpleKey: boolean): void {
    const inner = indent < 0 ? 2 : indent + 2;
    if (typeof value !== "string") {
      this.#plain(Array.from(formatScalar(value)), inner, !simpleKey);
      return;
    }
    if (isPlainWord(value)) return this.#word(value);
    const text = this.options.anyCharacter === true ? value : asPassedThroughJson(value);
    const characters = Array.from(text);
    if (text === "<<" && this.options.quotesMerge === true) return this.#double(characters, inner, !simpleKey);
    switch (chooseStyle(text, characters, simpleKey)) {
      case "plain":
        return this.#plain(characters, inner, !simpleKey);
      case "single":
        return this.#single(characters, inner, !simpleKey);
      case "double":
        return this.#double(characters, inner, !simpleKey);
      case "literal":
        return this.#literal(characters, inner);
    }
  }

  /** {@link #plain} of a text without spaces. */
  #word(text: string): void {
    if (!this.#whitespace) this.#put(" ");
    this.#put(text);
    this.#whitespace = false;
    this.#indention = false;
  }

  #plain(characters: readonly string[], indent: number, mayFold: boolean): void {
    if (!this.#whitespace) this.#put(" ");
    let spaces = false;
    for (const [index, character] of characters.entries()) {
      if (character === " ") {
        const fold = mayFold && !spaces && this.#column > bestWidth && characters[index + 1] !== " ";
        if (fold) this.#writeIndent(indent);
        else this.#put(" ");
        spaces = true;
      } else {
        this.#put1(character);
        this.#indention = false;
        spaces = false;
      }
    }
    this.#whitespace = false;
    this.#indention = false;
  }

  #single(characters: readonly string[], indent: number, mayFold: boolean): void {
    this.#indicator("'", true, false, false);
    let spaces = false;
    let breaks = false;
    for (const [index, character] of characters.entries()) {
      if (character === " ") {
        const inside = index > 0 && index < characters.length - 1 && characters[index + 1] !== " ";
        if (mayFold && !spaces && this.#column > bestWidth && inside) this.#writeIndent(indent);
        else this.#put(" ");
        spaces = true;
      } else if (isBreak(character)) {
        if (!breaks && character === "\n") this.#putBreak();
        this.#putBreak(character);
        this.#indention = true;
        breaks = true;
      } else {
        if (breaks) this.#writeIndent(indent);
        this.#put1(character === "'" ? "''" : character);
        this.#indention = false;
        spaces = false;
        breaks = false;
      }
    }
    this.#indicator("'", false, false, false);
    this.#whitespace = false;
    this.#indention = false;
  }

  #double(characters: readonly string[], indent: number, mayFold: boolean): void {
    this.#indicator('"', true, false, false);
    let spaces = false;
    for (const [index, character] of characters.entries()) {
      if (character === '"' || character === "\\" || isBreak(character) || !isPrintable(character)) {
        this.#put(escapeCharacter(character));
        spaces = false;
      } else if (character === " ") {
        const inside = index > 0 && index < characters.length - 1;
        if (mayFold && !spaces && this.#column > bestWidth && inside) {
          this.#writeIndent(indent);
          if (characters[index + 1] === " ") this.#put("\\");
        } else this.#put(" ");
        spaces = true;
      } else {
        this.#put1(character);
        spaces = false;
      }
    }
    this.#indicator('"', false, false, false);
    this.#whitespace = false;
    this.#indention = false;
  }

  #literal(characters: readonly string[], indent: number): void {
    this.#indicator("|", true, false, false);
    if (characters[0] === " " || isBreak(characters[0])) this.#indicator("2", false, false, false);
    const chomping = chompingHint(characters);
    if (chomping !== "") this.#indicator(chomping, false, false, false);
    this.#putBreak();
    this.#indention = true;
    this.#whitespace = true;
    let breaks = true;
    for (const character of characters) {
      if (isBreak(character)) {
        this.#putBreak(character);
        this.#indention = true;
        breaks = true;
      } else {
        if (breaks) this.#writeIndent(indent);
        this.#put1(character);
        this.#indention = false;
        breaks = false;
      }
    }
  }

  /** One character, however many UTF-16 units, is one column; a doubled quote is two. */
  #put1(text: string): void {
    this.#out.push(text);
    this.#column += text === "''" ? 2 : 1;
  }
}

function deeper(indent: number): number {
  return indent < 0 ? 0 : indent + 2;
}

/** Letters, digits and marks that mean nothing in YAML between them. One letter alone may be a word for true or false. */
const WORD = /^[A-Za-z][A-Za-z0-9._/:-]{0,126}[A-Za-z0-9._/-]$/;

/** Whether a text is of the sort that most texts are, so that it need not be looked at character by character: it is printed as it is. */
const isPlainWord = (text: string): boolean => WORD.test(text) && resolvePlain(text).tag === "str";

function isSimpleKey(key: string): boolean {
  if (isPlainWord(key)) return true;
  return !isMultiline(Array.from(key)) && new TextEncoder().encode(key).length <= maxSimpleKey;
}

function chompingHint(characters: readonly string[]): string {
  if (!isBreak(characters.at(-1))) return "-";
  return characters.length === 1 || isBreak(characters.at(-2)) ? "+" : "";
}

/** null, booleans and numbers. A number passes through Go's JSON on its way, so a whole one below 1e21 is digits first. */
function formatScalar(value: null | boolean | number | bigint): string {
  if (typeof value !== "number") return String(value);
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? "0" : String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e21) {
    // Go prints the fewest digits that give the same double, then zeros, as String does; those must be an integer of its.
    const digits = BigInt(String(value));
    if (digits >= -(2n ** 63n) && digits < 2n ** 64n) return String(value);
  }
  return formatG(value);
}

const namedEscapes = new Map([
  ["\0", "0"],
  ["\u0007", "a"],
  ["\b", "b"],
  ["\t", "t"],
  ["\n", "n"],
  ["\v", "v"],
  ["\f", "f"],
  ["\r", "r"],
  ["\u001b", "e"],
  ['"', '"'],
  ["\\", "\\"],
  ["\u0085", "N"],
  ["\u00a0", "_"],
  ["\u2028", "L"],
  ["\u2029", "P"],
]);

function escapeCharacter(character: string): string {
  const named = namedEscapes.get(character);
  if (named !== undefined) return `\\${named}`;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
