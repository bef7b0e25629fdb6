import type { FieldDeclaration, TypeProvider } from "../../cel/types/provider.js";
import { listType, mapType, objectType, STRING, type Type } from "../../cel/types/type.js";
import type { DeclaredObject, DeclaredType } from "./declared-type.js";
import { isReserved } from "./escape-name.js";

/**
 * The types of a rule's `self` and of all that is in it, by the names that messages show: "selfType.spec", with "@idx" for the items
 * of a list and "@elem" for the values of a map. A type is named when an expression first reaches it. Kubernetes puts a number behind
 * "selfType" that is another one each time.
 */
export class NamedTypes implements TypeProvider {
  /** The type of `self`. */
  readonly self: Type;
  readonly #objects = new Map<string, { readonly type: Type; readonly declared: DeclaredObject }>();
  readonly #fields = new Map<string, FieldDeclaration | null>();

  constructor(self: DeclaredType, name = "selfType") {
    this.self = this.#named(self, name);
  }

  findType(name: string): Type | undefined {
    return this.#objects.get(name)?.type;
  }

  findField(typeName: string, field: string): FieldDeclaration | undefined {
    const path = `${typeName}.${field}`;
    let found = this.#fields.get(path);
    if (found === undefined) {
      const fields = this.#objects.get(typeName)?.declared.fields;
      const declared = fields?.get(field) ?? (isReserved(field) ? fields?.get(`__${field}__`) : undefined);
      found = declared === undefined ? null : { type: this.#named(declared.type, path), key: declared.name };
      this.#fields.set(path, found);
    }
    return found ?? undefined;
  }

  #named(declared: DeclaredType, name: string): Type {
    switch (declared.kind) {
      case "scalar":
        return declared.type;
      case "list":
        return listType(this.#named(declared.element, `${name}.@idx`));
      case "map":
        return mapType(STRING, this.#named(declared.value, `${name}.@elem`));
      case "object": {
        const type = objectType(name);
        this.#objects.set(name, { type, declared });
        return type;
      }
    }
  }
}
