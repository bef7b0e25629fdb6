import { dictionary } from "../../../base/collections/dictionary.js";
import { codePoints } from "../evaluator/cost.js";
import type { FunctionDeclaration, Library, Overload } from "../functions/declaration.js";
import { DYN, INT, listType, STRING, type Type } from "../types/type.js";
import { ArrayList, type ListValue } from "../values/list.js";
import { describeValue, ErrorValue, type Value } from "../values/value.js";
import { spendSteps } from "../values/meter.js";
import { formatString, type FormatStyle } from "./format.js";

type Int = number | bigint;

/** A text whose characters are its code points. Most have no code point above the BMP, and need no array. */
class CodePoints {
  readonly length: number;
  readonly #text: string;
  readonly #points: readonly string[] | undefined;

  constructor(text: string) {
    spendSteps(text.length / 16);
    this.#text = text;
    this.length = codePoints(text);
    this.#points = this.length === text.length ? undefined : Array.from(text);
  }

  slice(start: number, end: number): string {
    return this.#points === undefined ? this.#text.slice(start, end) : this.#points.slice(start, end).join("");
  }

  /** The place, in code points, of a place in code units. */
  pointOf(unit: number): number {
    return unit < 0 || this.#points === undefined ? unit : codePoints(this.#text.slice(0, unit));
  }

  /** The place, in code units, of a place in code points. */
  unitOf(point: number): number {
    return this.#points === undefined ? point : this.slice(0, point).length;
  }
}

const outOfRange = (index: Int): ErrorValue => new ErrorValue(`index out of range: ${index}`);

function charAt(text: string, index: Int): Value {
  const points = new CodePoints(text);
  if (index < 0 || index > points.length) return outOfRange(index);
  return points.slice(Number(index), Number(index) + 1);
}

function indexOf(text: string, part: string, from: Int = 0): Value {
  const points = new CodePoints(text);
  if (from < 0) return outOfRange(from);
  if (part === "") return from > points.length ? points.length : from;
  if (from >= points.length) return -1;
  spendSteps(text.length / 8);
  return points.pointOf(text.indexOf(part, points.unitOf(Number(from))));
}

function lastIndexOf(text: string, part: string, from?: Int): Value {
  const points = new CodePoints(text);
  if (from !== undefined && from < 0) return outOfRange(from);
  if (part === "") return from === undefined || from > points.length ? points.length : from;
  if (from === undefined) {
    spendSteps(text.length / 8);
    return points.pointOf(text.lastIndexOf(part));
  }
  if (from >= points.length) return -1;
  spendSteps(text.length / 8);
  return points.pointOf(text.lastIndexOf(part, points.unitOf(Number(from))));
}

function substring(text: string, start: Int, end?: Int): Value {
  const points = new CodePoints(text);
  if (end !== undefined && start > end) {
    return new ErrorValue(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > points.length) return outOfRange(start);
  if (end !== undefined && (end < 0 || end > points.length)) return outOfRange(end);
  return points.slice(Number(start), Number(end ?? points.length));
}

/** The longest text that replacing and joining make. */
const LONGEST = 2 ** 26;

const TOO_LONG = new ErrorValue("string is too long");

function replace(text: string, old: string, by: string, limit: Int = -1): Value {
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  spendSteps(text.length / 8);
  const parts = old === "" ? Array.from(text) : text.split(old);
  const count = Math.min(old === "" ? parts.length + 1 : parts.length - 1, most);
  const length = text.length + count * (by.length - old.length);
  if (length > LONGEST) return TOO_LONG;
  spendSteps(length / 8 + parts.length);
  if (old === "")
    return parts.map((part, index) => (index < count ? by + part : part)).join("") + (count > parts.length ? by : "");
  return (
    parts.slice(0, count + 1).join(by) +
    parts
      .slice(count + 1)
      .map((part) => old + part)
      .join("")
  );
}

function split(text: string, separator: string, limit: Int = -1): Value {
  spendSteps(text.length / 8);
  if (limit === 0) return new ArrayList([]);
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  spendSteps(parts.length);
  if (limit < 0 || parts.length <= limit) return new ArrayList(parts);
  const kept = parts.slice(0, Number(limit) - 1);
  return new ArrayList([...kept, parts.slice(Number(limit) - 1).join(separator)]);
}

function join(list: ListValue, separator = ""): Value {
  const elements: string[] = [];
  let length = 0;
  for (const element of list.toArray()) {
    if (typeof element !== "string") return new ErrorValue(`join: invalid input: ${describeValue(element)}`);
    length += element.length + separator.length;
    elements.push(element);
  }
  if (length > LONGEST) return TOO_LONG;
  spendSteps(length / 8);
  return elements.join(separator);
}

/** What Unicode calls white space, and Go trims. */
const SPACE_BEFORE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const SPACES =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

function trim(text: string): Value {
  spendSteps(text.length / 16);
  let end = text.length;
  while (end > 0 && SPACES.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end).replace(SPACE_BEFORE, "");
}

function changeCase(text: string, pattern: RegExp, change: (letters: string) => string): Value {
  spendSteps(text.length / 8);
  return text.replace(pattern, change);
}

function reverse(text: string): Value {
  spendSteps(text.length);
  return Array.from(text).reverse().join("");
}

const QUOTED: Readonly<Record<string, string>> = dictionary({
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
});

const QUOTABLE = new RegExp(`[${Object.keys(QUOTED).join("").replace("\\", "\\\\")}]`, "g");

function quote(text: string): Value {
  spendSteps(text.length / 8);
  const escaped = text.replace(QUOTABLE, (character) => QUOTED[character] ?? character);
  return `"${escaped}"`;
}

function stringFunction(
  name: string,
  ...rows: readonly (readonly [string, readonly Type[], Type, Overload["call"]])[]
): FunctionDeclaration {
  return {
    name,
    overloads: rows.map(([id, args, result, call]): Overload => ({ id, args, result, call, member: true })),
  };
}

const LIST = listType(STRING);

const FUNCTIONS: readonly FunctionDeclaration[] = [
  stringFunction("charAt", ["string_char_at_int", [STRING, INT], STRING, charAt]),
  stringFunction(
    "indexOf",
    ["string_index_of_string", [STRING, STRING], INT, (text: string, part: string) => indexOf(text, part)],
    ["string_index_of_string_int", [STRING, STRING, INT], INT, indexOf],
  ),
  stringFunction(
    "lastIndexOf",
    ["string_last_index_of_string", [STRING, STRING], INT, (text: string, part: string) => lastIndexOf(text, part)],
    ["string_last_index_of_string_int", [STRING, STRING, INT], INT, lastIndexOf],
  ),
  stringFunction("lowerAscii", [
    "string_lower_ascii",
    [STRING],
    STRING,
    (text: string) => changeCase(text, /[A-Z]+/g, (letters) => letters.toLowerCase()),
  ]),
  stringFunction("upperAscii", [
    "string_upper_ascii",
    [STRING],
    STRING,
    (text: string) => changeCase(text, /[a-z]+/g, (letters) => letters.toUpperCase()),
  ]),
  stringFunction(
    "replace",
    [
      "string_replace_string_string",
      [STRING, STRING, STRING],
      STRING,
      (text: string, old: string, by: string) => replace(text, old, by),
    ],
    ["string_replace_string_string_int", [STRING, STRING, STRING, INT], STRING, replace],
  ),
  stringFunction(
    "split",
    ["string_split_string", [STRING, STRING], LIST, (text: string, separator: string) => split(text, separator)],
    ["string_split_string_int", [STRING, STRING, INT], LIST, split],
  ),
  stringFunction(
    "substring",
    ["string_substring_int", [STRING, INT], STRING, (text: string, start: Int) => substring(text, start)],
    ["string_substring_int_int", [STRING, INT, INT], STRING, substring],
  ),
  stringFunction("trim", ["string_trim", [STRING], STRING, trim]),
  stringFunction(
    "join",
    ["list_join", [LIST], STRING, (list: ListValue) => join(list)],
    ["list_join_string", [LIST, STRING], STRING, join],
  ),
  {
    name: "strings.quote",
    overloads: [{ id: "strings_quote", args: [STRING], result: STRING, call: quote }],
  },
];

function formatFunction(style: FormatStyle): FunctionDeclaration {
  return stringFunction("format", [
    "string_format",
    [STRING, listType(DYN)],
    STRING,
    (text: string, args: ListValue) => formatString(text, args, style),
  ]);
}

/** cel-go's strings in version 2, which Kubernetes has: everything but `reverse`, and lists are formatted as CEL writes them. */
export const STRINGS_2: Library = { functions: [...FUNCTIONS, formatFunction("literal")] };

/** The newest version of cel-go's strings. */
export const STRINGS_4: Library = {
  functions: [
    ...FUNCTIONS,
    formatFunction("plain"),
    stringFunction("reverse", ["string_reverse", [STRING], STRING, reverse]),
  ],
};
