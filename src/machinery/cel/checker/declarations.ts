import type { FunctionDeclaration, VariableDeclaration } from "../functions/declaration.js";
import type { TypeProvider } from "../types/provider.js";
import { typeType } from "../types/type.js";
import { typeOf } from "../values/value.js";

/** What an environment declares, as the checker and the planner look it up. */
export interface Declarations {
  /** The namespace of the expression: names in it need not be written in full. */
  readonly container: string;
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: TypeProvider;
}

/** What a name in an expression may mean, in the order in which it is looked up: in `a.b`, `x` is `a.b.x`, `a.x` or `x`. */
export function candidateNames(container: string, name: string): string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  const parts = container === "" ? [] : container.split(".");
  return [...parts.map((_, index) => [...parts.slice(0, parts.length - index), name].join(".")), name];
}

/** A variable, a type or a constant outside of the expression. */
export function findGlobal(declarations: Declarations, name: string): VariableDeclaration | undefined {
  for (const candidate of candidateNames(declarations.container, name)) {
    const variable = declarations.variables.get(candidate);
    if (variable !== undefined) return variable;
    const type = declarations.types.findType(candidate);
    if (type !== undefined) return { name: candidate, type: typeType(type), value: type };
    const value = declarations.types.findConstant?.(candidate);
    if (value !== undefined) return { name: candidate, type: typeOf(value), value };
  }
  return undefined;
}

export function findFunction(declarations: Declarations, name: string): FunctionDeclaration | undefined {
  for (const candidate of candidateNames(declarations.container, name)) {
    const found = declarations.functions.get(candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}
