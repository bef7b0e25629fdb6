import { expect, test } from "vitest";
import type { EnvironmentOptions } from "../../../../src/machinery/cel/environment.js";
import { kubernetesEnvironment, KUBERNETES_PROGRAM } from "../../../../src/machinery/cel/kubernetes/environment.js";
import { valueToJson } from "../../../../src/machinery/cel/kubernetes/to-json.js";
import type { Bindings, Evaluation } from "../../../../src/machinery/cel/program.js";
import { ErrorValue } from "../../../../src/machinery/cel/values/value.js";

/** Evaluates an expression that must compile, as Kubernetes does. */
export function evaluate(text: string, bindings: Bindings = {}, more: EnvironmentOptions = {}): Evaluation {
  const environment = kubernetesEnvironment().extend(more);
  const compiled = environment.compile(text);
  if (compiled.ast === undefined) throw new Error(compiled.issues.toString());
  return environment.program(compiled.ast, KUBERNETES_PROGRAM).evaluate(bindings);
}

/** The message with which an evaluation failed; undefined: it did not. */
export function failure(text: string, bindings: Bindings = {}, more: EnvironmentOptions = {}): string | undefined {
  const { value } = evaluate(text, bindings, more);
  return value instanceof ErrorValue ? value.message : undefined;
}

/** The messages with which an expression is refused. */
export function issuesOf(text: string, more: EnvironmentOptions = {}): readonly string[] {
  const { issues } = kubernetesEnvironment().extend(more).compile(text);
  return issues?.list().map(({ message }) => message) ?? [];
}

/** What expressions are: their values as JSON. */
export function testValues(rows: readonly (readonly [text: string, value: unknown])[]): void {
  test.each(rows)("%s is %j", (text, value) => {
    expect(valueToJson(evaluate(text).value)).toEqual(value);
  });
}

/** With which messages expressions fail when they are evaluated. */
export function testFailures(rows: readonly (readonly [text: string, message: string])[]): void {
  test.each(rows)("%s fails: %s", (text, message) => {
    expect(failure(text)).toBe(message);
  });
}

/** With which messages expressions are refused before they are evaluated. */
export function testIssues(rows: readonly (readonly [text: string, ...messages: string[]])[]): void {
  test.each(rows.map(([text, ...messages]) => [text, messages] as const))("%s is refused: %j", (text, messages) => {
    expect(issuesOf(text)).toEqual(messages);
  });
}
