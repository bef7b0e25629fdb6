import type { ApiObject } from "../../machinery/meta/object.js";

/** core/v1 ObjectReference: the object, or the part of one, that an event is about. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** "spec.containers{web}" */
  readonly fieldPath?: string;
}

/**
 * Makes the reference to an object; returns a reference unchanged. Throws for an object without apiVersion, kind or name: items of
 * a list lack the first two.
 */
export function referenceTo(object: ApiObject | ObjectReference): ObjectReference {
  const { metadata } = object as ApiObject;
  const reference: ObjectReference = metadata === undefined ? object : { ...typeOf(object), ...identityOf(metadata) };
  const missing = (["apiVersion", "kind", "name"] as const).filter((field) => (reference[field] ?? "") === "");
  if (missing.length > 0) throw new Error(`the object has no ${missing.join(", no ")}: ${JSON.stringify(reference)}`);
  return reference;
}

function typeOf({ apiVersion, kind }: ApiObject): ObjectReference {
  return { ...(apiVersion !== undefined && { apiVersion }), ...(kind !== undefined && { kind }) };
}

function identityOf({ name, namespace, uid, resourceVersion }: NonNullable<ApiObject["metadata"]>): ObjectReference {
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
