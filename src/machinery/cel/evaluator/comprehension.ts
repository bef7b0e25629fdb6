import type { ComprehensionExpr } from "../ast.js";
import { ACCUMULATOR } from "../parser/expr-factory.js";
import { GrowingList, ListValue } from "../values/list.js";
import { GrowingMap, MapValue } from "../values/map.js";
import { ErrorValue, typeOf, type Value } from "../values/value.js";
import type { Frame, Planned, Step } from "./frame.js";
import type { Planner } from "./planner.js";

/** The steps of a comprehension, and the places of its variables in the frame. */
interface Loop {
  readonly range: Step;
  readonly init: (frame: Frame) => Value;
  readonly condition: Step | undefined;
  readonly step: Step;
  readonly result: Step;
  readonly accumulator: number;
  readonly variable: number;
  readonly variable2: number | undefined;
}

/** Plans a loop over a list or a map. It costs nothing beside its parts; each turn spends a step. */
export function planComprehension(planner: Planner, node: ComprehensionExpr): Planned {
  const range = planner.plan(node.range).evaluate;
  const init = planInit(planner, node);
  return planner.declare([node.accumulator], ([accumulator = 0]) => {
    const turn = planner.declare([node.variable, node.variable2], ([variable = 0, variable2]) => ({
      variable,
      variable2: node.variable2 === undefined ? undefined : variable2,
      condition: isTrue(node) ? undefined : planner.plan(node.condition).evaluate,
      step: planner.plan(node.step).evaluate,
    }));
    const result = planner.plan(node.result).evaluate;
    const loop: Loop = { range, init, accumulator, result, ...turn };
    return { evaluate: (frame) => run(frame, loop) };
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
  const range = loop.range(frame);
  if (range instanceof ErrorValue) return range;
  frame.locals[loop.accumulator] = loop.init(frame);
  if (range instanceof ListValue) overList(frame, loop, range);
  else if (range instanceof MapValue) overMap(frame, loop, range);
  else return new ErrorValue(`got '${typeOf(range).name}', expected iterable type`);
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
  frame.locals[loop.accumulator] = loop.step(frame);
  return true;
}
