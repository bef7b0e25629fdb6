import type { ValidatingAdmissionPolicy, Variable } from "../../api/types/admissionregistration/v1.js";
import { declaredCustomKind, declaredStruct } from "../../api/admission/declared-kinds.js";
import { typedEnvironment } from "../../api/admission/expression-environment.js";
import { PolicyCompiler } from "../../api/admission/policy-compiler.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";
import type { Environment } from "../../machinery/cel/environment.js";
import { isStruct, object, objects, type Received, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import { NamedTypes } from "../../machinery/structural/rules/declared-type.js";
import type { CheckedKind, CheckedKinds } from "./checked-kinds.js";

/** The warning in a policy's status about one of its expressions. */
export interface ExpressionWarning {
  /** "spec.validations[0].expression". */
  readonly fieldRef: string;
  /** The issues by kind, each with its place in the expression. */
  readonly warning: string;
}

/** Checks the types in a policy's validations and messages, for the kinds that its rules name. Source: apiserver's TypeChecker. */
export async function checkTypes(
  policy: ReceivedObject<ValidatingAdmissionPolicy>,
  kinds: CheckedKinds,
): Promise<ExpressionWarning[]> {
  const spec = object(policy.spec);
  const hasParams = isStruct(spec.paramKind);
  const checks = kinds.objects.map((one) => ({
    kind: one.kind,
    environment: environmentOf(one, hasParams, kinds.params, objects(spec.variables)),
  }));
  const warnings: ExpressionWarning[] = [];
  for (const [index, validation] of objects(spec.validations).entries()) {
    for (const field of ["expression", "messageExpression"] as const) {
      const expression = text(validation[field]);
      if (expression === "") continue;
      const found: string[] = [];
      for (const { kind, environment } of checks) {
        if (sliceIsSpent()) await nextSlice();
        const { issues } = environment.compile(expression);
        if (issues !== undefined) found.push(`${kindText(kind)}: ${issues}\n`);
      }
      const fieldRef = `spec.validations[${index}].${field}`;
      if (found.length > 0) warnings.push({ fieldRef, warning: found.join("\n") });
    }
  }
  return warnings;
}

const kindText = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;

function environmentOf(
  objectKind: CheckedKind,
  hasParams: boolean,
  paramKind: CheckedKind | undefined,
  variables: readonly Received<Variable>[],
): Environment {
  const [ofObject, ofParams] = [typesOf(objectKind, objectKind.kind.kind), paramKind && typesOf(paramKind, "params")];
  let environment = typedEnvironment(hasParams, { object: ofObject?.self, params: ofParams?.self });
  for (const types of [ofObject, ofParams]) if (types !== undefined) environment = environment.extend({ types });
  const compiler = new PolicyCompiler();
  for (const { name, expression } of variables) {
    compiler.declareAs(text(name), compiler.with(environment).compile(text(expression)).ast?.type);
  }
  return compiler.with(environment);
}

function typesOf({ struct, custom }: CheckedKind, name: string): NamedTypes | undefined {
  const declared = struct === undefined ? custom && declaredCustomKind(custom) : declaredStruct(struct);
  return declared && new NamedTypes(declared, name);
}
