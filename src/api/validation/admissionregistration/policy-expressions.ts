import type { Steps } from "../../../base/async/steps.js";
import type { Release } from "../../facts/index.js";
import { haveSameLibraries, LIBRARIES_OF_NEW } from "../../../machinery/cel/kubernetes/environment.js";
import { BOOL, NULL, STRING, type Type } from "../../../machinery/cel/types/type.js";
import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import {
  isStruct,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import {
  type CompiledExpression,
  compileExpression,
  type Declared,
  expressionEnvironment,
  PATCH_RESULTS,
  type PatchType,
} from "../../admission/expression-environment.js";
import { PolicyCompiler } from "../../admission/policy-compiler.js";
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from "../../types/admissionregistration/v1.js";

/** The fields of validating and of mutating policies. */
export type PolicySpec = MutatingAdmissionPolicySpec & ValidatingAdmissionPolicySpec;

/**
 * Validates the expressions of one policy. Variables must be validated first, because the other expressions may use them. Each
 * expression is compiled once, and found by its path afterwards.
 */
export class PolicyExpressions {
  readonly #params: boolean;
  /** Undefined for a validating policy without variables, whose expressions do not know the name. */
  readonly #variables: PolicyCompiler | undefined;
  readonly #known = new Map<string, CompiledExpression>();

  private constructor(
    private readonly spec: Received<PolicySpec>,
    private readonly stored: StoredExpressions,
  ) {
    this.#params = isStruct(spec.paramKind);
    const isMutating = objects(spec.mutations).length > 0;
    this.#variables = isMutating || objects(spec.variables).length > 0 ? new PolicyCompiler() : undefined;
  }

  /** The expressions of a spec, compiled if {@link compileSteps} came before. */
  static of(spec: Received<PolicySpec>, stored: StoredExpressions = NONE_STORED): PolicyExpressions {
    const ahead = compiledAhead.get(spec);
    compiledAhead.delete(spec);
    return ahead ?? new PolicyExpressions(spec, stored);
  }

  /** Compiles all of them, one at a time. */
  *compileSteps(): Steps<void> {
    compiledAhead.set(this.spec, this);
    for (const [index, { name, expression }] of objects(this.spec.variables).entries()) {
      this.variable(text(name), text(expression), `spec.variables[${index}].expression`);
      yield;
    }
    for (const [index, { expression }] of objects(this.spec.matchConditions).entries()) {
      this.condition(text(expression), `spec.matchConditions[${index}].expression`);
      yield;
    }
    for (const [index, { expression, messageExpression }] of objects(this.spec.validations).entries()) {
      this.validation(text(expression), `spec.validations[${index}].expression`);
      yield;
      this.message(text(messageExpression), `spec.validations[${index}].messageExpression`);
      yield;
    }
    for (const [index, { valueExpression }] of objects(this.spec.auditAnnotations).entries()) {
      this.annotation(text(valueExpression), `spec.auditAnnotations[${index}].valueExpression`);
      yield;
    }
    for (const [index, { applyConfiguration, jsonPatch }] of objects(this.spec.mutations).entries()) {
      const [apply, patch] = [object(applyConfiguration).expression, object(jsonPatch).expression];
      this.patch(apply, `spec.mutations[${index}].applyConfiguration.expression`, "ApplyConfiguration");
      yield;
      this.patch(patch, `spec.mutations[${index}].jsonPatch.expression`, "JSONPatch");
      yield;
    }
  }

  variable(name: string, expression: string, path: string): FieldError[] {
    return this.#check(expression, path, (libraries) =>
      this.#variables?.declare(name, expression, expressionEnvironment({ ...this.#declared(), ...libraries })),
    );
  }

  /** Conditions do not know the policy's variables when they are written. */
  condition(expression: string, path: string): FieldError[] {
    const trimmed = expression.trim();
    return this.#check(trimmed, path, (libraries) =>
      compileExpression(expressionEnvironment({ ...this.#declared(), ...libraries }), trimmed, [BOOL]),
    );
  }

  validation(expression: string, path: string): FieldError[] {
    return this.#compile(expression, path, [BOOL], this.#declared());
  }

  message(expression: string, path: string): FieldError[] {
    return this.#compile(expression, path, [STRING], { params: this.#params, authorizer: false });
  }

  /** It is compiled without the spaces around it, and shown with them. */
  annotation(expression: string, path: string): FieldError[] {
    const errors = this.#compile(expression.trim(), path, [STRING, NULL], this.#declared());
    return errors.map((error) => ({ ...error, badValue: expression }));
  }

  patch(expression: string | null | undefined, path: string, type: PatchType): FieldError[] {
    return this.#compile(text(expression).trim(), path, [PATCH_RESULTS[type]], {
      ...this.#declared(),
      patchTypes: true,
    });
  }

  #declared(): Declared {
    return { params: this.#params, authorizer: true };
  }

  #compile(expression: string, path: string, results: readonly Type[], declared: Declared): FieldError[] {
    return this.#check(expression, path, (libraries) => {
      const environment = expressionEnvironment({ ...declared, ...libraries });
      return (
        this.#variables?.compile(expression, results, environment) ??
        compileExpression(environment, expression, results)
      );
    });
  }

  /** None for a blank expression, which is another error. */
  #check(
    expression: string,
    path: string,
    compile: (libraries: Pick<Declared, "libraries">) => CompiledExpression | undefined,
  ): FieldError[] {
    if (expression.trim() === "") return [];
    const { texts, libraries, librariesOfNew } = this.stored;
    let compiled = this.#known.get(path) ?? compile({ libraries: librariesOfNew });
    if (compiled === undefined) return [];
    if (compiled.error !== undefined && texts.has(expression)) compiled = compile({ libraries }) ?? compiled;
    this.#known.set(path, compiled);
    return compiled.error === undefined ? [] : [invalidValue(path, compiled.text, compiled.error)];
  }
}

/** The expressions that a policy had before, and the Kubernetes versions whose CEL libraries old and new expressions may use. */
export interface StoredExpressions {
  readonly texts: ReadonlySet<string>;
  readonly libraries: string;
  readonly librariesOfNew: string;
}

const NO_TEXTS: ReadonlySet<string> = new Set();
const NONE_STORED = { texts: NO_TEXTS, libraries: LIBRARIES_OF_NEW, librariesOfNew: LIBRARIES_OF_NEW };

/** Collects the expressions that the policy had before an update. */
export function storedExpressions(
  old: ReceivedObject<ValidatingAdmissionPolicy | MutatingAdmissionPolicy> | undefined,
  { version: libraries, minCompatibility: librariesOfNew }: Pick<Release, "version" | "minCompatibility">,
): StoredExpressions {
  if (old === undefined || haveSameLibraries(libraries, librariesOfNew)) {
    return { texts: NO_TEXTS, libraries, librariesOfNew };
  }
  const spec: Received<PolicySpec> = object(old.spec);
  const texts = [
    ...objects(spec.variables).map(({ expression }) => text(expression)),
    ...objects(spec.matchConditions).map(({ expression }) => text(expression).trim()),
    ...objects(spec.validations).flatMap((one) => [text(one.expression), text(one.messageExpression)]),
    ...objects(spec.auditAnnotations).map(({ valueExpression }) => text(valueExpression).trim()),
    ...objects(spec.mutations).flatMap(({ applyConfiguration, jsonPatch }) =>
      [applyConfiguration, jsonPatch].map((one) => text(object(one).expression).trim()),
    ),
  ];
  return { texts: new Set(texts), libraries, librariesOfNew };
}

/** By their specs, until the validation that follows asks for them. */
const compiledAhead = new WeakMap<Received<PolicySpec>, PolicyExpressions>();

/** Compiles the expressions of a policy ahead, so that the validation that follows is fast. */
export const policyExpressionSteps = (
  policy: ReceivedObject<ValidatingAdmissionPolicy | MutatingAdmissionPolicy>,
  stored?: StoredExpressions,
): Steps<void> => PolicyExpressions.of(object(policy.spec), stored).compileSteps();
