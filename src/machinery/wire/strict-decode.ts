import { goQuote } from "../../base/text/go-quote.js";
import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { deepCopy } from "../patch/json-values.js";
import { holdsMany, noteFields } from "../meta/holds-many.js";
import type { Field, Schema, StructSchema } from "../schema/schema.js";
import { isOmitted, scalarZero } from "../schema/zero-values.js";
import type { DuplicateKeys } from "./json/exact-json.js";
import { Abort, decodeScalar, TypeFaults } from "./decode-scalar.js";
import { ownValue, setKey } from "./json/own-keys.js";

/** Thrown for a value that does not fit its Go type ("json: cannot unmarshal string into Go struct field ... of type int32"). */
export class UnmarshalError extends Error {
  override readonly name = "UnmarshalError";
}

export interface DecodeOptions {
  /** Ignore skips the work of finding strict errors. The object is the same in every mode. */
  readonly mode?: "Ignore" | "Warn" | "Strict";
  /** From decodeJson, so that repeated keys are reported too. */
  readonly duplicates?: DuplicateKeys | undefined;
  /** The value is the decoder's own, which it may hand out in parts. Else free-form parts of custom resources are copied. */
  readonly isOwned?: boolean;
  /** Free-form parts are copied, all of them: the object shares nothing with the value. */
  readonly sharesNothing?: boolean;
}

export interface DecodedObject<T> {
  readonly object: T;
  /** `unknown field "spec.foo"`, `duplicate field "spec.replicas"`: in the order of the text, at most 100, none twice. */
  readonly strictErrors: readonly string[];
}

/**
 * Decodes a JSON value as Go decodes it into a type: unknown fields are pruned, null is the zero value, keys are
 * case-sensitive; times, quantities and base64 come out in their canonical form; what Go would leave out when it
 * encodes (empty omitempty values) is left out. A struct that preserves unknown fields keeps them. A new object; `value` is not changed, free-form parts are shared with it.
 * Throws an {@link UnmarshalError} with encoding/json's message for the first value that does not fit.
 */
export function decodeObject<T extends object = Record<string, unknown>>(
  value: unknown,
  schema: StructSchema,
  options: DecodeOptions = {},
): DecodedObject<T> {
  const decoder = new Decoder(options);
  return decoder.answer(decoder.struct(value, schema) as T, schema);
}

/** {@link decodeObject} in steps. */
export function* decodeObjectSteps<T extends object = Record<string, unknown>>(
  value: unknown,
  schema: StructSchema,
  options: DecodeOptions = {},
): Steps<DecodedObject<T>> {
  const decoder = new Decoder(options);
  return decoder.answer((yield* decoder.structSteps(value, schema)) as T, schema);
}

const MAX_STRICT_ERRORS = 100;
/** Deeper than any type nests but recursive ones (JSONSchemaProps); keeps hostile documents off the stack. */
const MAX_TYPED_DEPTH = 1_000;

class Decoder {
  readonly strictErrors = new Set<string>();
  readonly #strict: boolean;
  readonly #duplicates: DuplicateKeys | undefined;
  /** The path that strict errors show, ready to be joined. */
  readonly #path: string[] = [];
  readonly #faults = new TypeFaults();
  #depth = 0;

  readonly #isOwned: boolean;
  readonly #sharesNothing: boolean;

  constructor({ mode = "Strict", duplicates, isOwned = false, sharesNothing = false }: DecodeOptions) {
    this.#isOwned = isOwned && duplicates === undefined;
    this.#sharesNothing = sharesNothing;
    this.#strict = mode !== "Ignore";
    this.#duplicates = this.#strict ? duplicates : undefined;
  }

  struct(value: unknown, schema: StructSchema): object {
    try {
      return this.#struct(value, schema);
    } catch (error) {
      return this.#aborted(error);
    }
  }

  *structSteps(value: unknown, schema: StructSchema): Steps<object> {
    try {
      return (yield* this.#steps(value, schema, new Pace())) as object;
    } catch (error) {
      return this.#aborted(error);
    }
  }

  #aborted(error: unknown): object {
    if (!(error instanceof Abort)) throw error;
    this.#faults.end(error);
    return {};
  }

  /** Throws an UnmarshalError for the first value that did not fit. */
  answer<T extends object>(object: T, { conform }: StructSchema): DecodedObject<T> {
    const { first } = this.#faults;
    if (first !== undefined) throw new UnmarshalError(first);
    const unknown = conform?.(object) ?? [];
    const strictErrors = [...this.strictErrors, ...(this.#strict ? unknown : [])];
    return { object, strictErrors: strictErrors.slice(0, MAX_STRICT_ERRORS) };
  }

  /** {@link #value} in steps: the parts that hold many values are walked so, and the others at once. */
  *#steps(value: unknown, schema: Schema, pace: Pace): Steps<unknown> {
    if (schema.type === "scalar" || !isContainer(value, schema) || !holdsMany(value)) return this.#value(value, schema);
    if (schema.type === "list") return yield* this.#listSteps(value as readonly unknown[], schema, pace);
    this.#enter();
    const result: Record<string, unknown> = {};
    const outer = this.#faults.structName;
    const seen = this.#seen(value);
    for (const key of this.#keys(value)) {
      if (pace.isDue()) yield;
      const given = ownValue(value, key);
      let held: unknown;
      if (schema.type === "map") {
        if (this.#isRepeated(seen, key)) continue;
        this.#path.push(this.#path.length === 0 ? key : `.${key}`);
        held = given === null ? zeroOf(schema.values) : yield* this.#steps(given, schema.values, pace);
        this.#path.pop();
        setKey(result, key, held);
        continue;
      }
      const field = this.#enterField(schema, key, seen);
      if (field === undefined) {
        this.#preserve(result, schema, key, given, seen);
        continue;
      }
      if (field.asIs === true) held = yield* this.#copySteps(given, pace);
      else held = this.#kept(given == null ? undefined : yield* this.#steps(given, field.schema, pace), field);
      this.#leaveField(outer);
      if (held !== undefined) setKey(result, key, held);
    }
    this.#depth -= 1;
    return result;
  }

  *#listSteps(value: readonly unknown[], schema: Extract<Schema, { type: "list" }>, pace: Pace): Steps<unknown[]> {
    this.#enter();
    const result: unknown[] = [];
    for (const [index, item] of value.entries()) {
      if (pace.isDue()) yield;
      this.#path.push(`[${index}]`);
      result.push(item === null ? zeroOf(schema.items) : yield* this.#steps(item, schema.items, pace));
      this.#path.pop();
    }
    this.#depth -= 1;
    return result;
  }

  /** Puts a field into the paths that errors show; undefined for one that is not decoded. */
  #enterField(schema: StructSchema, key: string, seen: Set<string> | undefined): Field | undefined {
    const field = schema.byName.get(key);
    if (field === undefined) {
      if (this.#strict && schema.preservesUnknownFields !== true) this.#report("unknown field", key);
      return undefined;
    }
    if (this.#isRepeated(seen, key)) return undefined;
    this.#faults.enter(schema.name, field.inlinedIn === undefined ? key : `${field.inlinedIn}.${key}`);
    this.#path.push(this.#path.length === 0 ? key : `.${key}`);
    return field;
  }

  /** Keeps an unknown field where the struct preserves them: free-form JSON. */
  #preserve(
    result: Record<string, unknown>,
    schema: StructSchema,
    key: string,
    value: unknown,
    seen: Set<string> | undefined,
  ): void {
    if (schema.preservesUnknownFields !== true || schema.byName.has(key) || value === undefined) return;
    if (this.#isRepeated(seen, key)) return;
    if (schema.conform === undefined) {
      setKey(result, key, this.#sharesNothing ? deepCopy(value) : value);
      return;
    }
    this.#path.push(this.#path.length === 0 ? key : `.${key}`);
    setKey(result, key, this.#copy(value));
    this.#path.pop();
  }

  #leaveField(outer: string): void {
    this.#path.pop();
    this.#faults.leave(outer);
  }

  #struct(value: unknown, schema: StructSchema): object {
    if (value === null || value === undefined) return {};
    if (typeof value !== "object" || Array.isArray(value)) {
      this.#faults.mismatch(value, schema);
      return {};
    }
    this.#enter();
    const result: Record<string, unknown> = {};
    const outer = this.#faults.structName;
    const seen = this.#seen(value);
    for (const key of this.#keys(value)) {
      const field = this.#enterField(schema, key, seen);
      if (field === undefined) {
        this.#preserve(result, schema, key, ownValue(value, key), seen);
        continue;
      }
      const held = this.#field(ownValue(value, key), field);
      this.#leaveField(outer);
      if (held !== undefined) setKey(result, key, held);
    }
    this.#depth -= 1;
    return result;
  }

  /** The decoded value, or undefined when it would not be encoded. */
  #field(value: unknown, field: Field): unknown {
    if (field.asIs === true) return this.#copy(value);
    if (value === null || value === undefined) return undefined;
    return this.#kept(this.#value(value, field.schema), field);
  }

  /** A value of any form, with its repeated keys reported. */
  #copy(value: unknown): unknown {
    if (this.#isOwned || typeof value !== "object" || value === null) return value;
    this.#enter();
    const copy = Array.isArray(value) ? this.#copyItems(value) : this.#copyFields(value);
    this.#depth -= 1;
    return copy;
  }

  #copyItems(value: readonly unknown[]): unknown[] {
    return value.map((item, index) => {
      if (isScalar(item)) return item;
      this.#path.push(`[${index}]`);
      const copy = this.#copy(item);
      this.#path.pop();
      return copy;
    });
  }

  #copyFields(value: object): object {
    const copy: Record<string, unknown> = {};
    const seen = this.#seen(value);
    for (const key of this.#keys(value)) {
      if (this.#isRepeated(seen, key)) continue;
      const held = ownValue(value, key);
      if (isScalar(held)) {
        setKey(copy, key, held);
        continue;
      }
      this.#path.push(`.${key}`);
      setKey(copy, key, this.#copy(held));
      this.#path.pop();
    }
    return copy;
  }

  /** {@link #copy} in steps. */
  *#copySteps(value: unknown, pace: Pace): Steps<unknown> {
    if (this.#isOwned || typeof value !== "object" || value === null || !holdsMany(value)) return this.#copy(value);
    this.#enter();
    const copy: object = Array.isArray(value)
      ? yield* this.#copyItemsSteps(value, pace)
      : yield* this.#copyFieldsSteps(value, pace);
    this.#depth -= 1;
    return copy;
  }

  *#copyItemsSteps(value: readonly unknown[], pace: Pace): Steps<unknown[]> {
    const copy: unknown[] = [];
    for (const [index, item] of value.entries()) {
      if (pace.isDue()) yield;
      if (isScalar(item)) {
        copy.push(item);
        continue;
      }
      this.#path.push(`[${index}]`);
      copy.push(yield* this.#copySteps(item, pace));
      this.#path.pop();
    }
    return copy;
  }

  *#copyFieldsSteps(value: object, pace: Pace): Steps<object> {
    const copy: Record<string, unknown> = {};
    const seen = this.#seen(value);
    let count = 0;
    for (const key of this.#keys(value)) {
      if (pace.isDue()) yield;
      if (this.#isRepeated(seen, key)) continue;
      count += 1;
      const held = ownValue(value, key);
      if (isScalar(held)) {
        setKey(copy, key, held);
        continue;
      }
      this.#path.push(`.${key}`);
      setKey(copy, key, yield* this.#copySteps(held, pace));
      this.#path.pop();
    }
    noteFields(copy, count);
    return copy;
  }

  /** What a field keeps of a decoded value. */
  #kept(decoded: unknown, field: Field): unknown {
    if (field.pointer || decoded === undefined) return decoded;
    if (field.omitEmpty && isOmitted(decoded, field.schema) && !isReset(field, decoded)) return undefined;
    return field.omitZero && isZero(decoded) ? undefined : decoded;
  }

  #value(value: unknown, schema: Schema): unknown {
    switch (schema.type) {
      case "struct":
        return this.#struct(value, schema);
      case "map":
        return this.#map(value, schema);
      case "list":
        return this.#list(value, schema);
      case "scalar":
        if (schema.scalar !== "any") return decodeScalar(value, schema, this.#faults);
        return this.#sharesNothing ? deepCopy(value) : value;
    }
  }

  #map(value: unknown, schema: Extract<Schema, { type: "map" }>): unknown {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.#faults.mismatch(value, schema);
      return undefined;
    }
    this.#enter();
    const result: Record<string, unknown> = {};
    const seen = this.#seen(value);
    for (const key of this.#keys(value)) {
      if (this.#isRepeated(seen, key)) continue;
      this.#path.push(this.#path.length === 0 ? key : `.${key}`);
      const held = ownValue(value, key);
      setKey(result, key, held === null ? zeroOf(schema.values) : this.#value(held, schema.values));
      this.#path.pop();
    }
    this.#depth -= 1;
    return result;
  }

  #list(value: unknown, schema: Extract<Schema, { type: "list" }>): unknown {
    if (!Array.isArray(value)) {
      this.#faults.mismatch(value, schema);
      return undefined;
    }
    this.#enter();
    const result = value.map((item: unknown, index) => {
      if (item === null) return zeroOf(schema.items);
      this.#path.push(`[${index}]`);
      const held = this.#value(item, schema.items);
      this.#path.pop();
      return held;
    });
    this.#depth -= 1;
    return result;
  }

  #report(type: "unknown field" | "duplicate field", key: string): void {
    if (this.strictErrors.size >= MAX_STRICT_ERRORS) return;
    const parent = this.#path.join("");
    this.strictErrors.add(`${type} ${goQuote(parent === "" ? key : `${parent}.${key}`)}`);
  }

  #keys(value: object): Iterable<string> {
    return this.#duplicates?.get(value) ?? Object.keys(value);
  }

  #seen(value: object): Set<string> | undefined {
    return this.#duplicates?.has(value) === true ? new Set() : undefined;
  }

  #isRepeated(seen: Set<string> | undefined, key: string): boolean {
    if (seen === undefined) return false;
    if (seen.has(key)) {
      this.#report("duplicate field", key);
      return true;
    }
    seen.add(key);
    return false;
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_TYPED_DEPTH) throw new Abort("exceeded max depth");
  }
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;

/** Whether a value has the form of its schema's type. */
const isContainer = (value: unknown, { type }: Schema): value is object =>
  typeof value === "object" && value !== null && Array.isArray(value) === (type === "list");

/** What null becomes as an element of a list or a value of a map, where it cannot be left out. */
function zeroOf(schema: Schema): unknown {
  if (schema.type === "list") return [];
  if (schema.type !== "scalar") return {};
  // A nil []byte comes back from storage as an empty one.
  return schema.scalar === "bytes" ? "" : scalarZero[schema.scalar];
}

function isZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}

/** An empty list of managed fields says something: forget them. */
const isReset = (field: Field, decoded: unknown): boolean => field.name === "managedFields" && Array.isArray(decoded);
