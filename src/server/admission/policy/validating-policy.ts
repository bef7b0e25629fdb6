import type { CompiledExpression } from "../../../api/admission/compile-expression.js";
import { expressionEnvironment } from "../../../api/admission/expression-environment.js";
import { PolicyCompiler } from "../../../api/admission/policy-compiler.js";
import { BOOL, NULL, STRING } from "../../../machinery/cel/types/type.js";
import { objects, text } from "../../../machinery/meta/access.js";
import type { Policy } from "./policy.js";

export interface CompiledValidatingPolicy {
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly conditions: readonly CompiledExpression[];
  readonly validations: readonly Validation[];
  readonly annotations: readonly AuditAnnotation[];
}

export interface Validation {
  readonly expression: CompiledExpression;
  readonly message: string;
  readonly messageExpression: CompiledExpression | undefined;
  /** Of the Status that refuses the request. */
  readonly reason: string;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly value: CompiledExpression;
}

const compiled = new WeakMap<Policy, CompiledValidatingPolicy>();

/** The compiled expressions of a ValidatingAdmissionPolicy. Each revision of a policy is compiled once. */
export function compiledValidatingPolicy(policy: Policy): CompiledValidatingPolicy {
  const known = compiled.get(policy) ?? compile(policy);
  compiled.set(policy, known);
  return known;
}

function compile({ spec, parameterKind }: Policy): CompiledValidatingPolicy {
  const params = parameterKind !== undefined;
  const compiler = new PolicyCompiler();
  const environment = expressionEnvironment({ params, authorizer: true });
  const messages = expressionEnvironment({ params, authorizer: false });
  for (const { name, expression } of objects(spec["variables"])) {
    compiler.declare(text(name), text(expression), environment);
  }
  return {
    variables: compiler.variables,
    conditions: objects(spec["matchConditions"]).map(({ expression }) =>
      compiler.compile(text(expression), [BOOL], environment),
    ),
    validations: objects(spec["validations"]).map(({ expression, message, messageExpression, reason }) => ({
      expression: compiler.compile(text(expression), [BOOL], environment),
      message: text(message),
      messageExpression:
        text(messageExpression) === "" ? undefined : compiler.compile(text(messageExpression), [STRING], messages),
      reason: text(reason) || "Invalid",
    })),
    annotations: objects(spec["auditAnnotations"]).map(({ key, valueExpression }) => ({
      key: text(key),
      value: compiler.compile(text(valueExpression), [STRING, NULL], environment),
    })),
  };
}
