import { expect } from "vitest";
import { atOnce } from "../../../../src/base/async/steps.js";
import { Environment } from "../../../../src/machinery/cel/environment.js";
import { BINDINGS, BLOCKS } from "../../../../src/machinery/cel/extensions/bindings.js";
import { ENCODERS } from "../../../../src/machinery/cel/extensions/encoders.js";
import { LISTS } from "../../../../src/machinery/cel/extensions/lists.js";
import { MATH } from "../../../../src/machinery/cel/extensions/math.js";
import { OPTIONAL_TYPES } from "../../../../src/machinery/cel/extensions/optionals.js";
import { SETS } from "../../../../src/machinery/cel/extensions/sets.js";
import { STRINGS_4 } from "../../../../src/machinery/cel/extensions/strings.js";
import { TWO_VARIABLE_COMPREHENSIONS } from "../../../../src/machinery/cel/extensions/two-variable.js";
import type { FunctionDeclaration, VariableDeclaration } from "../../../../src/machinery/cel/functions/declaration.js";
import { Type } from "../../../../src/machinery/cel/types/type.js";
import {
  describeValue,
  Double,
  equalValues,
  ErrorValue,
  NO_SUCH_OVERLOAD,
  typeOf,
  type Value,
} from "../../../../src/machinery/cel/values/value.js";
import { ListValue } from "../../../../src/machinery/cel/values/list.js";
import { MapValue } from "../../../../src/machinery/cel/values/map.js";
import { MESSAGES } from "./messages.js";
import { readType } from "./read-type.js";
import { readValue } from "./read-value.js";
import type { WrittenDeclaration, WrittenTest } from "./suite.js";

const base = Environment.create({
  types: MESSAGES,
  quotedFields: true,
  libraries: [OPTIONAL_TYPES, TWO_VARIABLE_COMPREHENSIONS, BINDINGS, BLOCKS, ENCODERS, STRINGS_4, MATH, LISTS, SETS],
});

/** Runs a test of the suite; answers what is wrong with what came out, or undefined. */
export function runTest(test: WrittenTest): string | undefined {
  const env = base.extend({
    container: test.container ?? "",
    variables: (test.typeEnv ?? []).flatMap(readVariable),
    libraries: [{ functions: (test.typeEnv ?? []).flatMap(readFunction) }],
  });
  const outcome = evaluate(env, test);
  if (test.typedResult?.deducedType !== undefined && !("error" in outcome)) {
    const expected = readType(test.typedResult.deducedType).toString();
    if (outcome.type !== expected) return `the type is ${outcome.type}, not ${expected}`;
  }
  if (test.evalError !== undefined) return "error" in outcome ? undefined : "there is no error";
  if ("error" in outcome) return outcome.error;
  if (test.checkOnly) return undefined;
  const written = test.typedResult?.result ?? test.value ?? { boolValue: true };
  const expected = readValue(written);
  return isSame(outcome.value, expected) ? undefined : `the value is ${show(outcome.value)}, not ${show(expected)}`;
}

type Outcome = { readonly error: string } | { readonly value: Value; readonly type: string };

function evaluate(env: Environment, test: WrittenTest): Outcome {
  const parsed = env.parse(test.expr);
  if (parsed.ast === undefined) return { error: parsed.issues.toString() };
  const checked = test.disableCheck ? parsed : env.check(parsed.ast);
  if (checked.ast === undefined) return { error: checked.issues.toString() };
  const type = "type" in checked.ast ? String(checked.ast.type) : "";
  if (test.checkOnly) return { value: null, type };
  const bindings = Object.fromEntries(
    Object.entries(test.bindings ?? {}).map(([name, { value }]) => [name, readValue(value)]),
  );
  const program = env.program(checked.ast);
  const { value, cost } = program.evaluate(bindings);
  const sliced = atOnce(program.evaluateSteps(bindings, undefined, 0));
  expect([describeValue(sliced.value), sliced.cost]).toEqual([describeValue(value), cost]);
  return value instanceof ErrorValue ? { error: value.message } : { value, type };
}

function readVariable({ name, ident }: WrittenDeclaration): VariableDeclaration[] {
  return ident === undefined ? [] : [{ name, type: readType(ident.type) }];
}

function readFunction(declared: WrittenDeclaration): FunctionDeclaration[] {
  if (declared.function === undefined) return [];
  const overloads = declared.function.overloads.map((overload) => ({
    id: overload.overloadId,
    args: (overload.params ?? []).map(readType),
    result: readType(overload.resultType),
    member: overload.isInstanceFunction ?? false,
    call: () => NO_SUCH_OVERLOAD,
  }));
  return [{ name: declared.name, overloads }];
}

/** Equal, and of one type: 1 is not 1u here, and NaN is NaN. */
function isSame(a: Value, b: Value): boolean {
  if (a instanceof Type || b instanceof Type) return a instanceof Type && b instanceof Type && a.name === b.name;
  if (typeOf(a).name !== typeOf(b).name) return false;
  if (a instanceof Double && b instanceof Double) return Object.is(a.value, b.value) || a.value === b.value;
  if (a instanceof ListValue && b instanceof ListValue) {
    return a.size === b.size && a.toArray().every((element, index) => isSame(element, b.at(index)));
  }
  if (a instanceof MapValue && b instanceof MapValue) {
    return a.size === b.size && Array.from(a.keys()).every((key) => isSame(a.get(key) ?? null, b.get(key) ?? null));
  }
  return equalValues(a, b);
}

function show(value: Value): string {
  if (value instanceof ListValue) return `[${value.toArray().map(show).join(", ")}]`;
  if (value instanceof MapValue)
    return `{${Array.from(value.keys(), (key) => `${show(key)}: ${show(value.get(key) ?? null)}`).join(", ")}}`;
  return `${typeOf(value)} ${describeValue(value)}`;
}
