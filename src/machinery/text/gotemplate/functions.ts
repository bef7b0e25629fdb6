import { textOf } from "../../../base/text/byte-text.js";
import { Base64Error, canonicalizeBase64 } from "../go/go-base64.js";
import { equalsAny, isLess } from "./compare.js";
import { escapeHtml, escapeJs, escapeQuery } from "./escape.js";
import { sprint, sprintln } from "./format-value.js";
import { exists, index, slice } from "./indexing.js";
import { sprintf } from "./sprintf.js";
import { FunctionError } from "./template-error.js";
import { type GoValue, isNilInterface, isTrue, lengthOf, typeName, unboxed } from "./values.js";

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

/** What `call` always ends with. */
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
