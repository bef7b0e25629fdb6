import { errorMessage } from "../../base/text/error-message.js";
import type { ScalarSchema, Schema } from "../schema/schema.js";
import { canonicalizeBase64 } from "../text/go/go-base64.js";
import { canonicalizeMicroTime, canonicalizeTime } from "../text/go/go-time.js";
import { canonicalizeQuantity } from "../text/quantity/quantity.js";
import { goTypeOf, goValueOf } from "./go-types.js";

/** The error of a Go type's UnmarshalJSON, which ends decoding at once. */
export class Abort extends Error {}

/** Collects the values that do not fit their Go types, with encoding/json's messages, and tracks the field that is being decoded for them. */
export class TypeFaults {
  readonly #fields: string[] = [];
  #structName = "";
  #first: string | undefined;

  /** The message of the first value with a wrong type; decoding goes on, as in Go. */
  get first(): string | undefined {
    return this.#first;
  }

  /** The struct whose field is being decoded. */
  get structName(): string {
    return this.#structName;
  }

  /** Begins a field of a struct. */
  enter(structName: string, field: string): void {
    this.#structName = structName;
    this.#fields.push(field);
  }

  /** Ends the field; the one around it is of the struct `outer`. */
  leave(outer: string): void {
    this.#fields.pop();
    this.#structName = outer;
  }

  /** Decoding has ended with this error, whatever was wrong before. */
  end(error: Abort): void {
    this.#first = error.message;
  }

  mismatch(value: unknown, schema: Schema): undefined {
    this.fail(goValueOf(value), schema);
    return undefined;
  }

  fail(what: string, schema: Schema): void {
    this.#first ??= this.#typeError(what, goTypeOf(schema));
  }

  /** Notes an error of another kind than a wrong type. */
  note(message: string): void {
    this.#first ??= message;
  }

  abort(value: unknown, goType: string): Abort {
    const isNumber = typeof value === "number" || typeof value === "bigint";
    return new Abort(
      this.#typeError(isNumber && goType !== "string" ? `number ${String(value)}` : goValueOf(value), goType),
    );
  }

  #typeError(what: string, goType: string): string {
    const target = this.#fields.length === 0 ? "value" : `struct field ${this.#structName}.${this.#fields.join(".")}`;
    return `json: cannot unmarshal ${what} into Go ${target} of type ${goType}`;
  }
}

/** Go's zero time, which it encodes as null. */
const ZERO_TIME = /^0001-01-01T00:00:00(\.000000)?Z$/;

/** Decodes a value of one of Go's scalar types to its canonical form; records a fault and returns undefined for one that does not fit. */
export function decodeScalar(value: unknown, schema: ScalarSchema, faults: TypeFaults): unknown {
  switch (schema.scalar) {
    case "string":
      return typeof value === "string" ? value : faults.mismatch(value, schema);
    case "bool":
      return typeof value === "boolean" ? value : faults.mismatch(value, schema);
    case "int32":
    case "int64":
      return decodeInteger(value, schema, faults);
    case "float64":
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : faults.mismatch(value, schema);
    case "any":
      return value;
    case "intOrString":
      if (typeof value === "string") return value;
      if (isIntegerIn(value, 32)) return Number(value);
      throw faults.abort(value, "int32");
    case "quantity":
      return parse(() => canonicalizeQuantity(quantityText(value)));
    case "time":
      return decodeTime(value, canonicalizeTime, faults);
    case "microTime":
      return decodeTime(value, canonicalizeMicroTime, faults);
    case "duration":
      if (typeof value !== "string") throw faults.abort(value, "string");
      return value;
    case "bytes":
      return decodeBytes(value, schema, faults);
  }
}

function decodeInteger(value: unknown, schema: ScalarSchema, faults: TypeFaults): unknown {
  if (typeof value !== "number" && typeof value !== "bigint") return faults.mismatch(value, schema);
  if (isIntegerIn(value, schema.scalar === "int32" ? 32 : 64)) return value;
  faults.fail(`number ${String(value)}`, schema);
  return undefined;
}

function decodeTime(value: unknown, canonicalize: (text: string) => string, faults: TypeFaults): string | null {
  if (typeof value !== "string") throw faults.abort(value, "string");
  const time = parse(() => canonicalize(value));
  return ZERO_TIME.test(time) ? null : time;
}

function decodeBytes(value: unknown, schema: ScalarSchema, faults: TypeFaults): unknown {
  if (typeof value !== "string") return faults.mismatch(value, schema);
  try {
    return canonicalizeBase64(value);
  } catch (error) {
    faults.note(errorMessage(error));
    return undefined;
  }
}

function parse(canonicalize: () => string): string {
  try {
    return canonicalize();
  } catch (error) {
    throw new Abort(errorMessage(error));
  }
}

function isIntegerIn(value: unknown, bits: 32 | 64): value is number | bigint {
  if (typeof value === "bigint") return bits === 64 && BigInt.asIntN(64, value) === value;
  if (typeof value !== "number" || !Number.isInteger(value)) return false;
  return bits === 32 ? (value | 0) === value : Number.isSafeInteger(value);
}

function quantityText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : "?";
}
