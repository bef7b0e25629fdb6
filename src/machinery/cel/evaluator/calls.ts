import type { CallExpr } from "../ast.js";
import { type Callee, findCallee } from "../checker/declarations.js";
import type { Overload } from "../functions/declaration.js";
import { OPERATOR } from "../operators.js";
import { ListValue } from "../values/list.js";
import { EntryMap, isMapKey } from "../values/map.js";
import {
  equalValues,
  ErrorValue,
  NO_SUCH_OVERLOAD,
  OpaqueValue,
  OPTIONAL_NONE,
  OptionalValue,
  type Value,
} from "../values/value.js";
import { type CallCost, OVERLOAD_COSTS } from "./cost.js";
import { type Callable, callable, dispatcher } from "./dispatch.js";
import { asAttribute, attribute, constant, type Frame, loops, type Planned, type Step, valueSteps } from "./frame.js";
import type { Planner } from "./planner.js";
import { qualify, qualifyOptional } from "./qualify.js";

/** Plans a call of an operator or a function. */
export function planCall(planner: Planner, node: CallExpr): Planned {
  const special = SPECIAL.get(node.name);
  if (special !== undefined) {
    return special(
      node.args.map((arg) => planner.plan(arg)),
      planner,
    );
  }
  const callee = findCallee(planner.options.declarations, planner.options.references, node);
  if (callee.overloads.length === 0) return { evaluate: () => NO_SUCH_OVERLOAD };
  const args = callee.args.map((arg) => planner.plan(arg));
  return planFunction(planner, callee, args);
}

function planFunction(planner: Planner, callee: Callee, args: readonly Planned[]): Planned {
  const { name, overloads } = callee;
  const [only] = overloads;
  const single = overloads.length === 1 ? only : undefined;
  const constants = args.map((arg) => arg.constant);
  if (single !== undefined) {
    const folded = foldConversion(single, constants) ?? foldMembership(single, args);
    if (folded !== undefined) return folded;
  }
  if (single?.lazy) return { evaluate: orElse(single.id, args) };
  const types = callee.args.map((arg) => planner.typeOf(arg));
  const special = single?.specialize?.(constants);
  const call = special === undefined ? dispatcher(name, overloads, types) : callable(special);
  const strict = !overloads.every((overload) => overload.nonStrict);
  const cost = single?.cost ?? costOf(planner, name, single?.id);
  return {
    evaluate: callStep(
      args.map((arg) => arg.evaluate),
      call,
      strict,
      cost,
    ),
    slices: args.some(loops)
      ? function* (frame) {
          const values: Value[] = [];
          for (const arg of args) values.push(yield* valueSteps(arg, frame));
          return called(frame, values, call, strict, cost);
        }
      : undefined,
  };
}

/** `optional.or(other)` and `optional.orValue(value)`: what is behind the first is computed only if it is needed. They cost nothing. */
function orElse(id: string, args: readonly Planned[]): Step {
  const [first, second] = args.map((arg) => arg.evaluate) as [Step, Step];
  const unwraps = id === "optional_orValue_value";
  return (frame) => {
    const value = first(frame);
    if (value instanceof ErrorValue) return value;
    if (!(value instanceof OptionalValue)) return NO_SUCH_OVERLOAD;
    if (value.value !== undefined) return unwraps ? value.value : value;
    const other = second(frame);
    return unwraps || other instanceof OptionalValue || other instanceof ErrorValue ? other : NO_SUCH_OVERLOAD;
  };
}

function costOf(planner: Planner, name: string, overload: string | undefined): CallCost | undefined {
  return (
    planner.options.costOf?.(name, overload) ?? (overload === undefined ? undefined : OVERLOAD_COSTS.get(overload))
  );
}

/** A call as a step. Calls that cost 1 with one or two arguments, which nearly all are, make no array of them. */
function callStep(steps: readonly Step[], call: Callable, strict: boolean, cost: CallCost | undefined): Step {
  const [first, second] = steps;
  if (cost === undefined && strict && steps.length === 1 && first !== undefined) {
    return (frame) => {
      const value = first(frame);
      const result = value instanceof ErrorValue ? value : call(value);
      frame.charge(1);
      return result;
    };
  }
  if (cost === undefined && strict && steps.length === 2 && first !== undefined && second !== undefined) {
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      const result = a instanceof ErrorValue ? a : b instanceof ErrorValue ? b : call(a, b);
      frame.charge(1);
      return result;
    };
  }
  return (frame) => {
    const args = steps.map((step) => step(frame));
    return called(frame, args, call, strict, cost);
  };
}

function called(
  frame: Frame,
  args: readonly Value[],
  call: Callable,
  strict: boolean,
  cost: CallCost | undefined,
): Value {
  const error = strict ? args.find((arg) => arg instanceof ErrorValue) : undefined;
  const result = error ?? call(...args);
  frame.charge(cost?.(args, result) ?? 1);
  return result;
}

const CONVERSIONS = /^(?:\w+_to_(?:bool|bytes|double|duration|int64|string|timestamp|uint64)|to_dyn|type)$/;

/** `duration('1h')` is computed once, and costs nothing. */
function foldConversion(overload: Overload, constants: readonly (Value | undefined)[]): Planned | undefined {
  const [value] = constants;
  if (!CONVERSIONS.test(overload.id) || constants.length !== 1 || value === undefined) return undefined;
  const converted = callable(overload.call)(value);
  return converted instanceof ErrorValue ? undefined : constant(converted);
}

/** `x in ['a', 'b']` looks `x` up in a set, and costs what reading `x` costs. */
function foldMembership(overload: Overload, args: readonly Planned[]): Planned | undefined {
  const [element, list] = args;
  const values = list?.constant;
  if (overload.id !== "in_list" || element === undefined || !(values instanceof ListValue)) return undefined;
  if (values.size === 0) return constant(false);
  const elements = values.toArray();
  if (!elements.every((value) => isMapKey(value))) return undefined;
  const set = new EntryMap();
  for (const value of elements) set.add(value);
  return {
    evaluate: (frame) => {
      const value = element.evaluate(frame);
      return value instanceof ErrorValue ? value : isMapKey(value) && set.has(value);
    },
  };
}

type PlanSpecial = (args: readonly Planned[], planner: Planner) => Planned;

/** The operators that do more than to compute a value of values. */
const SPECIAL: ReadonlyMap<string, PlanSpecial> = new Map<string, PlanSpecial>([
  [OPERATOR.and, (args) => planLogic(args, false)],
  [OPERATOR.or, (args) => planLogic(args, true)],
  [OPERATOR.conditional, planConditional],
  [OPERATOR.equals, (args, planner) => planEquality(args, true, costOf(planner, OPERATOR.equals, "equals"))],
  [OPERATOR.notEquals, (args, planner) => planEquality(args, false, costOf(planner, OPERATOR.notEquals, "not_equals"))],
  [OPERATOR.index, (args) => planIndex(args, qualify)],
  [OPERATOR.optionalIndex, (args) => planIndex(args, qualifyOptional)],
  [OPERATOR.optionalSelect, (args) => planIndex(args, qualifyOptional)],
]);

/** `&&` (decided by false) and `||` (by true): a term that decides absorbs errors on both of its sides. */
function planLogic(args: readonly Planned[], decides: boolean): Planned {
  const [left, right] = args as [Planned, Planned];
  const [first, second] = [left.evaluate, right.evaluate];
  return {
    evaluate: (frame) => {
      const a = first(frame);
      return a === decides ? decides : joined(a, second(frame), decides);
    },
    slices: args.some(loops)
      ? function* (frame) {
          const a = yield* valueSteps(left, frame);
          return a === decides ? decides : joined(a, yield* valueSteps(right, frame), decides);
        }
      : undefined,
  };
}

/** Of two terms of which the first does not decide. */
function joined(a: Value, b: Value, decides: boolean): Value {
  if (b === decides) return decides;
  if (a === !decides && b === !decides) return !decides;
  const wrong = a === !decides ? b : a;
  return wrong instanceof ErrorValue ? wrong : NO_SUCH_OVERLOAD;
}

function planConditional(args: readonly Planned[]): Planned {
  const [condition, yes, no] = args as [Planned, Planned, Planned];
  const [ifTrue, ifFalse] = [yes.resolve ?? yes.evaluate, no.resolve ?? no.evaluate];
  const planned = attribute((frame) => {
    const chosen = condition.evaluate(frame);
    if (chosen === true) return ifTrue(frame);
    if (chosen === false) return ifFalse(frame);
    return notChosen(chosen);
  }, 0);
  if (!args.some(loops)) return planned;
  return {
    ...planned,
    *slices(frame) {
      const chosen = yield* valueSteps(condition, frame);
      if (typeof chosen !== "boolean") return notChosen(chosen);
      const branch = chosen ? yes : no;
      return loops(branch) ? yield* valueSteps(branch, frame) : (branch.resolve ?? branch.evaluate)(frame);
    },
  };
}

const notChosen = (condition: Value): Value => (condition instanceof ErrorValue ? condition : NO_SUCH_OVERLOAD);

function planEquality(args: readonly Planned[], wanted: boolean, cost: CallCost | undefined): Planned {
  const [left, right] = args.map((arg) => arg.evaluate) as [Step, Step];
  const compared = (frame: Frame, a: Value, b: Value): Value => {
    const result = a instanceof ErrorValue ? a : b instanceof ErrorValue ? b : equality(a, b, wanted);
    const short = typeof a !== "object" && typeof a !== "string";
    frame.charge(short ? 1 : (cost?.([a, b], result) ?? 1));
    return result;
  };
  return {
    evaluate: (frame) => compared(frame, left(frame), right(frame)),
    slices: args.some(loops)
      ? function* (frame) {
          const [one, other] = args as [Planned, Planned];
          return compared(frame, yield* valueSteps(one, frame), yield* valueSteps(other, frame));
        }
      : undefined,
  };
}

/** What cannot be compared is an error for `==`, and different for `!=`. */
function equality(a: Value, b: Value, wanted: boolean): Value {
  if (!(a instanceof OpaqueValue || a instanceof ListValue)) return equalValues(a, b) === wanted;
  const answer = a.isEqualTo(b);
  return typeof answer === "boolean" ? answer === wanted : wanted ? answer : true;
}

function planIndex(args: readonly Planned[], look: (operand: Value, key: Value) => Value): Planned {
  const [operand, key] = args as [Planned, Planned];
  const { resolve, baseCost } = asAttribute(operand);
  const keyOf = key.resolve ?? key.evaluate;
  return attribute((frame) => {
    const value = look(resolve(frame), keyOf(frame));
    // What is not there costs nothing beside the attempt.
    if (value !== OPTIONAL_NONE) frame.charge(1);
    return value;
  }, baseCost);
}
