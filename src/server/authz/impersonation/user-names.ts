import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";

/** "system:serviceaccount:NAMESPACE:NAME"; undefined for every other name. */
export function serviceAccountOf(userName: string): { readonly namespace: string; readonly name: string } | undefined {
  const [system, kind, namespace = "", name, ...more] = userName.split(":");
  if (system !== "system" || kind !== "serviceaccount" || name === undefined || more.length > 0) return undefined;
  if (dns1123LabelErrors(namespace).length > 0 || dns1123SubdomainErrors(name).length > 0) return undefined;
  return { namespace, name };
}

const NODE_PREFIX = "system:node:";

/** NAME of "system:node:NAME"; undefined for every other name. */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(NODE_PREFIX)) return undefined;
  const name = userName.slice(NODE_PREFIX.length);
  return dns1123SubdomainErrors(name).length > 0 ? undefined : name;
}
