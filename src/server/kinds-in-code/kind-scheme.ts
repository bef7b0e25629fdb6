import { Scheme } from "../../machinery/scheme/scheme.js";
import { objectSchema } from "../api-registry/own-types.js";
import type { KindDeclaration } from "./declaration.js";

/** A scheme that has the versions of one kind. */
export function schemeOf({ group, kind, versions, storageVersion }: KindDeclaration): Scheme {
  const scheme = new Scheme(`${kind}.${group}`);
  const hub = { group, version: storageVersion, kind };
  for (const { name: version, content, conversion, applyDefaults } of versions) {
    const gvk = { group, version, kind };
    scheme.register(gvk, { schema: () => objectSchema(gvk, content), hub, conversion, applyDefaults });
  }
  return scheme;
}
