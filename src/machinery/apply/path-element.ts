import { int64Of } from "../../base/numbers/int64.js";
import { goQuote } from "../../base/text/go-quote.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { decodeJson, maxBodyDepth } from "../wire/json/json-decoder.js";
import { encodeJson, encodeJsonScalar, encodeNumber } from "../wire/json/json-encoder.js";
import { isJsonObject, type JsonValue } from "../meta/json.js";

/**
 * One step into an object, written as in fieldsV1: `f:<name>` a field or map key, `k:{"name":"a"}` a list item by its
 * keys, `v:"x"` an item of a set, `i:0` an index. The writing is canonical: equal steps are equal strings.
 */
export type PathElement = string;

export function fieldElement(name: string): PathElement {
  let element = elements.get(name);
  if (element === undefined) {
    element = newFieldElement(name);
    if (elements.size >= REMEMBERED) elements.clear();
    if (name.length <= REMEMBERED_LENGTH) elements.set(name, element);
  }
  return element;
}

/** {@link fieldElement} without its cache, for a name that will hardly occur again. */
export const newFieldElement = (name: string): PathElement => `f:${name}`;

/** The same fields come again and again, and a new string takes long to become the key of an object. */
const elements = new Map<string, PathElement>();
const REMEMBERED = 10_000;
const REMEMBERED_LENGTH = 64;

export const valueElement = (value: JsonValue): PathElement => `v:${encodeShort(value)}`;

const encodeShort = (value: JsonValue): string =>
  typeof value === "object" && value !== null ? encodeJson(value) : encodeJsonScalar(value);

/** Makes the path element of a list item that keys identify. `fields` may be in any order. */
export function keyElement(fields: readonly (readonly [name: string, value: JsonValue])[]): PathElement {
  const sorted = fields.length < 2 ? fields : fields.toSorted(([a], [b]) => compareKeys(a, b));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${encodeShort(value)}`).join(",")}}`;
}

/**
 * Parses a path element that a client sent, and returns its canonical form; undefined for an unknown kind, which readers drop.
 * Throws an Error for a malformed one.
 */
export function parseElement(text: string): PathElement | undefined {
  if (Buffer.byteLength(text) < 2) throw new Error("key must be 2 characters long:");
  if (text[1] !== ":") throw new Error(`missing colon: ${text}`);
  const payload = text.slice(2);
  switch (text.charAt(0)) {
    case "f":
      return text;
    case "v":
      return valueElement(decodeJson(payload, { maxDepth: maxBodyDepth }).value);
    case "k": {
      const value = decodeJson(payload, { maxDepth: maxBodyDepth }).value;
      if (value === null) return keyElement([]);
      if (!isJsonObject(value)) throw new Error(`expect { or n, but found ${payload.trim()[0] ?? ""}`);
      return keyElement(Object.entries(value));
    }
    case "i":
      if (!/^[+-]?\d+$/.test(payload)) throw new Error(`strconv.Atoi: parsing ${goQuote(payload)}: invalid syntax`);
      return `i:${indexOf(payload)}`;
    default:
      return undefined;
  }
}

function indexOf(digits: string): bigint {
  const index = int64Of(digits);
  if (index === undefined) throw new Error(`strconv.Atoi: parsing ${goQuote(digits)}: value out of range`);
  return index;
}

/** Returns the readable form of a step: `.replicas`, `[name="nginx"]`, `[="x"]`, `[0]`. */
export function elementText(element: PathElement): string {
  const payload = element.slice(2);
  switch (element.charAt(0)) {
    case "f":
      return `.${payload}`;
    case "k":
      return `[${keyFields(element)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${valueText(decodeJson(payload).value)}]`;
    default:
      return `[${payload}]`;
  }
}

export const pathText = (path: readonly PathElement[]): string => path.map(elementText).join("");

/** Returns the names and values of a `k:` step, sorted by name. */
export function keyFields(element: PathElement): [name: string, value: JsonValue][] {
  const [, name, text] = ONE_PLAIN_KEY.exec(element) ?? [];
  if (name !== undefined && text !== undefined) return [[name, text]];
  const value = decodeJson(element.slice(2)).value;
  return isJsonObject(value) ? Object.entries(value).sort(([a], [b]) => compareKeys(a, b)) : [];
}

/** Most steps into lists: one key, in whose text nothing is escaped. */
const ONE_PLAIN_KEY = /^k:\{"([^"\\]*)":"([^"\\]*)"\}$/;
const PLAIN_TEXT = /^v:"([^"\\]*)"$/;

function valueText(value: JsonValue): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return encodeNumber(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`;
  if (isJsonObject(value)) {
    return Object.entries(value)
      .map(([name, held]) => `${name}=${valueText(held)}`)
      .join("");
  }
  return String(value);
}

const KINDS = "fkvi";

/** A path element with its parsed parts, so that they are parsed once for all comparisons. */
export interface RankedElement {
  readonly element: PathElement;
  readonly kind: number;
  /** The names and values of a `k:` step. */
  readonly fields?: readonly (readonly [string, JsonValue])[];
  /** The value of a `v:` step. */
  readonly value?: JsonValue;
}

export function rankElement(element: PathElement): RankedElement {
  const kind = KINDS.indexOf(element.charAt(0));
  switch (kind) {
    case 1:
      return { element, kind, fields: keyFields(element) };
    case 2:
      return { element, kind, value: PLAIN_TEXT.exec(element)?.[1] ?? decodeJson(element.slice(2)).value };
    default:
      return { element, kind };
  }
}

/** As {@link compareElements}, for ranked elements. */
export function compareRanked(a: RankedElement, b: RankedElement): number {
  if (a.element === b.element) return 0;
  if (a.kind !== b.kind) return a.kind - b.kind;
  switch (a.kind) {
    case 0:
      return compareKeys(a.element, b.element);
    case 1:
      return compareFieldLists(a.fields ?? [], b.fields ?? []);
    case 2:
      return compareValues(a.value ?? null, b.value ?? null);
    default:
      return Number(a.element.slice(2)) - Number(b.element.slice(2));
  }
}

/** Compares steps in the order of fieldsV1: fields by their bytes, then keys, then values, then indexes. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  if (a.charCodeAt(0) === FIELD && b.charCodeAt(0) === FIELD) return compareKeys(a, b);
  return compareRanked(rankElement(a), rankElement(b));
}

const FIELD = 0x66;

function compareFieldLists(
  a: readonly (readonly [string, JsonValue])[],
  b: readonly (readonly [string, JsonValue])[],
): number {
  for (let index = 0; ; index++) {
    const left = a[index];
    const right = b[index];
    if (left === undefined || right === undefined) return a.length - b.length;
    const order = compareKeys(left[0], right[0]) || compareValues(left[1], right[1]);
    if (order !== 0) return order;
  }
}

/** Numbers, strings, booleans, lists, objects, null. */
function compareValues(a: JsonValue, b: JsonValue): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left !== right) return left - right;
  if (typeof a === "string") return compareKeys(a, b as string);
  if (Array.isArray(a)) {
    const other = b as JsonValue[];
    for (let index = 0; index < Math.min(a.length, other.length); index++) {
      const order = compareValues(a[index] ?? null, other[index] ?? null);
      if (order !== 0) return order;
    }
    return a.length - other.length;
  }
  if (isJsonObject(a)) {
    const sorted = (value: JsonValue) => Object.entries(value as object).sort(([x], [y]) => compareKeys(x, y));
    return compareFieldLists(sorted(a), sorted(b));
  }
  if (a === null || b === null || a === b) return 0;
  return a < b ? -1 : a > b ? 1 : 0;
}

function rankOf(value: JsonValue): number {
  if (typeof value === "number" || typeof value === "bigint") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  return value === null ? 5 : Array.isArray(value) ? 3 : 4;
}
