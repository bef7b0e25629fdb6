import { listType, mapType, optionalType, Type, typeType, DYN } from "./type.js";

/** What type parameters stand for, as far as the checker has found out. */
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
