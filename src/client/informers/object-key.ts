import type { ApiObject } from "../../machinery/meta/object.js";

export interface NamespacedName {
  /** "" for an object without a namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** client-go's MetaNamespaceKeyFunc: "<namespace>/<name>", or "<name>" for an object without a namespace. */
export function objectKey({ metadata }: ApiObject): string {
  const { namespace, name = "" } = metadata ?? {};
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** The inverse of {@link objectKey}. Throws for what is no key: `unexpected key format: "a/b/c"`. */
export function splitObjectKey(key: string): NamespacedName {
  const [first = "", second, ...more] = key.split("/");
  if (more.length > 0) throw new Error(`unexpected key format: ${JSON.stringify(key)}`);
  return second === undefined ? { namespace: "", name: first } : { namespace: first, name: second };
}
