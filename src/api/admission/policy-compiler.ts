import type { Steps } from "../../base/async/steps.js";
import type { Environment } from "../../machinery/cel/environment.js";
import type { TypeProvider } from "../../machinery/cel/types/provider.js";
import { ANY, DYN, listType, mapType, objectType, type Type } from "../../machinery/cel/types/type.js";
import { type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { compileExpression, type CompiledExpression } from "./expression-environment.js";

const VARIABLES = objectType("kubernetes.variables");

/**
 * Compiles the expressions of one policy. They can use the policy's variables as `variables.<name>`, and a variable those that
 * were declared before it.
 */
export class PolicyCompiler {
  readonly variables = new Map<string, CompiledExpression>();
  readonly #types = new Map<string, Type>();
  readonly #environments = new Map<Environment, Environment>();

  /** Compiles a variable and declares it, with any type if it is wrong. */
  declare(name: string, text: string, environment: Environment): CompiledExpression {
    const compiled = this.compile(text, [ANY], environment);
    this.declareAs(name, compiled.type);
    this.variables.set(name, compiled);
    return compiled;
  }

  /** Declares variables in their order, one at a time. */
  *declareSteps(variables: readonly ReadonlyFields[], environment: Environment): Steps<void> {
    for (const { name, expression } of variables) {
      this.declare(text(name), text(expression), environment);
      yield;
    }
  }

  /** Declares a variable that something else has compiled. */
  declareAs(name: string, type: Type | undefined): void {
    this.#types.set(name, declaredType(type));
  }

  compile(text: string, results: readonly Type[], environment: Environment): CompiledExpression {
    return compileExpression(this.with(environment), text, results);
  }

  /** Compiles what has an expression, one at a time. */
  *compileSteps(
    all: readonly ReadonlyFields[],
    results: readonly Type[],
    environment: Environment,
  ): Steps<readonly CompiledExpression[]> {
    const compiled: CompiledExpression[] = [];
    for (const { expression } of all) {
      compiled.push(this.compile(text(expression), results, environment));
      yield;
    }
    return compiled;
  }

  /** An environment with the variables that are declared now. */
  with(environment: Environment): Environment {
    const known = this.#environments.get(environment);
    if (known !== undefined) return known;
    const extended = environment.extend({
      types: this.#provider,
      variables: [{ name: "variables", type: VARIABLES }],
    });
    this.#environments.set(environment, extended);
    return extended;
  }

  readonly #provider: TypeProvider = {
    findType: (name) => (name === VARIABLES.name ? VARIABLES : undefined),
    findField: (typeName, field) => {
      const type = typeName === VARIABLES.name ? this.#types.get(field) : undefined;
      return type && { type };
    },
  };
}

/** What a variable counts as: the types of the language itself, and lists and maps of them; all else is of any type. */
function declaredType(type: Type | undefined): Type {
  if (type === undefined) return DYN;
  if (type.kind === "list") return listType(declaredType(type.parameter(0)));
  if (type.kind === "map") return mapType(declaredType(type.parameter(0)), declaredType(type.parameter(1)));
  return OF_THE_LANGUAGE.has(type.kind) ? type : DYN;
}

const OF_THE_LANGUAGE: ReadonlySet<Type["kind"]> = new Set<Type["kind"]>([
  "any",
  "bool",
  "bytes",
  "double",
  "duration",
  "int",
  "null",
  "string",
  "timestamp",
  "uint",
]);
