import { goQuote } from "../../base/text/go-quote.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { type ListedNames, listNames, resourceTypes } from "../completion/resource-names.js";
import type { Factory } from "../connect/factory.js";
import { didYouMean, nearest } from "./suggestions.js";

/** Suggests a resource type for a mistyped one. */
export async function adviceOnTypes(messages: readonly string[], factory: Factory): Promise<string | undefined> {
  const [type] = messages.flatMap((message) => /doesn't have a resource type "([^"]+)"/.exec(message)?.[1] ?? []);
  return type === undefined ? undefined : didYouMean([nearest(type, await typeNames(factory))]);
}

/** With their singulars and short names, as a user may have meant to type them. */
async function typeNames(factory: Factory): Promise<readonly string[]> {
  const { resources } = await (await factory.discovery()).resources();
  const plural = (await resourceTypes(factory)).map((type) => type.split(".")[0] ?? type);
  return [...plural, ...resources.flatMap(({ singularName, shortNames }) => [singularName, ...shortNames])].filter(
    Boolean,
  );
}

/**
 * Suggests names for mistyped ones, or says that the namespace of -n holds no such object. It reads one list, of the first type of
 * which an object was not found.
 */
export async function adviceOnNames(errors: readonly unknown[], factory: Factory): Promise<string | undefined> {
  const missing = errors.flatMap((error) => {
    if (!isStatusError(error) || error.reason !== "NotFound") return [];
    const { name = "", kind = "", group = "" } = error.status.details ?? {};
    return name === "" || kind === "" ? [] : [{ name, kind, type: group === "" ? kind : `${kind}.${group}` }];
  });
  const [first] = missing;
  if (first === undefined) return undefined;
  const listed = await listNames(factory, first.type);
  if (listed.names.length === 0) return nothingIn(first, listed, factory);
  const ofType = missing.filter(({ type }) => type === first.type);
  return didYouMean(ofType.map(({ name }) => nearName(name, listed.names)));
}

/** The name that was probably meant. Controllers name a pod after its owner with letters behind, so the owner alone may be typed for it. */
function nearName(typed: string, there: readonly string[]): string | undefined {
  return nearest(typed, there) ?? there.find((name) => name.startsWith(`${typed}-`));
}

/** Without -n the object may be of a manifest that names another namespace. */
async function nothingIn(
  { kind, type }: { readonly kind: string; readonly type: string },
  { namespaced }: ListedNames,
  factory: Factory,
): Promise<string | undefined> {
  const { namespace, enforced } = await factory.namespace();
  if (!enforced || !namespaced) return undefined;
  return `There are no ${kind} in namespace ${goQuote(namespace)}; list those of all with: ${factory.program} get ${type} -A`;
}

/**
 * Advises a user whose list is empty because the namespace in force does not exist. Undefined where it exists, or where there are
 * too many namespaces for one list.
 */
export async function adviceOnNamespace(factory: Factory): Promise<string | undefined> {
  const { namespace } = await factory.namespace();
  // It is in every cluster.
  if (namespace === "default") return undefined;
  const { names, isWhole } = await listNames(factory, "namespaces");
  if (!isWhole || names.includes(namespace)) return undefined;
  const meant =
    didYouMean([nearest(namespace, names)]) ?? `List those there are with: ${factory.program} get namespaces`;
  return `There is no namespace ${goQuote(namespace)}. ${meant}`;
}
