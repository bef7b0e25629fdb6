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
  return { resource: { ...parseGroupVersion(apiVersion), resource: guessedPlural(kind) }, namespaced: scope === 0 };
}

/** The plural of a kind in lower case, as Kubernetes guesses it (apimachinery's meta.UnsafeGuessKindToResource). */
export function guessedPlural(kind: string): string {
  const word = kind.toLowerCase();
  if (word === "endpoints") return word;
  if (word.endsWith("s")) return `${word}es`;
  return word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`;
}
