import { goQuote } from "../../base/text/go-quote.js";
import type { OwnerReference } from "../../machinery/meta/object.js";

/** The identity of an object; `namespace` is "" for objects without one. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The owner that an object of `namespace` names. */
export const ownerOf = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): ObjectIdentity => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
});

/** Whether two references are equal except for the namespace, which an owner reference does not contain. */
export const sameCoordinates = (one: Omit<ObjectIdentity, "namespace">, other: Omit<ObjectIdentity, "namespace">) =>
  one.uid === other.uid && one.name === other.name && one.kind === other.kind && one.apiVersion === other.apiVersion;

export const sameReference = (one: ObjectIdentity, other: ObjectIdentity): boolean =>
  one.namespace === other.namespace && sameCoordinates(one, other);

/** An object's identity in the form that Kubernetes uses in events. */
export const referenceText = ({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string =>
  `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;

export const invalidNamespaceText = (owner: ObjectIdentity): string =>
  `ownerRef ${referenceText(owner)} does not exist in namespace ${goQuote(owner.namespace)}`;

/** Compares kind and version before namespace and name, so that objects of one kind are adjacent. */
export function compareReferences(one: ObjectIdentity, other: ObjectIdentity): number {
  for (const field of ["kind", "apiVersion", "namespace", "name", "uid"] as const) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}
