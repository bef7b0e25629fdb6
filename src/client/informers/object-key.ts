import type { ApiObject } from "../../machinery/meta/object.js";

export interface NamespacedName {
  /** "" for an object without a namespace. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Returns the key of an object as client-go's MetaNamespaceKeyFunc does: "<namespace>/<name>", or "<name>" for an object without a
 * namespace.
 */
export function objectKey({ metadata }: ApiObject): string {
  const { namespace, name = "" } = metadata ?? {};
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** Splits a key; the inverse of {@link objectKey}. Throws for an invalid key: `unexpected key format: "a/b/c"`. */
export function splitObjectKey(key: string): NamespacedName {
  const [first = "", second, ...more] = key.split("/");
  if (more.length > 0) throw new Error(`unexpected key format: ${JSON.stringify(key)}`);
  return second === undefined ? { namespace: "", name: first } : { namespace: first, name: second };
}
