import { type Kind, Type, listType, mapType, optionalType, typeType, DYN } from "./type.js";

/** The types that the checker has found for type parameters so far. */
export class Substitution {
  readonly #types: Map<string, Type>;
  /** What parameters stood for before each change, while an attempt is made. */
  readonly #changes: { readonly name: string; readonly before: Type | undefined }[] = [];
  #attempts = 0;

  constructor(types = new Map<string, Type>()) {
    this.#types = types;
  }

  get(type: Type): Type | undefined {
    return this.#types.size === 0 || type.kind !== "typeParam" ? undefined : this.#types.get(type.name);
  }

  set(parameter: Type, type: Type): void {
    const { name } = parameter;
    if (this.#attempts > 0) this.#changes.push({ name, before: this.#types.get(name) });
    this.#types.set(name, type);
  }

  /** Answers what `learn` does; when that is false, what it has set is as it was before. */
  attempt(learn: () => boolean): boolean {
    const mark = this.#changes.length;
    this.#attempts += 1;
    const isLearnt = learn();
    this.#attempts -= 1;
    if (!isLearnt) this.#undo(mark);
    else if (this.#attempts === 0) this.#changes.length = 0;
    return isLearnt;
  }

  #undo(mark: number): void {
    for (const { name, before } of this.#changes.splice(mark).toReversed()) {
      if (before === undefined) this.#types.delete(name);
      else this.#types.set(name, before);
    }
  }

  /** `type` with every known parameter replaced; with `unknownToDyn` every other parameter becomes `dyn`. */
  apply(type: Type, unknownToDyn = false): Type {
    const known = this.get(type);
    if (known !== undefined) return this.apply(known, unknownToDyn);
    if (type.kind === "typeParam") return unknownToDyn ? DYN : type;
    if (type.parameters.length === 0) return type;
    const parameters = type.parameters.map((parameter) => this.apply(parameter, unknownToDyn));
    if (parameters.every((parameter, index) => parameter === type.parameters[index])) return type;
    const [first = DYN, second = DYN] = parameters;
    if (type.kind === "list") return listType(first);
    if (type.kind === "map") return mapType(first, second);
    if (type.kind === "type") return typeType(first);
    if (type.isOptional) return optionalType(first);
    return new Type(type.kind, type.name, parameters, type.nullable);
  }
}

/**
 * Whether a value of one type may be used where the other is expected, by the symmetric rules of cel-go's checker. The types that
 * this implies for type parameters are added to `known`, even when the result is false: callers must be able to undo it.
 */
export function isAssignable(known: Substitution, a: Type, b: Type): boolean {
  if (b.kind === "typeParam") {
    const answer = bindParameter(known, a, b);
    if (answer === "bound") return true;
    if (answer === "conflict") return false;
  }
  if (a.kind === "typeParam") return bindParameter(known, b, a) === "bound";
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return acceptsNull(b);
  if (b.kind === "null") return acceptsNull(a);
  if (a.kind !== b.kind) return false;
  return a.kind === "type" || (a.name === b.name && areAssignable(known, a.parameters, b.parameters));
}

/** {@link isAssignable} for each pair of two lists of the same length. */
export function areAssignable(known: Substitution, as: readonly Type[], bs: readonly Type[]): boolean {
  return as.length === bs.length && as.every((type, index) => isAssignable(known, type, bs[index] as Type));
}

/** Returns the more general of two types, one of which is assignable to the other. */
export function mostGeneral(a: Type, b: Type): Type {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

export function isDyn(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "any";
}

export function isDynOrError(type: Type): boolean {
  return isDyn(type) || type.kind === "error";
}

const NULLABLE: ReadonlySet<Kind> = new Set<Kind>(["any", "duration", "null", "opaque", "struct", "timestamp"]);

function acceptsNull(type: Type): boolean {
  return type.nullable || NULLABLE.has(type.kind);
}

/** Makes `parameter` stand for `type`, or finds that it does already (bound), cannot (conflict), or would hold itself (recursive). */
function bindParameter(known: Substitution, type: Type, parameter: Type): "bound" | "conflict" | "recursive" {
  if (type.is(parameter)) return "bound";
  const bound = known.get(parameter);
  if (bound !== undefined) {
    if (type.is(bound)) return "bound";
    if (!isAssignable(known, type, bound)) return "conflict";
    const general = mostGeneral(type, bound);
    if (!mentions(known, parameter, general)) known.set(parameter, general);
    return "bound";
  }
  if (mentions(known, parameter, type)) return "recursive";
  known.set(parameter, type);
  return "bound";
}

function mentions(known: Substitution, parameter: Type, type: Type): boolean {
  if (parameter.is(type)) return true;
  if (type.kind === "typeParam") {
    const bound = known.get(type);
    return bound !== undefined && mentions(known, parameter, bound);
  }
  return type.parameters.some((inner) => mentions(known, parameter, inner));
}

function isEqualOrLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "typeParam") return true;
  if (isDyn(b) || b.kind === "typeParam" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  // A nullable type accepts all that the type itself does.
  if (a.name !== b.name || (b.nullable && !a.nullable) || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((parameter, index) => isEqualOrLessSpecific(parameter, b.parameter(index)));
}
