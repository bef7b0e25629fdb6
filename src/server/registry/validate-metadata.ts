import { type FieldError, formatFieldError, invalidValue } from "../../machinery/errors/field-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { validateNames, validateObjectMeta, validateObjectMetaUpdate } from "../../machinery/validation/object-meta.js";

type NameRule = (name: string) => readonly string[];

/** What is wrong with the metadata of a new object, its name judged by the kind's rule. */
export function validateMetadata(object: KubeObject, namespaced: boolean, nameRule: NameRule): FieldError[] {
  const rule = (name: string) => [...nameRule(name)];
  return [...validateObjectMeta(object.metadata ?? {}, { namespaced, nameRule: rule }), ...finalizerErrors(object)];
}

/** What no name may hold. Said of an object that is otherwise right: a kind's own words come first. */
export function validateNameSegment({ metadata = {} }: KubeObject): FieldError[] {
  return validateNames(metadata, pathSegmentErrors);
}

/** What is wrong with a change of metadata; names that exist are no longer judged by their kind's rule. */
export function validateMetadataUpdate(object: KubeObject, old: KubeObject, namespaced: boolean): FieldError[] {
  const metadata = object.metadata ?? {};
  const errors = [
    ...validateObjectMeta(metadata, { namespaced, nameRule: pathSegmentErrors }),
    ...validateObjectMetaUpdate(metadata, old.metadata ?? {}),
    ...finalizerErrors(object),
  ];
  const seen = new Set<string>();
  return errors.filter((error) => {
    const text = formatFieldError(error);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

/** A name that cannot be one segment of a path. */
export function pathSegmentErrors(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Groups whose kinds take any qualified name. */
const LAX_GROUPS: ReadonlySet<string> = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
]);

/** A finalizer of somebody else's names its domain. */
function finalizerErrors({ apiVersion, metadata }: KubeObject): FieldError[] {
  if (LAX_GROUPS.has(apiVersion?.split("/")[0] ?? "")) return [];
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return (metadata?.finalizers ?? []).flatMap((finalizer, index) =>
    finalizer.includes("/") || STANDARD_FINALIZERS.has(finalizer)
      ? []
      : [invalidValue(`metadata.finalizers[${index}]`, finalizer, detail)],
  );
}
