import { parseGroupVersion, type GroupVersionResource } from "../../machinery/meta/gvk.js";
import { SCOPES } from "./scopes.js";

/**
 * The resource of a built-in kind ("apps/v1", "Deployment") and whether it is namespaced; undefined for any other kind. It
 * reads a table of 3 kB, not the API facts, so that a client has it at no cost.
 */
export function builtInResource(
  apiVersion: string,
  kind: string,
): { readonly resource: GroupVersionResource; readonly namespaced: boolean } | undefined {
  const kinds = Object.hasOwn(SCOPES, apiVersion) ? SCOPES[apiVersion] : undefined;
  const scope = kinds?.findIndex((names) => names.split(" ").includes(kind)) ?? -1;
  if (scope === -1 || kind === "") return undefined;
  return { resource: { ...parseGroupVersion(apiVersion), resource: pluralOf(kind) }, namespaced: scope === 0 };
}

/** The plural that every built-in kind has: apimachinery's meta.UnsafeGuessKindToResource. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular === "endpoints") return singular;
  if (singular.endsWith("s")) return `${singular}es`;
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
