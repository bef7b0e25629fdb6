import type { FieldDeclaration, TypeProvider } from "./provider.js";
import type { Type } from "./type.js";

/** Object types whose fields are declared by hand. They count when an expression is compiled; their values are plain JSON. */
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
