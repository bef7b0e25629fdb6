import type { Expr } from "../ast.js";
import type { FunctionDeclaration, Implementation, Library, Overload } from "../functions/declaration.js";
import { type Macro, MacroError } from "../parser/macros.js";
import { BOOL, DOUBLE, DYN, INT, listType, type Type, UINT } from "../types/type.js";
import {
  checkedInt,
  intOf,
  compareNumbers,
  Double,
  ErrorValue,
  isNumeric,
  NO_SUCH_OVERLOAD,
  type Numeric,
  Uint,
  type Value,
} from "../values/value.js";
import type { ListValue } from "../values/list.js";

type Int = number | bigint;

const NUMBERS: readonly Type[] = [DOUBLE, INT, UINT];

/** The smallest (-1) or largest (1) of numbers; of two that are equal, the first. */
function extreme(sign: number, numbers: readonly Value[], name: string): Value {
  const [first, ...rest] = numbers;
  if (first === undefined) return new ErrorValue(`${name}(list) argument must not be empty`);
  let best = first;
  for (const value of rest) {
    if (!isNumeric(value) || !isNumeric(best)) return new ErrorValue(`no such overload: ${name}`);
    if (compareNumbers(value, best) * sign > 0) best = value;
  }
  return best;
}

/** `math.@min` or `math.@max`, which macros write. */
function extremeFunction(short: string, sign: number): FunctionDeclaration {
  const name = `math.@${short}`;
  const id = `math_@${short}`;
  const pairs = NUMBERS.flatMap((a) => NUMBERS.map((b) => [a, b] as const));
  return {
    name,
    overloads: [
      ...NUMBERS.map((type): Overload => ({ id: `${id}_${type}`, args: [type], result: type, call: (a: Value) => a })),
      ...pairs.map(
        ([a, b]): Overload => ({
          id: `${id}_${a}_${b}`,
          args: [a, b],
          result: a === b ? a : DYN,
          call: (x: Value, y: Value) => extreme(sign, [x, y], name),
        }),
      ),
      ...NUMBERS.map(
        (type): Overload => ({
          id: `${id}_list_${type}`,
          args: [listType(type)],
          result: type,
          call: (list: ListValue) => extreme(sign, list.toArray(), name),
        }),
      ),
    ],
  };
}

/** `math.least(...)` or `math.greatest(...)`, of any number of arguments. */
function extremeMacro(name: string, function_: string): Macro {
  const full = `math.${name}()`;
  return {
    name,
    argCount: undefined,
    member: true,
    expand(build, target, args) {
      if (target.kind !== "ident" || target.name !== "math") return undefined;
      const [first] = args;
      if (first === undefined) throw new MacroError(`${full} requires at least one argument`, target);
      if (args.length === 1) {
        const isList = first.kind === "list" && first.elements.length > 0 && first.elements.every(mayBeNumber);
        if (!isList && (first.kind === "list" || !mayBeNumber(first))) {
          throw new MacroError(`${full} invalid single argument value`, first);
        }
        return build.call(function_, first);
      }
      const wrong = args.find((arg) => !mayBeNumber(arg));
      if (wrong !== undefined) throw new MacroError(`${full} simple literal arguments must be numeric`, wrong);
      return args.length === 2 ? build.call(function_, ...args) : build.call(function_, build.list(...args));
    },
  };
}

function mayBeNumber(node: Expr): boolean {
  if (node.kind === "literal") return isNumeric(node.value);
  return node.kind !== "list" && node.kind !== "map" && node.kind !== "struct";
}

function onDouble(name: string, result: Type, compute: (value: number) => Value): FunctionDeclaration {
  return {
    name: `math.${name}`,
    overloads: [{ id: `math_${name}_double`, args: [DOUBLE], result, call: ({ value }: Double) => compute(value) }],
  };
}

function rounding(name: string, round: (value: number) => number): FunctionDeclaration {
  return onDouble(name, DOUBLE, (value) => new Double(round(value)));
}

/** Halves away from zero. */
function round(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

function unary(name: string, rows: readonly (readonly [Type, Type, Implementation])[]): FunctionDeclaration {
  return {
    name: `math.${name}`,
    overloads: rows.map(([type, result, call]) => ({ id: `math_${name}_${type}`, args: [type], result, call })),
  };
}

function bitwise(name: string, compute: (a: bigint, b: bigint) => bigint): FunctionDeclaration {
  return {
    name: `math.${name}`,
    overloads: [
      {
        id: `math_${name}_int_int`,
        args: [INT, INT],
        result: INT,
        call: (a: Int, b: Int) => intOf(BigInt.asIntN(64, compute(BigInt(a), BigInt(b)))),
      },
      {
        id: `math_${name}_uint_uint`,
        args: [UINT, UINT],
        result: UINT,
        call: (a: Uint, b: Uint) => new Uint(BigInt.asUintN(64, compute(a.value, b.value))),
      },
    ],
  };
}

/** A shift by 64 bits or more leaves nothing; of ints, the bits shifted to the right are zeros. */
function shift(name: string, compute: (bits: bigint, by: bigint) => bigint): FunctionDeclaration {
  const checked = (by: Int, call: (by: bigint) => Value): Value =>
    by < 0 ? new ErrorValue(`math.${name}() negative offset: ${by}`) : call(by > 63 ? 64n : BigInt(by));
  const bits = (value: bigint, by: bigint): bigint => compute(BigInt.asUintN(64, value), by);
  return {
    name: `math.${name}`,
    overloads: [
      {
        id: `math_${name}_int_int`,
        args: [INT, INT],
        result: INT,
        call: (a: Int, by: Int) => checked(by, (count) => intOf(BigInt.asIntN(64, bits(BigInt(a), count)))),
      },
      {
        id: `math_${name}_uint_int`,
        args: [UINT, INT],
        result: UINT,
        call: (a: Uint, by: Int) => checked(by, (count) => new Uint(BigInt.asUintN(64, bits(a.value, count)))),
      },
    ],
  };
}

function squareRoot(value: Numeric): Value {
  const number = typeof value === "object" ? Number(value.value) : Number(value);
  return Number.isNaN(number) && !(value instanceof Double) ? NO_SUCH_OVERLOAD : new Double(Math.sqrt(number));
}

/** `math.least`, `math.ceil`, `math.bitAnd` and so on. */
export const MATH: Library = {
  macros: [extremeMacro("least", "math.@min"), extremeMacro("greatest", "math.@max")],
  functions: [
    extremeFunction("min", -1),
    extremeFunction("max", 1),
    rounding("ceil", Math.ceil),
    rounding("floor", Math.floor),
    rounding("round", round),
    rounding("trunc", Math.trunc),
    onDouble("isInf", BOOL, (value) => Math.abs(value) === Number.POSITIVE_INFINITY),
    onDouble("isNaN", BOOL, Number.isNaN),
    onDouble("isFinite", BOOL, Number.isFinite),
    unary("abs", [
      [DOUBLE, DOUBLE, ({ value }: Double) => new Double(Math.abs(value))],
      [INT, INT, (value: Int) => (value < 0 ? checkedInt(-BigInt(value)) : value)],
      [UINT, UINT, (value: Uint) => value],
    ]),
    unary("sign", [
      [DOUBLE, DOUBLE, ({ value }: Double) => new Double(Math.sign(value))],
      [INT, INT, (value: Int) => (value < 0 ? -1 : value > 0 ? 1 : 0)],
      [UINT, UINT, ({ value }: Uint) => new Uint(value > 0n ? 1n : 0n)],
    ]),
    unary("sqrt", [
      [DOUBLE, DOUBLE, squareRoot],
      [INT, DOUBLE, squareRoot],
      [UINT, DOUBLE, squareRoot],
    ]),
    bitwise("bitAnd", (a, b) => a & b),
    bitwise("bitOr", (a, b) => a | b),
    bitwise("bitXor", (a, b) => a ^ b),
    {
      name: "math.bitNot",
      overloads: [
        { id: "math_bitNot_int_int", args: [INT], result: INT, call: (value: Int) => intOf(~BigInt(value)) },
        {
          id: "math_bitNot_uint_uint",
          args: [UINT],
          result: UINT,
          call: ({ value }: Uint) => new Uint(BigInt.asUintN(64, ~value)),
        },
      ],
    },
    shift("bitShiftLeft", (bits, by) => bits << by),
    shift("bitShiftRight", (bits, by) => bits >> by),
  ],
};
