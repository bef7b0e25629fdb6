import {
  type CompiledExpression,
  expressionEnvironment,
  PATCH_RESULTS,
  type PatchType,
} from "../../../api/admission/expression-environment.js";
import { PolicyCompiler } from "../../../api/admission/policy-compiler.js";
import type { Steps } from "../../../base/async/steps.js";
import { BOOL } from "../../../machinery/cel/types/type.js";
import { object, objects, text } from "../../../machinery/meta/access.js";
import { CompiledOnce } from "../expressions/compiled-once.js";
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

/** The compiled expressions of MutatingAdmissionPolicies. */
export const mutatingPolicies = new CompiledOnce<Policy, CompiledMutatingPolicy>(compileSteps);

function* compileSteps({ spec, parameterKind }: Policy): Steps<CompiledMutatingPolicy> {
  const params = parameterKind !== undefined;
  const compiler = new PolicyCompiler();
  const environment = expressionEnvironment({ params, authorizer: true });
  const patches = expressionEnvironment({ params, authorizer: true, patchTypes: true });
  yield* compiler.declareSteps(objects(spec["variables"]), environment);
  const conditions = yield* compiler.compileSteps(objects(spec["matchConditions"]), [BOOL], environment);
  const mutations: Mutation[] = [];
  for (const mutation of objects(spec["mutations"])) {
    const patchType: PatchType = mutation["patchType"] === "JSONPatch" ? "JSONPatch" : "ApplyConfiguration";
    const { expression } = object(mutation[patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration"]);
    mutations.push({ patchType, expression: compiler.compile(text(expression), [PATCH_RESULTS[patchType]], patches) });
    yield;
  }
  return { variables: compiler.variables, conditions, mutations };
}
