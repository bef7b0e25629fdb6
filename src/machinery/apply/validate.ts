import { goQuote } from "../../base/go-quote.js";
import { compareKeys } from "../../base/key-order.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { formatGo } from "../patch/json-values.js";
import { TypeMismatch } from "./apply-error.js";
import { itemElement } from "./list-items.js";
import { elementText, type PathElement } from "./path-element.js";
import {
  firstShape,
  type ListDescriptor,
  type MapDescriptor,
  shapeOf,
  type TypeDescriptor,
} from "./type-descriptor.js";

/**
 * Throws a {@link TypeMismatch} unless the value fits the type: only declared fields, scalars of the right kind, items
 * that can be told apart and are (unless `allowDuplicates`).
 */
export function validate(value: JsonValue, type: TypeDescriptor, { allowDuplicates = false } = {}): void {
  const problems: string[] = [];
  new Validation(problems, allowDuplicates).visit(value, type, "");
  if (problems.length > 0) throw new TypeMismatch(problems);
}

class Validation {
  constructor(
    private readonly problems: string[],
    private readonly allowDuplicates: boolean,
  ) {}

  visit(value: JsonValue, type: TypeDescriptor, path: string): void {
    switch (shapeOf(type, value) ?? firstShape(type)) {
      case "scalar":
        return this.#scalar(value, type, path);
      case "list":
        return this.#list(value, type.list as ListDescriptor, path);
      case "map":
        return this.#map(value, type.map as MapDescriptor, path);
    }
  }

  #report(path: string, text: string): void {
    this.problems.push(path === "" ? text : `${path}: ${text}`);
  }

  #scalar(value: JsonValue, type: TypeDescriptor, path: string): void {
    if (value === null) return;
    switch (type.scalar) {
      case "numeric":
        if (typeof value !== "number" && typeof value !== "bigint") {
          this.#report(path, `expected numeric (int or float), got ${goType(value)}`);
        }
        return;
      case "string":
        if (typeof value !== "string") {
          this.#report(path, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
        }
        return;
      case "boolean":
        if (typeof value !== "boolean") this.#report(path, `expected boolean, got &{${formatGo(value)}}`);
        return;
      case "untyped":
      case undefined:
        if (typeof value === "object") this.#report(path, `expected any scalar, got &{${formatGo(value)}}`);
    }
  }

  #list(value: JsonValue, list: ListDescriptor, path: string): void {
    if (value === null) return;
    if (!Array.isArray(value)) return this.#report(path, `expected list, got &{${formatGo(value)}}`);
    const seen = new Set<PathElement>();
    for (const [index, item] of value.entries()) {
      let element: PathElement = `i:${index}`;
      if (list.associative) {
        try {
          element = itemElement(list, item);
        } catch (error) {
          if (!(error instanceof TypeMismatch)) throw error;
          return this.#report(path, `element ${index}: ${error.message}`);
        }
        if (seen.has(element) && !this.allowDuplicates) {
          this.#report(path, `duplicate entries for key ${elementText(element)}`);
        }
        seen.add(element);
      }
      this.visit(item, list.items, path + elementText(element));
    }
  }

  #map(value: JsonValue, map: MapDescriptor, path: string): void {
    if (value === null) return;
    if (!isJsonObject(value)) return this.#report(path, `expected map, got &{${formatGo(value)}}`);
    for (const key of Object.keys(value)) {
      const type = map.field(key) ?? map.values;
      if (type === undefined) return this.#report(`${path}.${key}`, "field not declared in schema");
      this.visit(value[key] as JsonValue, type, `${path}.${key}`);
    }
  }
}

/** Go's %T. */
function goType(value: JsonValue): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

/** Go's %#v. */
function goSyntax(value: JsonValue): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (isJsonObject(value)) return goMapSyntax(value);
  return formatGo(value);
}

function goMapSyntax(value: JsonObject): string {
  const keys = Object.keys(value).sort(compareKeys);
  const fields = keys.map((key) => `${goQuote(key)}:${goSyntax(value[key] as JsonValue)}`);
  return `map[string]interface {}{${fields.join(", ")}}`;
}
