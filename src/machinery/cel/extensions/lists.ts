import type { Expr } from "../ast.js";
import {
  type CallEstimate,
  type EstimateCall,
  type EstimatedNode,
  fixed,
  MOST,
  product,
  type Range,
  scaled,
  sum,
} from "../estimate/call-estimate.js";
import { sizeOf } from "../evaluator/cost.js";
import type { FunctionDeclaration, Library, Overload } from "../functions/declaration.js";
import { OPERATOR } from "../operators.js";
import { ACCUMULATOR } from "../parser/expr-factory.js";
import { type Macro, MacroError, variableName } from "../parser/macros.js";
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
import { ArrayList, ListValue } from "../values/list.js";
import { spendSteps } from "../values/meter.js";
import { equalValues, ErrorValue, typeOf, type Value } from "../values/value.js";

type Int = number | bigint;

const T = typeParameter("T");
const LIST = listType(T);

/** The types that have an order, and so can be sorted. */
const ORDERED: readonly Type[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

/** What making a list of this many elements costs. */
function allocation(elements: number): number {
  return Math.trunc(elements) + 1 + 10;
}

function ofResult(_args: readonly Value[], result: Value): number {
  return allocation(sizeOf(result));
}

/** Comparing all elements with each other, at worst. */
function selfComparison(list: Value | undefined): number {
  const size = sizeOf(list);
  const first = list instanceof ListValue && size > 0 ? list.at(0) : undefined;
  const factor = typeof first === "string" || first instanceof Uint8Array ? 2.1 : 2;
  return allocation(size * size * factor);
}

/** What making a list of a size is estimated to cost, if each element costs `factor`. */
function estimated(resultSize: Range, factor = 1): CallEstimate {
  return { cost: sum(scaled(resultSize, factor), fixed(allocation(0))), resultSize };
}

/** The int that is written as an argument, or what stands for one that is not. */
function writtenInt(node: EstimatedNode | undefined, otherwise: number): number {
  const value = node?.expr?.kind === "literal" ? node.expr.value : undefined;
  return typeof value === "number" || typeof value === "bigint" ? Math.max(Number(value), 0) : otherwise;
}

const estimateSlice: EstimateCall = ({ args: [list, start, end], sizeOf: sizeAtMost }) => {
  const size = writtenInt(end, sizeAtMost(list).max) - writtenInt(start, 0);
  return estimated(fixed(size < 0 ? MOST : size));
};

const estimateFlatten: EstimateCall = ({ args: [list, depth], sizeOf: sizeAtMost }) =>
  estimated(sizeAtMost(list), depth === undefined ? 1 : writtenInt(depth, MOST));

const estimateComparisons =
  (argument: number, factor: number): EstimateCall =>
  ({ args, sizeOf: sizeAtMost }) => {
    const size = sizeAtMost(args[argument]);
    return estimated(product(size, size), factor);
  };

const comparisonFactor = (type: Type): number => (type === STRING || type === BYTES ? 2.1 : 2);

function slice(list: ListValue, start: Int, end: Int): Value {
  if (start < 0 || end < 0) return new ErrorValue(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) {
    return new ErrorValue(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  }
  if (list.size < end) return new ErrorValue(`cannot slice(${start}, ${end}), list is length ${list.size}`);
  const [from, to] = [Number(start), Number(end)];
  spendSteps(to - from);
  return new ArrayList(Array.from({ length: to - from }, (_, index) => list.at(from + index)));
}

function flatten(list: ListValue, depth: Int = 1): Value {
  if (depth < 0) return new ErrorValue("level must be non-negative");
  const gathered: Value[] = [];
  const visit = (inner: ListValue, levels: Int): void => {
    for (const element of inner.toArray()) {
      if (element instanceof ListValue && levels > 0) visit(element, Number(levels) - 1);
      else gathered.push(element);
    }
  };
  visit(list, depth);
  return new ArrayList(gathered);
}

function range(end: Int): Value {
  const size = Math.max(Number(end), 0);
  spendSteps(size);
  return new ArrayList(Array.from({ length: size }, (_, index) => index));
}

function distinct(list: ListValue): Value {
  const kept: Value[] = [];
  const seen = new Set<Value>();
  for (const element of list.toArray()) {
    // Strings and bools are equal to nothing but themselves; everything else is compared with all that was kept.
    if (typeof element === "string" || typeof element === "boolean") {
      if (!seen.has(element)) kept.push(element);
      seen.add(element);
      continue;
    }
    spendSteps(kept.length);
    if (!kept.some((other) => equalValues(element, other))) kept.push(element);
  }
  return new ArrayList(kept);
}

function sortByKeys(list: ListValue, keys: ListValue): Value {
  if (list.size !== keys.size) {
    return new ErrorValue(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  }
  const values = keys.toArray();
  const [first] = values;
  if (first === undefined) return list;
  const { kind } = typeOf(first);
  if (!ORDERED.some((type) => type.kind === kind)) return new ErrorValue("list elements must be comparable");
  if (!values.every((value) => typeOf(value).kind === kind)) {
    return new ErrorValue("list elements must have the same type");
  }
  spendSteps(values.length * Math.ceil(Math.log2(values.length + 1)));
  const order = values.map((_, index) => index);
  order.sort((a, b) => compareValues(kind, values[a] as Value, values[b] as Value) || a - b);
  return new ArrayList(order.map((index) => list.at(index)));
}

function reverse(list: ListValue): Value {
  return new ArrayList(list.toArray().toReversed());
}

function listFunction(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads: overloads.map((overload) => ({ member: true, ...overload })) };
}

/** `list.sortBy(x, key)`: sorted by the keys that the expression makes of the elements. */
const sortBy: Macro = {
  name: "sortBy",
  argCount: 2,
  member: true,
  expand(build, target, [declared, key]) {
    if (!["list", "select", "ident", "comprehension", "call"].includes(target.kind)) {
      throw new MacroError(
        "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
        target,
      );
    }
    const variable = variableName(declared);
    const input = "@__sortBy_input__";
    const keys = build.comprehension({
      range: build.ident(input),
      variable,
      variable2: undefined,
      accumulator: ACCUMULATOR,
      init: build.list(),
      condition: build.literal(true),
      step: build.call(OPERATOR.add, build.accumulator(), build.list(key as Expr)),
      result: build.accumulator(),
    });
    return build.comprehension({
      range: build.list(),
      variable: "#unused",
      variable2: undefined,
      accumulator: input,
      init: target,
      condition: build.literal(false),
      step: build.ident(input),
      result: build.memberCall("@sortByAssociatedKeys", build.ident(input), keys),
    });
  },
};

/** `slice`, `flatten`, `range`, `distinct`, `reverse`, `sort` and `sortBy`. */
export const LISTS: Library = {
  macros: [sortBy],
  functions: [
    listFunction("slice", {
      id: "list_slice",
      args: [LIST, INT, INT],
      result: LIST,
      call: slice,
      cost: ofResult,
      estimate: estimateSlice,
    }),
    listFunction(
      "flatten",
      {
        id: "list_flatten",
        args: [listType(LIST)],
        result: LIST,
        takesAnyElements: true,
        call: (list: ListValue) => flatten(list),
        cost: ([list]) => allocation(sizeOf(list)),
        estimate: estimateFlatten,
      },
      {
        id: "list_flatten_int",
        args: [listType(DYN), INT],
        result: listType(DYN),
        takesAnyElements: true,
        call: flatten,
        cost: ([list, depth]) => allocation(sizeOf(list) * Number(depth)),
        estimate: estimateFlatten,
      },
    ),
    {
      name: "lists.range",
      overloads: [
        {
          id: "lists_range",
          args: [INT],
          result: listType(INT),
          call: range,
          cost: ofResult,
          estimate: ({ args: [end] }) => estimated(fixed(writtenInt(end, MOST))),
        },
      ],
    },
    listFunction("reverse", {
      id: "list_reverse",
      args: [LIST],
      result: LIST,
      call: reverse,
      cost: ofResult,
      estimate: ({ args: [list], sizeOf: sizeAtMost }) => estimated(sizeAtMost(list)),
    }),
    listFunction("distinct", {
      id: "list_distinct",
      args: [LIST],
      result: LIST,
      call: distinct,
      cost: ([list]) => selfComparison(list),
      estimate: estimateComparisons(0, 2),
    }),
    listFunction(
      "sort",
      ...ORDERED.map(
        (type): Overload => ({
          id: `list_${type.name}_sort`,
          args: [listType(type)],
          result: listType(type),
          call: (list: ListValue) => sortByKeys(list, list),
          cost: ([list]) => selfComparison(list),
          estimate: estimateComparisons(0, comparisonFactor(type)),
        }),
      ),
    ),
    listFunction(
      "@sortByAssociatedKeys",
      ...ORDERED.map(
        (type): Overload => ({
          id: `list_${type.name}_sortByAssociatedKeys`,
          args: [LIST, listType(type)],
          result: LIST,
          call: sortByKeys,
          cost: ([, keys]) => selfComparison(keys),
          estimate: estimateComparisons(1, comparisonFactor(type)),
        }),
      ),
    ),
  ],
};
