import { goTypeName } from "../go/go-values.js";
import type { JsonValue } from "../../meta/json.js";
import { JsonPathError } from "./jsonpath-error.js";

/** A value with the kind Go gives it. The literals of a template carry theirs; data is judged by its value. */
export interface Operand {
  readonly value: JsonValue;
  readonly float: boolean;
}

type Kind = "bool" | "int" | "float" | "string";

/** The filter operators, with Go templates' rules: no mixing of kinds, no order among booleans. */
export function compare(operator: string, left: Operand, right: Operand): boolean {
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
