import { listType, mapType, optionalType, Type, typeType, DYN } from "./type.js";

/** What type parameters stand for, as far as the checker has found out. Copied for each attempt, so that a failed one leaves no trace. */
export class Substitution {
  readonly #types: Map<string, Type>;

  constructor(types = new Map<string, Type>()) {
    this.#types = types;
  }

  get(type: Type): Type | undefined {
    return this.#types.size === 0 || type.kind !== "typeParam" ? undefined : this.#types.get(type.name);
  }

  set(parameter: Type, type: Type): void {
    this.#types.set(parameter.name, type);
  }

  copy(): Substitution {
    return new Substitution(new Map(this.#types));
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
