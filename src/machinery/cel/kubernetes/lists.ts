import type { FunctionDeclaration, Implementation, Library, Overload } from "../functions/declaration.js";
import { OPERATOR } from "../operators.js";
import { ARITHMETIC } from "../standard/arithmetic.js";
import { compareValues } from "../standard/comparison.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  STRING,
  TIMESTAMP,
  type Type,
  typeParameter,
  UINT,
} from "../types/type.js";
import { Duration } from "../values/duration.js";
import { ListValue } from "../values/list.js";
import { spendSteps } from "../values/meter.js";
import {
  compareNumbers,
  Double,
  equalValues,
  ErrorValue,
  isNumeric,
  NO_SUCH_OVERLOAD,
  typeOf,
  Uint,
  type Value,
} from "../values/value.js";

/** The types whose values have an order, by the names that overloads have. */
const COMPARABLE: readonly (readonly [name: string, type: Type])[] = [
  ["int", INT],
  ["uint", UINT],
  ["double", DOUBLE],
  ["bool", BOOL],
  ["duration", DURATION],
  ["timestamp", TIMESTAMP],
  ["string", STRING],
  ["bytes", BYTES],
];

const ORDERED: ReadonlySet<string> = new Set(COMPARABLE.map(([, { kind }]) => kind));

/** Negative, zero or positive; NaN of two values that have no order. */
function compare(a: Value, b: Value): number {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b);
  const { kind } = typeOf(a);
  return kind === typeOf(b).kind ? compareValues(kind, a, b) : Number.NaN;
}

function isSorted(list: ListValue): Value {
  let previous: Value | undefined;
  for (const element of list.toArray()) {
    if (!ORDERED.has(typeOf(element).kind)) return NO_SUCH_OVERLOAD;
    if (previous !== undefined && compare(previous, element) > 0) return false;
    previous = element;
  }
  return true;
}

/** The element that no other one beats, the first of equal ones: `sign` is 1 for the smallest, -1 for the largest. */
function extreme(name: string, sign: 1 | -1): (list: ListValue) => Value {
  const empty = new ErrorValue(`${name} called on empty list`);
  return (list) => {
    let best: Value | undefined;
    for (const element of list.toArray()) {
      if (!ORDERED.has(typeOf(element).kind)) return NO_SUCH_OVERLOAD;
      if (best === undefined || compare(best, element) * sign > 0) best = element;
    }
    return best === undefined ? empty : best;
  };
}

/** What can be summed: the sum of no elements, and the overload of `+` that adds one. */
const SUMMABLE: readonly (readonly [name: string, type: Type, zero: Value, overload: string])[] = [
  ["int", INT, 0, "add_int64"],
  ["uint", UINT, new Uint(0n), "add_uint64"],
  ["double", DOUBLE, new Double(0), "add_double"],
  ["duration", DURATION, new Duration(0n), "add_duration_duration"],
];

function addition(id: string): (a: Value, b: Value) => Value {
  const overloads = ARITHMETIC.find(({ name }) => name === OPERATOR.add)?.overloads;
  const found = overloads?.find((overload) => overload.id === id)?.call;
  if (found === undefined) throw new Error(`the standard library has no overload ${id}`);
  return found as (a: Value, b: Value) => Value;
}

function sum(type: Type, zero: Value, add: (a: Value, b: Value) => Value): (list: ListValue) => Value {
  return (list) => {
    let total = zero;
    for (const element of list.toArray()) {
      if (typeOf(element).kind !== type.kind) return NO_SUCH_OVERLOAD;
      total = add(total, element);
      if (total instanceof ErrorValue) return total;
    }
    return total;
  };
}

function indexOf(list: ListValue, wanted: Value): Value {
  for (let index = 0; index < list.size; index++) {
    spendSteps(1);
    if (equalValues(list.at(index), wanted)) return index;
  }
  return -1;
}

function lastIndexOf(list: ListValue, wanted: Value): Value {
  for (let index = list.size - 1; index >= 0; index--) {
    spendSteps(1);
    if (equalValues(list.at(index), wanted)) return index;
  }
  return -1;
}

function listFunction(
  name: string,
  rows: readonly (readonly [id: string, args: readonly Type[], result: Type, call: Implementation])[],
): FunctionDeclaration {
  const overload = ([id, args, result, call]: (typeof rows)[number]): Overload => ({
    id,
    args,
    result,
    call,
    member: true,
  });
  return { name, overloads: rows.map(overload) };
}

const A = typeParameter("A");

/** Kubernetes' functions of lists: `isSorted`, `sum`, `min`, `max`, `indexOf` and `lastIndexOf`. Source: apiserver's cel/library. */
export const KUBERNETES_LISTS: Library = {
  functions: [
    listFunction(
      "isSorted",
      COMPARABLE.map(([name, type]) => [`list_${name}_is_sorted_bool`, [listType(type)], BOOL, isSorted] as const),
    ),
    listFunction(
      "sum",
      SUMMABLE.map(
        ([name, type, zero, overload]) =>
          [`list_${name}_sum_${name}`, [listType(type)], type, sum(type, zero, addition(overload))] as const,
      ),
    ),
    ...(["max", "min"] as const).map((name) => {
      const call = extreme(name, name === "min" ? 1 : -1);
      return listFunction(
        name,
        COMPARABLE.map(
          ([typeName, type]) => [`list_${typeName}_${name}_${typeName}`, [listType(type)], type, call] as const,
        ),
      );
    }),
    listFunction("indexOf", [["list_a_index_of_int", [listType(A), A], INT, indexOf]]),
    listFunction("lastIndexOf", [["list_a_last_index_of_int", [listType(A), A], INT, lastIndexOf]]),
  ],
};

/** Whether a list has an element, or a value that is no list is it. */
function includes(target: Value, wanted: Value): Value {
  if (!(target instanceof ListValue)) return equalValues(target, wanted);
  for (let index = 0; index < target.size; index++) {
    spendSteps(1);
    if (equalValues(target.at(index), wanted)) return true;
  }
  return false;
}

/** The function that version 1 of Kubernetes' list library adds: `includes` (K37-240). */
export const LIST_INCLUDES: Library = {
  functions: [listFunction("includes", [["list_includes_dyn_dyn", [DYN, DYN], BOOL, includes]])],
};
