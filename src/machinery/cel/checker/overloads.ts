import type { FunctionDeclaration, Overload } from "../functions/declaration.js";
import { areAssignable, isDyn, Substitution } from "../types/assignable.js";
import { DYN, type Type } from "../types/type.js";

/** The overloads that a call may mean. */
export interface Resolution {
  readonly ids: readonly string[];
  /** The type of the result; `dyn` where the overloads differ. */
  readonly result: Type;
}

/**
 * Finds the overloads that arguments of these types fit; undefined: there is none. What the call teaches about type parameters goes
 * into `known`. `freeType` makes new type parameters.
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
