import { type Implementation, type Overload } from "../functions/declaration.js";
import { isDyn } from "../types/assignable.js";
import type { Type } from "../types/type.js";
import { ListValue } from "../values/list.js";
import { MapValue } from "../values/map.js";
import { ErrorValue, typeOf, type Value } from "../values/value.js";

/** A function of values that returns an error value where no overload fits. */
export type Callable = (...args: Value[]) => Value;

/**
 * Makes a function that calls one of several overloads by the types of the arguments at runtime. If the checker has left one
 * overload, and knows the types of all arguments, it is called directly.
 */
export function dispatcher(
  name: string,
  overloads: readonly Overload[],
  known: readonly (Type | undefined)[],
): Callable {
  const [only] = overloads;
  if (only !== undefined && overloads.length === 1 && isCertain(only, known)) return unlessNull(name, only);
  return (...args) => {
    const overload = overloads.find((candidate) => fitsAtRuntime(candidate, args));
    return overload === undefined ? noSuchOverload(name, args) : callable(overload.call)(...args);
  };
}

/** What is declared of a type may be null all the same: no type says so of a list's items. */
function unlessNull(name: string, { args: wanted, call }: Overload): Callable {
  const compute = callable(call);
  const takesNull = wanted.map(isAnything);
  const [first = true, second = true] = takesNull;
  if (takesNull.every(Boolean)) return compute;
  if (wanted.length === 1) return (a) => (a === null ? noSuchOverload(name, [null]) : compute(a));
  if (wanted.length === 2) {
    return (a, b) => ((a === null && !first) || (b === null && !second) ? noSuchOverload(name, [a, b]) : compute(a, b));
  }
  return (...args) =>
    args.some((arg, index) => arg === null && takesNull[index] === false)
      ? noSuchOverload(name, args)
      : compute(...args);
}

export function callable(implementation: Implementation): Callable {
  return implementation as Callable;
}

/** Whether the checker has proved that the arguments are what the overload takes. */
function isCertain(overload: Overload, known: readonly (Type | undefined)[]): boolean {
  return overload.args.every((wanted, index) => {
    const type = known[index];
    if (wanted.kind === "dyn" || wanted.kind === "typeParam") return true;
    return type !== undefined && !isDyn(type) && !type.nullable && type.kind === wanted.kind && type.kind !== "null";
  });
}

/** Whether an overload accepts these values; of a list or a map only the first element is checked, as in cel-go. */
export function fitsAtRuntime(overload: Overload, args: readonly Value[]): boolean {
  return (
    overload.args.length === args.length &&
    overload.args.every((wanted, index) => {
      const value = args[index] as Value;
      return value instanceof ErrorValue && !isAnything(wanted)
        ? (overload.nonStrict ?? false)
        : isOf(wanted, value, overload);
    })
  );
}

const isAnything = ({ kind }: Type): boolean => kind === "dyn" || kind === "any" || kind === "typeParam";

function isOf(wanted: Type, value: Value, overload: Overload): boolean {
  if (isAnything(wanted)) return true;
  const type = typeOf(value);
  if (type.kind !== wanted.kind || type.name !== wanted.name) return false;
  if (overload.takesAnyElements === true) return true;
  const isPart = (index: number, part: Value): boolean => isOf(wanted.parameter(index), part, overload);
  if (value instanceof ListValue) return value.size === 0 || isPart(0, value.at(0));
  if (!(value instanceof MapValue)) return true;
  const [key] = value.keys();
  return key === undefined || (isPart(0, key) && isPart(1, value.get(key) ?? null));
}

function noSuchOverload(name: string, args: readonly Value[]): ErrorValue {
  const error = args.find((arg) => arg instanceof ErrorValue);
  if (error !== undefined) return error;
  const named = /^\w+$/.test(name) && !["size", "matches"].includes(name);
  return new ErrorValue(
    named ? `no such overload: ${name}(${args.map((arg) => typeOf(arg).name).join(", ")})` : "no such overload",
  );
}
