import type { Environment } from "../../machinery/cel/environment.js";
import { ConstantError } from "../../machinery/cel/functions/declaration.js";
import type { Program } from "../../machinery/cel/program.js";
import { ANY, type Type } from "../../machinery/cel/types/type.js";
import { admissionProgram } from "./expression-environment.js";

/** An expression of a policy or of a webhook's match condition. What is wrong with it is known when it is evaluated, too. */
export interface CompiledExpression {
  readonly text: string;
  /** What is wrong, as kube-apiserver words it. Then there is no program. */
  readonly error: string | undefined;
  readonly program: Program | undefined;
  /** What the expression evaluates to; undefined where that is not known. */
  readonly type: Type | undefined;
}

/** Compiles an expression whose result must be of one of the types. ANY takes every result. */
export function compileExpression(
  environment: Environment,
  text: string,
  results: readonly Type[],
): CompiledExpression {
  const failed = (error: string): CompiledExpression => ({ text, error, program: undefined, type: undefined });
  const { ast, issues } = environment.compile(text);
  if (issues !== undefined) return failed(`compilation failed: ${issues}`);
  if (!results.some((result) => result === ANY || result.is(ast.type))) return failed(wrongResult(results, ast.type));
  try {
    return { text, error: undefined, program: admissionProgram(environment, ast), type: ast.type };
  } catch (error) {
    if (error instanceof ConstantError) return failed(`program instantiation failed: ${error.message}`);
    throw error;
  }
}

function wrongResult(wanted: readonly Type[], given: Type): string {
  const [only] = wanted;
  if (wanted.length === 1 && only !== undefined) return `must evaluate to ${nameOf(only)} but got ${nameOf(given)}`;
  return `must evaluate to one of [${wanted.map(nameOf).join(" ")}] but got ${nameOf(given)}`;
}

/** A type as cel-go's own `String` writes it, which is not how the messages of its checker do. */
function nameOf(type: Type): string {
  const name = type.nullable ? `wrapper(${type.name})` : type.name;
  return type.parameters.length === 0 ? name : `${name}(${type.parameters.map(nameOf).join(", ")})`;
}
