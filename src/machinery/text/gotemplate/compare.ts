import { compareKeys } from "../../../base/collections/key-order.js";
import { formatValue } from "./format-value.js";
import { FunctionError } from "./template-error.js";
import { type Concrete, type GoValue, typeName, unboxed } from "./values.js";

type Known = Concrete | { readonly kind: "invalid" };

/** `eq`: whether the first equals any of the others. Throws {@link FunctionError} for what cannot be compared. */
export function equalsAny(first: GoValue, others: readonly GoValue[]): boolean {
  if (others.length === 0) throw new FunctionError("missing argument for comparison");
  const left = unboxed(first);
  return others.some((other) => equal(left, unboxed(other)));
}

/** `lt`. Throws {@link FunctionError} for what has no order. */
export function isLess(first: GoValue, second: GoValue): boolean {
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
