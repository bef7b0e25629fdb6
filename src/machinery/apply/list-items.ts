import { goQuote } from "../../base/text/go-quote.js";
import { isJsonObject, type JsonValue } from "../meta/json.js";
import { getOwn } from "../patch/json-values.js";
import { TypeMismatch } from "./apply-error.js";
import { keyElement, type PathElement, valueElement } from "./path-element.js";
import type { ListDescriptor } from "./type-descriptor.js";

/** How an item of an associative list is told apart. Throws a {@link TypeMismatch} for one that cannot be. */
export function itemElement(list: ListDescriptor, item: JsonValue): PathElement {
  if (list.keys.length === 0) {
    if (item === null) throw problem("associative list without keys has an element that's an explicit null");
    if (Array.isArray(item)) throw problem("not supported: associative list with lists as elements");
    if (isJsonObject(item)) throw problem("associative list without keys has an element that's a map type");
    return valueElement(item);
  }
  if (item === null) throw problem("associative list with keys may not have a null element");
  if (!isJsonObject(item)) throw problem("associative list with keys may not have non-map elements");
  const fields: [string, JsonValue][] = [];
  for (const key of list.keys) {
    const value = getOwn(item, key) ?? (Object.hasOwn(item, key) ? null : list.keyDefaults.get(key));
    if (value !== undefined) fields.push([key, value as JsonValue]);
  }
  if (fields.length === 0) {
    const keys = `[${list.keys.map(goQuote).join(" ")}]`;
    throw problem(
      `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(fields);
}

/** Whether {@link itemElement} has an answer. */
export function isIdentifiable(list: ListDescriptor, item: JsonValue): boolean {
  if (list.keys.length === 0) return item === null ? false : typeof item !== "object";
  return isJsonObject(item) && list.keys.some((key) => Object.hasOwn(item, key) || list.keyDefaults.has(key));
}

const problem = (text: string) => new TypeMismatch([text]);
