import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { INTERNAL_VERSION, type KindRegistration, Scheme } from "../../machinery/scheme/scheme.js";
import { listSchema, objectSchema } from "../api-registry/own-types.js";
import type { Kind } from "./declaration.js";

/** A scheme with the versions of one kind and of its list, and its internal version if it has one. */
export function schemeOf({ declaration }: Pick<Kind<unknown>, "declaration">): Scheme {
  const { group, kind, listKind, versions, storageVersion } = declaration;
  const scheme = new Scheme(`${kind}.${group}`);
  const hubVersion = declaration.hub === undefined ? storageVersion : INTERNAL_VERSION;
  const register = (version: string, content: StructSchema, rest: Partial<KindRegistration>): void => {
    const [gvk, list] = [kind, listKind].map((name) => ({ group, version, kind: name })) as [
      GroupVersionKind,
      GroupVersionKind,
    ];
    const schema = objectSchema(gvk, content);
    scheme.register(gvk, { ...rest, schema: () => schema, hub: { ...gvk, version: hubVersion } });
    const ofList = listSchema(list, schema);
    scheme.register(list, { schema: () => ofList, hub: { ...list, version: hubVersion } });
  };
  if (declaration.hub !== undefined) register(INTERNAL_VERSION, declaration.hub, {});
  for (const { name, content, conversion, applyDefaults } of versions) {
    register(name, content, { conversion, applyDefaults });
  }
  scheme.setVersionPriority(
    group,
    versions.map(({ name }) => name),
  );
  return scheme;
}
