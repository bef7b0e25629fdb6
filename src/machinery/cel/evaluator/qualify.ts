import { isMapKey, MapValue } from "../values/map.js";
import { ListValue } from "../values/list.js";
import {
  describeValue,
  Double,
  ErrorValue,
  ObjectValue,
  OPTIONAL_NONE,
  OptionalValue,
  typeOf,
  Uint,
  type Value,
} from "../values/value.js";

/** Evaluates `operand.key` or `operand[key]`. The result of an optional operand is optional. */
export function qualify(operand: Value, key: Value): Value {
  if (operand instanceof ErrorValue) return operand;
  if (key instanceof ErrorValue) return key;
  if (operand instanceof OptionalValue) return qualifyOptional(operand, key);
  const found = lookUp(operand, key);
  return found === undefined ? missing(operand, key) : found;
}

/** Evaluates `operand.?key` or `operand[?key]`: optional.none() where there is no such value. */
export function qualifyOptional(operand: Value, key: Value): Value {
  if (operand instanceof ErrorValue) return operand;
  if (key instanceof ErrorValue) return key;
  const inner = operand instanceof OptionalValue ? operand.value : operand;
  if (inner === undefined) return OPTIONAL_NONE;
  const present = isPresent(inner, key);
  if (present instanceof ErrorValue) return present;
  if (!present) return OPTIONAL_NONE;
  const found = lookUp(inner, key);
  if (found === undefined) return OPTIONAL_NONE;
  return found instanceof ErrorValue ? found : new OptionalValue(found);
}

/** Evaluates `has(operand.key)`. */
export function isPresent(operand: Value, key: Value): boolean | ErrorValue {
  if (operand instanceof ErrorValue) return operand;
  if (operand instanceof OptionalValue) return operand.value !== undefined && isPresent(operand.value, key);
  if (operand instanceof ObjectValue) return typeof key === "string" ? operand.has(key) : false;
  if (operand instanceof MapValue) {
    const found = lookUp(operand, key);
    return found instanceof ErrorValue ? found : found !== undefined;
  }
  if (operand instanceof ListValue) {
    const found = lookUp(operand, key);
    return found instanceof ErrorValue ? found : found !== undefined;
  }
  return missing(operand, key);
}

/** What is found under a key; undefined: nothing is. */
function lookUp(operand: Value, key: Value): Value | undefined {
  if (operand instanceof ObjectValue && typeof key === "string") return operand.get(key);
  if (operand instanceof MapValue) {
    return isMapKey(key) ? operand.get(key) : new ErrorValue(`unsupported key type: ${typeOf(key).name}`);
  }
  if (operand instanceof ListValue) {
    const index = indexOf(key);
    if (index instanceof ErrorValue) return index;
    return index >= 0 && index < operand.size ? operand.at(index) : undefined;
  }
  return undefined;
}

function indexOf(key: Value): number | ErrorValue {
  if (typeof key === "number") return key;
  if (typeof key === "bigint") return -1;
  if (key instanceof Uint) return Number(key.value);
  if (key instanceof Double && Number.isInteger(key.value)) return key.value;
  if (key instanceof Double) return new ErrorValue(`unsupported index value ${describeValue(key)} in list`);
  return new ErrorValue(`unsupported index type '${typeOf(key).name}' in list`);
}

function missing(operand: Value, key: Value): ErrorValue {
  return new ErrorValue(
    `${operand instanceof ListValue ? "index out of bounds" : "no such key"}: ${describeValue(key)}`,
  );
}
