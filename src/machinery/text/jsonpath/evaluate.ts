import { append } from "../../../base/collections/append.js";
import { goTypeName, goV } from "../go/go-values.js";
import { isJsonObject, type JsonValue } from "../../meta/json.js";
import { JsonPathError, type Bound, type Step, type Template } from "./nodes.js";

/** The values that one text or action of the template found, in order. */
export type Found = readonly Operand[];

export interface EvaluateOptions {
  /** A missing field finds nothing instead of being an error. */
  readonly allowMissingKeys: boolean;
}

/** Runs a template over a value: one entry for each text and action that was passed, ranges unrolled. */
export function evaluate(template: Template, data: JsonValue, options: EvaluateOptions): readonly Found[] {
  return new Evaluation(template, options).run(data, 0, template.length);
}

const operand = (value: JsonValue): Operand => ({ value, float: false });

class Evaluation {
  readonly #template: Template;
  readonly #options: EvaluateOptions;
  /** Counters of identifiers that were met but not acted upon yet, as client-go keeps them. */
  #begins = 0;
  #depth = 0;
  #ends = 0;
  #lastEnd = -1;

  constructor(template: Template, options: EvaluateOptions) {
    this.#template = template;
    this.#options = options;
  }

  run(data: JsonValue, from: number, to: number): Found[] {
    const found: Found[] = [];
    for (let at = from; at < to; at += 1) {
      const part = this.#template[at];
      if (part === undefined) break;
      const results = part.kind === "text" ? [operand(part.text)] : this.#walk([operand(data)], part.steps);
      if (this.#ends > 0 && this.#ends <= this.#depth) {
        this.#ends -= 1;
        this.#lastEnd = at;
        break;
      }
      if (this.#begins > 0) {
        this.#begins -= 1;
        this.#depth += 1;
        for (const { value } of results) append(found, this.run(value, at + 1, to));
        // Nothing to range over: the body is passed once all the same, to find where it ends.
        if (results.length === 0) this.run(null, at + 1, to);
        this.#depth -= 1;
        if (this.#lastEnd > at) at = this.#lastEnd;
        continue;
      }
      found.push(results);
    }
    return found;
  }

  #walk(input: Found, steps: readonly Step[]): Found {
    let current = input;
    for (const step of steps) current = this.#step(current, step);
    return current;
  }

  #step(input: Found, step: Step): Found {
    switch (step.kind) {
      case "text":
        return [operand(step.text)];
      case "literal":
        return input.map(() => ({ value: step.value, float: step.float }));
      case "field":
        return this.#field(input, step.name);
      case "wildcard":
        return input.flatMap(({ value }) => children(value)).map(operand);
      case "recursive":
        return input.flatMap(({ value }) => descend(value)).map(operand);
      case "slice":
        return slice(input, step.from, step.to, step.step);
      case "union":
        return step.alternatives.flatMap((alternative) => this.#walk(input, alternative));
      case "filter":
        return this.#filter(input, step);
      case "identifier":
        return this.#identifier(input, step.name);
    }
  }

  #identifier(input: Found, name: string): Found {
    if (name === "range") {
      this.#begins += 1;
      return input;
    }
    if (name !== "end") throw new JsonPathError(`unrecognized identifier ${name}`);
    if (this.#depth === 0) throw new JsonPathError("not in range, nothing to end");
    this.#ends += 1;
    return [];
  }

  #field(input: Found, name: string): Found {
    if (input.length === 0) return [];
    const found: Operand[] = [];
    for (const { value } of input) {
      if (!isJsonObject(value) || !Object.hasOwn(value, name)) continue;
      const held = value[name];
      if (held !== undefined) found.push(operand(held));
    }
    if (found.length === 0 && !this.#options.allowMissingKeys) throw new JsonPathError(`${name} is not found`);
    return found;
  }

  #filter(input: Found, step: Step & { kind: "filter" }): Found {
    const kept: Operand[] = [];
    for (const { value } of input) {
      if (!Array.isArray(value)) throw new JsonPathError(`${goV(value)} is not array or slice and cannot be filtered`);
      for (const item of value) {
        if (this.#passes(operand(item), step)) kept.push(operand(item));
      }
    }
    return kept;
  }

  #passes(item: Operand, step: Step & { kind: "filter" }): boolean {
    if (step.operator === "exists") return this.#finds(item, step.left);
    const left = one(this.#walk([item], step.left));
    if (left === undefined) return false;
    const right = one(this.#walk([item], step.right));
    return right !== undefined && compare(step.operator, left, right);
  }

  /** As in client-go, a path that does not fit counts as found; only one that ends at a missing field does not. */
  #finds(item: Operand, steps: readonly Step[]): boolean {
    try {
      return this.#walk([item], steps).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError) return !error.message.endsWith(" is not found");
      throw error;
    }
  }
}

function one(found: Found): Operand | undefined {
  if (found.length > 1) throw new JsonPathError("can only compare one element at a time");
  return found[0];
}

/** Members in the order of their keys (Go's order is random); the bytes of a string, as Go's reflection has them. */
function children(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return Array.from(new TextEncoder().encode(value));
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, held]) => held);
}

/** Every value that holds others, itself first. */
function descend(value: JsonValue): readonly JsonValue[] {
  const found: JsonValue[] = [];
  const pending = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const held = children(next);
    if (held.length === 0) continue;
    found.push(next);
    if (typeof next !== "string") append(pending, held.toReversed());
  }
  return found;
}

function slice(input: Found, from: Bound, to: Bound, step: Bound): Found {
  const found: Operand[] = [];
  for (const { value } of input) {
    if (value === null) continue;
    if (!Array.isArray(value)) throw new JsonPathError(`${goTypeName(value)} is not array or slice`);
    const { length } = value;
    let start = from?.value ?? 0;
    if (start < 0) start += length;
    let end = to?.value ?? length;
    if (end < 0 || (end === 0 && to?.derived === true)) end += length;
    // Asking for nothing is allowed, and ends the search in what is left of the input too.
    if (start === end) return found;
    if (start >= length || start < 0) throw outOfBounds(start, length);
    if (end > length || end < 0) throw outOfBounds(end - 1, length);
    if (start > end) throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`);
    if (step !== undefined && step.value <= 0) throw new JsonPathError("step must be > 0");
    for (let at = start; at < end; at += step?.value ?? 1) {
      const item = value[at];
      if (item !== undefined) found.push(operand(item));
    }
  }
  return found;
}

function outOfBounds(index: number, length: number): JsonPathError {
  return new JsonPathError(`array index out of bounds: index ${index}, length ${length}`);
}

/** A value with its kind in Go. Literals of a template have their own; that of data follows from its value. */
export interface Operand {
  readonly value: JsonValue;
  readonly float: boolean;
}

type Kind = "bool" | "int" | "float" | "string";

/** The filter operators, with Go templates' rules: no mixing of kinds, no order among booleans. */
function compare(operator: string, left: Operand, right: Operand): boolean {
  switch (operator) {
    case "==":
      return equal(left, right);
    case "!=":
      return !equal(left, right);
    case "<":
      return less(left, right);
    case "<=":
      return less(left, right) || equal(left, right);
    case ">":
      return !less(left, right) && !equal(left, right);
    case ">=":
      return !less(left, right);
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

function kindOf({ value, float }: Operand): Kind {
  if (float) return "float";
  const name = goTypeName(value);
  if (name === "bool" || name === "string") return name;
  if (name === "int64") return "int";
  if (name === "float64") return "float";
  throw new JsonPathError("invalid type for comparison");
}

function kindsOf(left: Operand, right: Operand): Kind {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) throw new JsonPathError("incompatible types for comparison");
  return kind;
}

function equal(left: Operand, right: Operand): boolean {
  kindsOf(left, right);
  return left.value === right.value;
}

function less(left: Operand, right: Operand): boolean {
  const a = left.value;
  const b = right.value;
  if (kindsOf(left, right) === "bool" || a === null || b === null)
    throw new JsonPathError("invalid type for comparison");
  return a < b;
}
