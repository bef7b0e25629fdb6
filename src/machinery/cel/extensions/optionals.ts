import type { FunctionDeclaration, Library } from "../functions/declaration.js";
import { OPERATOR } from "../operators.js";
import type { MacroBuilder } from "../parser/expr-factory.js";
import { type Macro, variableName } from "../parser/macros.js";
import { OPTIONAL_INDEXING } from "../standard/logic.js";
import { BOOL, DYN, listType, optionalType, STRING, typeParameter, typeType } from "../types/type.js";
import { ArrayList, type ListValue } from "../values/list.js";
import { Timestamp } from "../values/timestamp.js";
import { Duration } from "../values/duration.js";
import {
  CelValue,
  Double,
  ErrorValue,
  NO_SUCH_OVERLOAD,
  OPTIONAL_NONE,
  OptionalValue,
  Uint,
  type Value,
} from "../values/value.js";
import type { Expr } from "../ast.js";

const V = typeParameter("V");
const OPTIONAL = optionalType(V);
const LIST = listType(V);

/** Whether a value is what its type has when nothing was set. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === "") return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Double) return value.value === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanoseconds === 0n;
  if (value instanceof Timestamp) return value.seconds === ZERO_TIME;
  if (value instanceof OptionalValue) return value.value === undefined;
  return value instanceof CelValue && value.isZero;
}

/** Go's zero time, 0001-01-01, in seconds since 1970. */
const ZERO_TIME = -62_135_596_800n;

function at(list: ListValue, index: number): Value {
  return index < 0 || index >= list.size ? OPTIONAL_NONE : new OptionalValue(list.at(index));
}

function unwrapAll(list: ListValue): Value {
  const values: Value[] = [];
  for (const element of list.toArray()) {
    if (!(element instanceof OptionalValue)) return new ErrorValue(`value is not an optional type`);
    if (element.value !== undefined) values.push(element.value);
  }
  return new ArrayList(values);
}

const FUNCTIONS: readonly FunctionDeclaration[] = [
  {
    name: "optional.of",
    overloads: [{ id: "optional_of", args: [V], result: OPTIONAL, call: (value: Value) => new OptionalValue(value) }],
  },
  {
    name: "optional.ofNonZeroValue",
    overloads: [
      {
        id: "optional_ofNonZeroValue",
        args: [V],
        result: OPTIONAL,
        call: (value: Value) => (isZero(value) ? OPTIONAL_NONE : new OptionalValue(value)),
      },
    ],
  },
  {
    name: "optional.none",
    overloads: [{ id: "optional_none", args: [], result: OPTIONAL, call: () => OPTIONAL_NONE }],
  },
  {
    name: "value",
    overloads: [
      {
        id: "optional_value",
        args: [OPTIONAL],
        result: V,
        member: true,
        call: ({ value }: OptionalValue) =>
          value === undefined ? new ErrorValue("optional.none() dereference") : value,
      },
    ],
  },
  {
    name: "hasValue",
    overloads: [
      {
        id: "optional_hasValue",
        args: [OPTIONAL],
        result: BOOL,
        member: true,
        call: ({ value }: OptionalValue) => value !== undefined,
      },
    ],
  },
  {
    name: "or",
    overloads: [
      {
        id: "optional_or_optional",
        args: [OPTIONAL, OPTIONAL],
        result: OPTIONAL,
        member: true,
        lazy: true,
        call: () => NO_SUCH_OVERLOAD,
      },
    ],
  },
  {
    name: "orValue",
    overloads: [
      {
        id: "optional_orValue_value",
        args: [OPTIONAL, V],
        result: V,
        member: true,
        lazy: true,
        call: () => NO_SUCH_OVERLOAD,
      },
    ],
  },
  {
    name: OPERATOR.optionalSelect,
    overloads: [{ id: "select_optional_field", args: [DYN, STRING], result: OPTIONAL, call: () => NO_SUCH_OVERLOAD }],
  },
  ...OPTIONAL_INDEXING,
  {
    name: "first",
    overloads: [
      {
        id: "list_first",
        args: [LIST],
        result: OPTIONAL,
        member: true,
        call: (list: ListValue) => at(list, 0),
      },
    ],
  },
  {
    name: "last",
    overloads: [
      {
        id: "list_last",
        args: [LIST],
        result: OPTIONAL,
        member: true,
        call: (list: ListValue) => at(list, list.size - 1),
      },
    ],
  },
  {
    name: "optional.unwrap",
    overloads: [{ id: "optional_unwrap", args: [listType(OPTIONAL)], result: LIST, call: unwrapAll }],
  },
  {
    name: "unwrapOpt",
    overloads: [{ id: "optional_unwrapOpt", args: [listType(OPTIONAL)], result: LIST, member: true, call: unwrapAll }],
  },
];

/** `target.optMap(x, e)`: what `wrap` makes of `e`, where `x` is the target's value, if it has one. */
function optionalMacro(name: string, wrap: (build: MacroBuilder, mapped: Expr) => Expr): Macro {
  return {
    name,
    argCount: 2,
    member: true,
    expand(build, target, [declared, mapped]) {
      const variable = variableName(declared, `${name}() variable name must be a simple identifier`);
      const unwrapped = build.comprehension({
        range: build.list(),
        variable: "#unused",
        variable2: undefined,
        accumulator: variable,
        init: build.memberCall("value", target),
        condition: build.literal(false),
        step: build.ident(variable),
        result: mapped as Expr,
      });
      return build.call(
        OPERATOR.conditional,
        build.memberCall("hasValue", target),
        wrap(build, unwrapped),
        build.call("optional.none"),
      );
    },
  };
}

/** The library of optional values: `a.?b`, `a[?b]`, `[?x]`, `optional.of(x)`, `optMap`, `orValue`. */
export const OPTIONAL_TYPES: Library = {
  functions: FUNCTIONS,
  macros: [
    optionalMacro("optMap", (build, mapped) => build.call("optional.of", mapped)),
    optionalMacro("optFlatMap", (_build, mapped) => mapped),
  ],
  variables: [{ name: "optional_type", type: typeType(OPTIONAL), value: optionalType(DYN) }],
};
