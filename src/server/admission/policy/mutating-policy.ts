import type { CompiledExpression } from "../../../api/admission/compile-expression.js";
import { expressionEnvironment, PATCH_RESULTS, type PatchType } from "../../../api/admission/expression-environment.js";
import { PolicyCompiler } from "../../../api/admission/policy-compiler.js";
import { BOOL } from "../../../machinery/cel/types/type.js";
import { object, objects, text } from "../../../machinery/meta/access.js";
import type { Policy } from "./policy.js";

export interface CompiledMutatingPolicy {
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly conditions: readonly CompiledExpression[];
  readonly mutations: readonly Mutation[];
}

export interface Mutation {
  readonly patchType: PatchType;
  readonly expression: CompiledExpression;
}

const compiled = new WeakMap<Policy, CompiledMutatingPolicy>();

/** The compiled expressions of a MutatingAdmissionPolicy. Each revision of a policy is compiled once. */
export function compiledMutatingPolicy(policy: Policy): CompiledMutatingPolicy {
  const known = compiled.get(policy) ?? compile(policy);
  compiled.set(policy, known);
  return known;
}

function compile({ spec, parameterKind }: Policy): CompiledMutatingPolicy {
  const params = parameterKind !== undefined;
  const compiler = new PolicyCompiler();
  const environment = expressionEnvironment({ params, authorizer: true });
  const patches = expressionEnvironment({ params, authorizer: true, patchTypes: true });
  for (const { name, expression } of objects(spec["variables"])) {
    compiler.declare(text(name), text(expression), environment);
  }
  return {
    variables: compiler.variables,
    conditions: objects(spec["matchConditions"]).map(({ expression }) =>
      compiler.compile(text(expression), [BOOL], environment),
    ),
    mutations: objects(spec["mutations"]).map((mutation) => {
      const patchType: PatchType = mutation["patchType"] === "JSONPatch" ? "JSONPatch" : "ApplyConfiguration";
      const { expression } = object(mutation[patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration"]);
      return { patchType, expression: compiler.compile(text(expression), [PATCH_RESULTS[patchType]], patches) };
    }),
  };
}
