import type { Steps } from "../../../base/async/steps.js";
import type { ComprehensionExpr } from "../ast.js";
import { ACCUMULATOR } from "../parser/expr-factory.js";
import { GrowingList, ListValue } from "../values/list.js";
import { GrowingMap, MapValue } from "../values/map.js";
import { ErrorValue, typeOf, type Value } from "../values/value.js";
import { type Frame, type Planned, type Step, valueSteps } from "./frame.js";
import type { Planner } from "./planner.js";

/** The steps of a comprehension, and the places of its variables in the frame. */
interface Loop {
  readonly range: Planned;
  readonly init: (frame: Frame) => Value;
  readonly condition: Step | undefined;
  readonly step: Planned;
  readonly result: Step;
  readonly accumulator: number;
  readonly variable: number;
  readonly variable2: number | undefined;
}

/** Plans a loop over a list or a map. It has no cost of its own beside its parts; each iteration spends a step. */
export function planComprehension(planner: Planner, node: ComprehensionExpr): Planned {
  const range = planner.plan(node.range);
  const init = planInit(planner, node);
  return planner.declare([node.accumulator], ([accumulator = 0]) => {
    const turn = planner.declare([node.variable, node.variable2], ([variable = 0, variable2]) => ({
      variable,
      variable2: node.variable2 === undefined ? undefined : variable2,
      condition: isTrue(node) ? undefined : planner.plan(node.condition).evaluate,
      step: planner.plan(node.step),
    }));
    const result = planner.plan(node.result).evaluate;
    const loop: Loop = { range, init, accumulator, result, ...turn };
    return { evaluate: (frame) => run(frame, loop), slices: (frame) => runSteps(frame, loop) };
  });
}

/** What the parser's own variable gathers grows in place: no expression can see it before it is complete. */
function planInit(planner: Planner, { init, accumulator }: ComprehensionExpr): Step {
  if (accumulator === ACCUMULATOR && init.kind === "list" && init.elements.length === 0) return () => new GrowingList();
  if (accumulator === ACCUMULATOR && init.kind === "map" && init.entries.length === 0) return () => new GrowingMap();
  return planner.plan(init).evaluate;
}

function isTrue({ condition }: ComprehensionExpr): boolean {
  return condition.kind === "literal" && condition.value === true;
}

function run(frame: Frame, loop: Loop): Value {
  const range = loop.range.evaluate(frame);
  if (range instanceof ErrorValue) return range;
  frame.locals[loop.accumulator] = loop.init(frame);
  if (range instanceof ListValue) overList(frame, loop, range);
  else if (range instanceof MapValue) overMap(frame, loop, range);
  else return notIterable(range);
  return resultOf(frame, loop);
}

/** {@link run} in steps. */
function* runSteps(frame: Frame, loop: Loop): Steps<Value> {
  const range = yield* valueSteps(loop.range, frame);
  if (range instanceof ErrorValue) return range;
  frame.locals[loop.accumulator] = loop.init(frame);
  if (!(range instanceof ListValue) && !(range instanceof MapValue)) return notIterable(range);
  for (const _ of range instanceof ListValue ? elementsOf(frame, loop, range) : entriesOf(frame, loop, range)) {
    if (frame.pace.isDue()) yield;
    frame.meter.spend(1);
    if (loop.condition !== undefined && loop.condition(frame) === false) break;
    frame.locals[loop.accumulator] = yield* valueSteps(loop.step, frame);
  }
  return resultOf(frame, loop);
}

/** Declares the variables of each turn. */
function* elementsOf(frame: Frame, { variable, variable2 }: Loop, range: ListValue): Generator<void> {
  const { size } = range;
  for (let index = 0; index < size; index++) {
    frame.locals[variable] = variable2 === undefined ? range.at(index) : index;
    if (variable2 !== undefined) frame.locals[variable2] = range.at(index);
    yield;
  }
}

function* entriesOf(frame: Frame, { variable, variable2 }: Loop, range: MapValue): Generator<void> {
  for (const key of range.keys()) {
    frame.locals[variable] = key;
    if (variable2 !== undefined) frame.locals[variable2] = range.get(key) as Value;
    yield;
  }
}

const notIterable = (range: Value): ErrorValue => new ErrorValue(`got '${typeOf(range).name}', expected iterable type`);

function resultOf(frame: Frame, loop: Loop): Value {
  const gathered = frame.locals[loop.accumulator];
  if (gathered instanceof GrowingList) frame.locals[loop.accumulator] = gathered.finish();
  return loop.result(frame);
}

function overList(frame: Frame, loop: Loop, range: ListValue): void {
  const { variable, variable2 } = loop;
  const { size } = range;
  for (let index = 0; index < size; index++) {
    if (variable2 === undefined) {
      frame.locals[variable] = range.at(index);
    } else {
      frame.locals[variable] = index;
      frame.locals[variable2] = range.at(index);
    }
    if (!turn(frame, loop)) return;
  }
}

function overMap(frame: Frame, loop: Loop, range: MapValue): void {
  const { variable, variable2 } = loop;
  for (const key of range.keys()) {
    frame.locals[variable] = key;
    if (variable2 !== undefined) frame.locals[variable2] = range.get(key) as Value;
    if (!turn(frame, loop)) return;
  }
}

/** Runs the loop once; answers false when the condition ends it. */
function turn(frame: Frame, loop: Loop): boolean {
  frame.meter.spend(1);
  if (loop.condition !== undefined && loop.condition(frame) === false) return false;
  frame.locals[loop.accumulator] = loop.step.evaluate(frame);
  return true;
}
