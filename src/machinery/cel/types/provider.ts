import type { Value } from "../values/value.js";
import type { Type } from "./type.js";

/** One field of an object type. */
export interface FieldDeclaration {
  readonly type: Type;
  /** The field's name in the decoded object, where it differs from its name in CEL (`__dash__` escapes). */
  readonly key?: string;
}

/**
 * The object types that expressions can name, and their fields. The checker uses it for the types of fields, and the evaluator to
 * read them from decoded objects. Results never change, so that they may be cached.
 */
export interface TypeProvider {
  /** The type of this full name, if there is one; it need not be an object type (`google.protobuf.Timestamp`). */
  findType(name: string): Type | undefined;
  /** A field of the object type `typeName`, or undefined if it has none of this name. */
  findField(typeName: string, field: string): FieldDeclaration | undefined;
  /** The constant (of an enumeration) of this full name. */
  findConstant?(name: string): Value | undefined;
  /** Makes an object from an expression (`Type{field: value}`); where it is missing, no object can be made. */
  construct?(typeName: string, fields: ReadonlyMap<string, Value>): Value;
}

/** A provider without object types. */
export const NO_TYPES: TypeProvider = {
  findType: () => undefined,
  findField: () => undefined,
};

/** Combines providers: the first one that has an answer wins. */
export function combineProviders(providers: readonly TypeProvider[]): TypeProvider {
  const first = <T>(ask: (provider: TypeProvider) => T | undefined): T | undefined => {
    for (const provider of providers) {
      const answer = ask(provider);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return {
    findType: (name) => first((provider) => provider.findType(name)),
    findField: (typeName, field) => first((provider) => provider.findField(typeName, field)),
    findConstant: (name) => first((provider) => provider.findConstant?.(name)),
    construct(typeName, fields) {
      const owner = providers.find((provider) => provider.findType(typeName) !== undefined);
      if (owner?.construct === undefined) throw new Error(`the provider of type ${typeName} makes no objects`);
      return owner.construct(typeName, fields);
    },
  };
}

/** Object types whose fields are declared by hand. They are used when an expression is compiled; their values are plain JSON. */
export function declaredTypes(types: ReadonlyMap<Type, Readonly<Record<string, Type>>>): TypeProvider {
  const byName = new Map([...types].map(([type, fields]) => [type.name, { type, fields }] as const));
  return {
    findType: (name) => byName.get(name)?.type,
    findField(typeName, field): FieldDeclaration | undefined {
      const fields = byName.get(typeName)?.fields ?? {};
      const type = Object.hasOwn(fields, field) ? fields[field] : undefined;
      return type && { type };
    },
  };
}
