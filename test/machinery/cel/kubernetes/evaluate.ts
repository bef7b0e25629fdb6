import type { EnvironmentOptions } from "../../../../src/machinery/cel/environment.js";
import { kubernetesEnvironment, KUBERNETES_PROGRAM } from "../../../../src/machinery/cel/kubernetes/environment.js";
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
