import { Pace } from "../../base/time/pace.js";
import { atOnce, type Steps } from "../../base/async/steps.js";
import { goQuote } from "../../base/text/go-quote.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { formatGo } from "../patch/json-values.js";
import { TypeMismatch } from "./apply-error.js";
import { itemElement } from "./list-items.js";
import { elementText, fieldElement, type PathElement, pathText } from "./path-element.js";
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
export function validate(
  value: JsonValue,
  type: TypeDescriptor,
  options: { readonly allowDuplicates?: boolean } = {},
): void {
  atOnce(validateSteps(value, type, options));
}

/** {@link validate} in steps. */
export function* validateSteps(
  value: JsonValue,
  type: TypeDescriptor,
  { allowDuplicates = false }: { readonly allowDuplicates?: boolean } = {},
): Steps<void> {
  const problems: string[] = [];
  yield* new Validation(problems, allowDuplicates).visit(value, type, undefined);
  if (problems.length > 0) throw new TypeMismatch(problems);
}

/** The way to a value, made text where there is a problem. */
interface Path {
  readonly parent: Path | undefined;
  readonly element: PathElement;
}

function textOf(path: Path | undefined): string {
  const elements: PathElement[] = [];
  for (let at = path; at !== undefined; at = at.parent) elements.push(at.element);
  return pathText(elements.reverse());
}

class Validation {
  constructor(
    private readonly problems: string[],
    private readonly allowDuplicates: boolean,
    private readonly pace = new Pace(),
  ) {}

  *visit(value: JsonValue, type: TypeDescriptor, path: Path | undefined): Steps<void> {
    switch (shapeOf(type, value) ?? firstShape(type)) {
      case "scalar":
        return this.#scalar(value, type, path);
      case "list":
        return yield* this.#list(value, type.list as ListDescriptor, path);
      case "map":
        return yield* this.#map(value, type.map as MapDescriptor, path);
    }
  }

  #report(path: Path | undefined, text: string): void {
    const at = textOf(path);
    this.problems.push(at === "" ? text : `${at}: ${text}`);
  }

  #scalar(value: JsonValue, type: TypeDescriptor, path: Path | undefined): void {
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

  *#list(value: JsonValue, list: ListDescriptor, path: Path | undefined): Steps<void> {
    if (value === null) return;
    if (!Array.isArray(value)) return this.#report(path, `expected list, got &{${formatGo(value)}}`);
    const seen = new Set<PathElement>();
    for (const [index, item] of value.entries()) {
      if (this.pace.isDue()) yield;
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
      yield* this.visit(item, list.items, { parent: path, element });
    }
  }

  *#map(value: JsonValue, map: MapDescriptor, path: Path | undefined): Steps<void> {
    if (value === null) return;
    if (!isJsonObject(value)) return this.#report(path, `expected map, got &{${formatGo(value)}}`);
    for (const key of Object.keys(value)) {
      if (this.pace.isDue()) yield;
      const type = map.field(key) ?? map.values;
      const at = { parent: path, element: fieldElement(key) };
      if (type === undefined) return this.#report(at, "field not declared in schema");
      const held = value[key] as JsonValue;
      if (typeof held !== "object" && type.scalar !== undefined) this.#scalar(held, type, at);
      else yield* this.visit(held, type, at);
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
