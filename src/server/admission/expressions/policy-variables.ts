import type { CompiledExpression } from "../../../api/admission/expression-environment.js";
import type { Program } from "../../../machinery/cel/program.js";
import { objectType } from "../../../machinery/cel/types/type.js";
import { ErrorValue, ObjectValue, type Value } from "../../../machinery/cel/values/value.js";
import { Unresolved } from "./unresolved.js";

/** The variables of a policy, as the value of `variables`. One is evaluated when an expression first reads it. */
export class PolicyVariables extends ObjectValue {
  readonly type = objectType("kubernetes.variables");
  readonly #values = new Map<string, Value>();

  constructor(
    private readonly compiled: ReadonlyMap<string, CompiledExpression>,
    private readonly evaluate: (program: Program) => Promise<Value>,
  ) {
    super();
  }

  get(name: string): Value {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    const compiled = this.compiled.get(name);
    if (compiled === undefined) return new ErrorValue(`no such key: ${name}`);
    const { program, error } = compiled;
    if (program === undefined) return new ErrorValue(`composited variable "${name}" fails to compile: ${error}`);
    throw new Unresolved(async () => {
      this.#values.set(name, failed(name, await this.evaluate(program)));
    });
  }

  has(name: string): boolean | ErrorValue {
    if (!this.compiled.has(name)) return false;
    const value = this.get(name);
    return value instanceof ErrorValue ? value : true;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}

function failed(name: string, value: Value): Value {
  if (!(value instanceof ErrorValue)) return value;
  return new ErrorValue(`composited variable "${name}" fails to evaluate: ${value.message}`);
}
