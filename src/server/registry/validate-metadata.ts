import type { FieldError } from "../../machinery/errors/field-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../machinery/validation/object-meta.js";

type NameRule = (name: string) => readonly string[];

/** What is wrong with the metadata of a new object: the kind's rule for names, and what no name may hold. */
export function validateMetadata(object: KubeObject, namespaced: boolean, nameRule: NameRule): FieldError[] {
  const rule = (name: string) => [...new Set([...nameRule(name), ...pathSegmentErrors(name)])];
  return validateObjectMeta(object.metadata ?? {}, { namespaced, nameRule: rule });
}

/** What is wrong with a change of metadata; names that exist are no longer judged by their kind's rule. */
export function validateMetadataUpdate(object: KubeObject, old: KubeObject, namespaced: boolean): FieldError[] {
  const metadata = object.metadata ?? {};
  const errors = [
    ...validateObjectMeta(metadata, { namespaced, nameRule: pathSegmentErrors }),
    ...validateObjectMetaUpdate(metadata, old.metadata ?? {}),
  ];
  const seen = new Set<string>();
  return errors.filter(({ field, detail, type, badValue }) => {
    const id = JSON.stringify([type, field, detail, badValue]);
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** A name that cannot be one segment of a path. */
export function pathSegmentErrors(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}
