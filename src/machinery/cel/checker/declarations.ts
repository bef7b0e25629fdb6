import type { FunctionDeclaration, VariableDeclaration, Overload } from "../functions/declaration.js";
import type { TypeProvider } from "../types/provider.js";
import { typeType, DYN, type Type } from "../types/type.js";
import { typeOf } from "../values/value.js";
import type { CallExpr, Expr, Reference } from "../ast.js";
import { areAssignable, isDyn, Substitution } from "../types/assignable.js";

/** The declarations of an environment, as the checker and the planner look them up. */
export interface Declarations {
  /** The namespace of the expression: names in it need not be written in full. */
  readonly container: string;
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: TypeProvider;
}

/** The names that a name in an expression may stand for, in lookup order: in `a.b`, `x` is `a.b.x`, `a.x` or `x`. */
export function candidateNames(container: string, name: string): string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  const parts = container === "" ? [] : container.split(".");
  return [...parts.map((_, index) => [...parts.slice(0, parts.length - index), name].join(".")), name];
}

/** Finds a variable, a type or a constant that is declared outside of the expression. */
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

/** The function that a call refers to. */
export interface Callee {
  /** With its namespace: `sets.contains`. */
  readonly name: string;
  /** Those that the checker has left, or all. */
  readonly overloads: readonly Overload[];
  /** With the target of a member function first; a namespace is no argument. */
  readonly args: readonly Expr[];
}

/** Finds the function of a call, by the checker's result if the expression was checked. */
export function findCallee(
  declarations: Declarations,
  references: ReadonlyMap<number, Reference> | undefined,
  node: CallExpr,
): Callee {
  const reference = references?.get(node.id);
  const left = reference?.kind === "function" ? new Set(reference.overloads) : undefined;
  const choose = (name: string, args: readonly Expr[], member: boolean): Callee => {
    const declared = findFunction(declarations, name);
    const overloads = (declared?.overloads ?? []).filter(
      (overload) => (overload.member ?? false) === member && (left?.has(overload.id) ?? true),
    );
    return { name: declared?.name ?? node.name, overloads, args };
  };
  if (node.target === undefined) return choose(node.name, node.args, false);
  const prefix = qualifiedName(node.target);
  const namespaced = prefix === undefined ? undefined : `${prefix}.${node.name}`;
  if (namespaced !== undefined && findFunction(declarations, namespaced) !== undefined) {
    return choose(namespaced, node.args, false);
  }
  return choose(node.name, [node.target, ...node.args], true);
}

/** The text of a chain of names (`a.b.c`), which may be one qualified name; undefined for any other node. */
export function qualifiedName(node: Expr): string | undefined {
  if (node.kind === "ident") return node.name;
  if (node.kind !== "select" || node.testOnly) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}

/** The overloads that a call may resolve to. */
export interface Resolution {
  readonly ids: readonly string[];
  /** The type of the result; `dyn` where the overloads differ. */
  readonly result: Type;
}

/**
 * Finds the overloads that accept arguments of these types; undefined where there is none. The types that the call implies for
 * type parameters are added to `known`. `freeType` makes new type parameters.
 */
export function resolveOverloads(
  declared: FunctionDeclaration,
  args: readonly Type[],
  member: boolean,
  known: Substitution,
  freeType: () => Type,
): Resolution | undefined {
  const ids: string[] = [];
  let result: Type | undefined;
  for (const overload of declared.overloads) {
    if ((overload.member ?? false) !== member) continue;
    const fresh = withFreeTypes(overload, freeType);
    if (!known.attempt(() => areAssignable(known, args, fresh.args))) continue;
    ids.push(overload.id);
    const type = known.apply(fresh.result);
    if (result === undefined) result = type;
    else if (!isDyn(result) && !type.is(result)) result = DYN;
  }
  return result === undefined ? undefined : { ids, result };
}

/** The signature with its type parameters replaced by new ones, so that two calls do not share what they stand for. */
function withFreeTypes(
  overload: Overload,
  freeType: () => Type,
): { readonly args: readonly Type[]; readonly result: Type } {
  const names = parametersOf(overload);
  if (names.length === 0) return overload;
  const fresh = new Substitution(new Map(names.map((name) => [name, freeType()])));
  return { args: overload.args.map((type) => fresh.apply(type)), result: fresh.apply(overload.result) };
}

const parameters = new WeakMap<Overload, readonly string[]>();

function parametersOf(overload: Overload): readonly string[] {
  let names = parameters.get(overload);
  if (names === undefined) {
    names = [...new Set([...overload.args, overload.result].flatMap((type) => parameterNames(type)))];
    parameters.set(overload, names);
  }
  return names;
}

function parameterNames(type: Type): string[] {
  return type.kind === "typeParam" ? [type.name] : type.parameters.flatMap((parameter) => parameterNames(parameter));
}
