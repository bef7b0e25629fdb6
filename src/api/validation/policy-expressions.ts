import { BOOL, NULL, STRING, type Type } from "../../machinery/cel/types/type.js";
import { type FieldError, required } from "../../machinery/errors/field-error.js";
import { isFields, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { compileExpression } from "../admission/compile-expression.js";
import {
  type Declared,
  expressionEnvironment,
  PATCH_RESULTS,
  type PatchType,
} from "../admission/expression-environment.js";
import { PolicyCompiler } from "../admission/policy-compiler.js";
import { expressionErrors } from "./admission-rules.js";

/** Finds what is wrong with the expressions of one policy. Variables come first: the others may use them. */
export class PolicyExpressions {
  readonly #params: boolean;
  /** Undefined for a validating policy without variables, whose expressions do not know the name. */
  readonly #variables: PolicyCompiler | undefined;

  constructor(spec: ReadonlyFields) {
    this.#params = isFields(spec.paramKind);
    const isMutating = objects(spec.mutations).length > 0;
    this.#variables = isMutating || objects(spec.variables).length > 0 ? new PolicyCompiler() : undefined;
  }

  variable(name: string, expression: string, path: string): FieldError[] {
    const compiled = this.#variables?.declare(name, expression, expressionEnvironment(this.#declared()));
    return compiled === undefined ? [] : expressionErrors(compiled, path);
  }

  validation(expression: string, path: string): FieldError[] {
    return this.#check(expression, path, [BOOL], this.#declared());
  }

  message(expression: string, path: string): FieldError[] {
    return this.#check(expression, path, [STRING], { params: this.#params, authorizer: false });
  }

  /** It is compiled without the spaces around it, and shown with them. */
  annotation(expression: string, path: string): FieldError[] {
    const errors = this.#check(expression.trim(), path, [STRING, NULL], this.#declared());
    return errors.map((error) => ({ ...error, badValue: expression }));
  }

  patch(expression: unknown, path: string, type: PatchType): FieldError[] {
    const trimmed = text(expression).trim();
    if (trimmed === "") return [required(path)];
    return this.#check(trimmed, path, [PATCH_RESULTS[type]], { ...this.#declared(), patchTypes: true });
  }

  #declared(): Declared {
    return { params: this.#params, authorizer: true };
  }

  #check(expression: string, path: string, results: readonly Type[], declared: Declared): FieldError[] {
    const environment = expressionEnvironment(declared);
    const compiled =
      this.#variables?.compile(expression, results, environment) ?? compileExpression(environment, expression, results);
    return expressionErrors(compiled, path);
  }
}
