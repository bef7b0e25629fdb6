import type * as v1 from "../../../api/types/admissionregistration/v1.js";
import type { FieldsOf } from "../../../machinery/meta/received.js";
import {
  type CompiledExpression,
  expressionEnvironment,
  PATCH_RESULTS,
  type PatchType,
} from "../../../api/admission/expression-environment.js";
import { PolicyCompiler } from "../../../api/admission/policy-compiler.js";
import type { Steps } from "../../../base/async/steps.js";
import { BOOL, NULL, STRING } from "../../../machinery/cel/types/type.js";
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
export const mutatingPolicies = new CompiledOnce<Policy, CompiledMutatingPolicy>(compileMutatingSteps);

function* compileMutatingSteps({ spec, parameterKind, libraries }: Policy): Steps<CompiledMutatingPolicy> {
  const params = parameterKind !== undefined;
  const compiler = new PolicyCompiler();
  const environment = expressionEnvironment({ libraries, params, authorizer: true });
  const patches = expressionEnvironment({ libraries, params, authorizer: true, patchTypes: true });
  yield* compiler.declareSteps(objects(spec.variables), environment);
  const conditions = yield* compiler.compileSteps(objects(spec.matchConditions), [BOOL], environment);
  const mutations: Mutation[] = [];
  const given: readonly FieldsOf<v1.Mutation>[] = objects(spec.mutations);
  for (const mutation of given) {
    const patchType: PatchType = mutation.patchType === "JSONPatch" ? "JSONPatch" : "ApplyConfiguration";
    const { expression }: FieldsOf<v1.JSONPatch> = object(
      mutation[patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration"],
    );
    mutations.push({ patchType, expression: compiler.compile(text(expression), [PATCH_RESULTS[patchType]], patches) });
    yield;
  }
  return { variables: compiler.variables, conditions, mutations };
}

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

/** The compiled expressions of ValidatingAdmissionPolicies. */
export const validatingPolicies = new CompiledOnce<Policy, CompiledValidatingPolicy>(compileValidatingSteps);

function* compileValidatingSteps({ spec, parameterKind, libraries }: Policy): Steps<CompiledValidatingPolicy> {
  const params = parameterKind !== undefined;
  const compiler = new PolicyCompiler();
  const environment = expressionEnvironment({ libraries, params, authorizer: true });
  const messages = expressionEnvironment({ libraries, params, authorizer: false });
  yield* compiler.declareSteps(objects(spec.variables), environment);
  const conditions = yield* compiler.compileSteps(objects(spec.matchConditions), [BOOL], environment);
  const validations: Validation[] = [];
  const given: readonly FieldsOf<v1.Validation>[] = objects(spec.validations);
  for (const { expression, message, messageExpression, reason } of given) {
    const made = text(messageExpression);
    validations.push({
      expression: compiler.compile(text(expression), [BOOL], environment),
      message: text(message),
      messageExpression: made === "" ? undefined : compiler.compile(made, [STRING], messages),
      reason: text(reason) || "Invalid",
    });
    yield;
  }
  const annotations: AuditAnnotation[] = [];
  const noted: readonly FieldsOf<v1.AuditAnnotation>[] = objects(spec.auditAnnotations);
  for (const { key, valueExpression } of noted) {
    annotations.push({
      key: text(key),
      value: compiler.compile(text(valueExpression), [STRING, NULL], environment),
    });
    yield;
  }
  return { variables: compiler.variables, conditions, validations, annotations };
}
