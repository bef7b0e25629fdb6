import { dictionary } from "../../../base/collections/dictionary.js";
import { textOf, byteFor, bytesOf } from "../../../base/text/byte-text.js";
import { Base64Error, canonicalizeBase64 } from "../go/go-base64.js";
import { sprint, sprintln, formatValue } from "./format-value.js";
import { exists, index, slice } from "./indexing.js";
import { sprintf } from "./sprintf.js";
import { FunctionError } from "./template-error.js";
import { type GoValue, isNilInterface, isTrue, lengthOf, typeName, unboxed, type Concrete } from "./values.js";
import { compareKeys } from "../../../base/collections/key-order.js";

/**
 * The type a parameter has in Go. "value" takes anything as it is (a reflect.Value), "any" takes anything, no value
 * becoming nil, "string" takes only strings.
 */
export type ParameterType = "value" | "any" | "string";

export interface TemplateFunction {
  readonly parameters: readonly ParameterType[];
  /** The type of any number of further arguments; undefined: there are none. */
  readonly rest?: ParameterType;
  /** Throws {@link FunctionError}. Called with as many arguments as the parameters allow. */
  readonly call: (values: readonly GoValue[]) => GoValue;
}

const ofAny = (call: (values: readonly GoValue[]) => string): TemplateFunction => ({
  parameters: [],
  rest: "any",
  call: (values) => ({ kind: "string", value: call(values) }),
});

const ofTwo = (call: (a: GoValue, b: GoValue) => boolean): TemplateFunction => ({
  parameters: ["value", "value"],
  call: ([a = noValue, b = noValue]) => ({ kind: "bool", value: call(a, b) }),
});

const noValue: GoValue = { kind: "invalid" };

const isLessOrEqual = (a: GoValue, b: GoValue): boolean => isLess(a, b) || equalsAny(a, [b]);

/** The functions of text/template, and `exists` and `base64decode` of kubectl. */
const functions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  // The evaluator stops at the first argument that decides; what is left is the last one.
  ["and", { parameters: ["value"], rest: "value", call: (values) => values.at(-1) ?? noValue }],
  ["or", { parameters: ["value"], rest: "value", call: (values) => values.at(-1) ?? noValue }],
  ["not", { parameters: ["value"], call: ([value = noValue]) => ({ kind: "bool", value: !isTrue(value) }) }],
  ["len", { parameters: ["value"], call: ([value = noValue]) => len(value) }],
  ["index", { parameters: ["value"], rest: "value", call: ([item = noValue, ...indexes]) => index(item, indexes) }],
  ["slice", { parameters: ["value"], rest: "value", call: ([item = noValue, ...indexes]) => slice(item, indexes) }],
  ["print", ofAny(sprint)],
  ["println", ofAny(sprintln)],
  [
    "printf",
    {
      parameters: ["string"],
      rest: "any",
      call: ([format = noValue, ...values]) => ({ kind: "string", value: sprintf(textIn(format), values) }),
    },
  ],
  ["html", ofAny((values) => escapeHtml(textToEscape(values)))],
  ["js", ofAny((values) => escapeJs(textToEscape(values)))],
  ["urlquery", ofAny((values) => escapeQuery(textToEscape(values)))],
  [
    "eq",
    {
      parameters: ["value"],
      rest: "value",
      call: ([first = noValue, ...others]) => ({ kind: "bool", value: equalsAny(first, others) }),
    },
  ],
  ["ne", ofTwo((a, b) => !equalsAny(a, [b]))],
  ["lt", ofTwo(isLess)],
  ["le", ofTwo(isLessOrEqual)],
  ["gt", ofTwo((a, b) => !isLessOrEqual(a, b))],
  ["ge", ofTwo((a, b) => !isLess(a, b))],
  // Data holds no functions; the evaluator knows the words that named the value.
  ["call", { parameters: ["value"], rest: "value", call: ([value = noValue]) => value }],
  [
    "exists",
    {
      parameters: ["any"],
      rest: "any",
      call: ([item = noValue, ...indexes]) => ({ kind: "bool", value: exists(item, indexes) }),
    },
  ],
  [
    "base64decode",
    {
      parameters: ["string"],
      call: ([value = noValue]) => ({ kind: "string", value: base64decode(textIn(value)) }),
    },
  ],
]);

export function findFunction(name: string): TemplateFunction | undefined {
  return functions.get(name);
}

/** Makes the error of `call` for a value that is not a function. Every `call` ends with it, because JSON has no functions. */
export function callOfNoFunction(value: GoValue, name: string): FunctionError {
  const held = unboxed(value);
  return new FunctionError(held.kind === "invalid" ? "call of nil" : `non-function ${name} of type ${typeName(held)}`);
}

function len(value: GoValue): GoValue {
  if (isNilInterface(value)) throw new FunctionError("len of nil pointer");
  const held = unboxed(value);
  const length = lengthOf(held);
  if (length !== undefined) return { kind: "int", value: BigInt(length) };
  if (held.kind === "invalid") throw new FunctionError("reflect: call of reflect.Value.Type on zero Value");
  throw new FunctionError(`len of type ${typeName(held)}`);
}

function textIn(value: GoValue): string {
  const held = unboxed(value);
  return held.kind === "string" ? held.value : "";
}

/** As {@link sprint}, but that no value is shown as the template itself shows it. */
function textToEscape(values: readonly GoValue[]): string {
  return sprint(
    values.map(
      (value): GoValue => (unboxed(value).kind === "invalid" ? { kind: "string", value: "<no value>" } : value),
    ),
  );
}

function base64decode(text: string): string {
  try {
    return textOf(Uint8Array.from(atob(canonicalizeBase64(text).replaceAll(/[\r\n]/g, "")), (c) => c.charCodeAt(0)));
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error;
    throw new FunctionError(`base64 decode failed: ${error.message}`);
  }
}

type Known = Concrete | { readonly kind: "invalid" };

/** `eq`: whether the first equals any of the others. Throws {@link FunctionError} for what cannot be compared. */
function equalsAny(first: GoValue, others: readonly GoValue[]): boolean {
  if (others.length === 0) throw new FunctionError("missing argument for comparison");
  const left = unboxed(first);
  return others.some((other) => equal(left, unboxed(other)));
}

/** `lt`. Throws {@link FunctionError} for what has no order. */
function isLess(first: GoValue, second: GoValue): boolean {
  const left = unboxed(first);
  const right = unboxed(second);
  if (basicKind(left) === undefined || basicKind(right) === undefined) throw badType();
  if (isInteger(left) && isInteger(right)) return left.value < right.value;
  if (basicKind(left) !== basicKind(right)) throw incompatible(left, right);
  if (left.kind === "float64" && right.kind === "float64") return left.value < right.value;
  if (left.kind === "string" && right.kind === "string") return compareKeys(left.value, right.value) < 0;
  throw badType();
}

/** Kinds within which values compare; undefined for what has no order and is not simply equal. */
function basicKind({ kind }: Known): string | undefined {
  if (kind === "int" || kind === "int64") return "int";
  return kind === "map" || kind === "slice" || kind === "invalid" ? undefined : kind;
}

function isInteger(value: Known): value is Concrete & { kind: "int" | "int64" | "uint8" } {
  return value.kind === "int" || value.kind === "int64" || value.kind === "uint8";
}

function equal(left: Known, right: Known): boolean {
  if (isInteger(left) && isInteger(right)) return left.value === right.value;
  if (basicKind(left) !== basicKind(right)) {
    if (left.kind === "invalid" || right.kind === "invalid") return false;
    throw incompatible(left, right);
  }
  if (left.kind === "complex128" && right.kind === "complex128") {
    return left.real === right.real && left.imaginary === right.imaginary;
  }
  if ("value" in left && "value" in right) return left.value === right.value;
  return equalNothing(left, right);
}

/** Maps, lists and nothing: only nothing equals nothing. */
function equalNothing(left: Known, right: Known): boolean {
  if (left.kind === "invalid" || right.kind === "invalid") return left.kind === right.kind;
  if (left.kind !== right.kind) {
    throw new FunctionError(
      `non-comparable types ${shown(left)}: ${typeName(left)}, ${typeName(right)}: ${shown(right, "v")}`,
    );
  }
  throw new FunctionError(`non-comparable type ${shown(right)}: ${typeName(right)}`);
}

function shown(value: Known, verb = "s"): string {
  return formatValue(value, { verb, flags: "", width: undefined, precision: undefined });
}

function incompatible(left: Known, right: Known): FunctionError {
  return new FunctionError(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);
}

function badType(): FunctionError {
  return new FunctionError("invalid type for comparison");
}

const htmlEscapes: Readonly<Record<string, string>> = dictionary({
  "\0": "\ufffd",
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
});

/** Makes text safe inside HTML. */
function escapeHtml(text: string): string {
  return text.replace(/[\0"'&<>]/g, (character) => htmlEscapes[character] ?? character);
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Makes text safe inside a JavaScript string. */
function escapeJs(text: string): string {
  return Array.from(text, escapeJsCharacter).join("");
}

function escapeJsCharacter(character: string): string {
  if (/[\\'"]/.test(character)) return `\\${character}`;
  if (byteFor(character) !== undefined) return character;
  const code = character.codePointAt(0) ?? 0;
  const shown = code === 0x7f || (!/[<>&=]/.test(character) && PRINTABLE.test(character));
  return shown ? character : `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Makes text one word of a URL's query. */
function escapeQuery(text: string): string {
  return Array.from(bytesOf(text), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9\-_.~]/.test(character)) return character;
    return character === " " ? "+" : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
