import { type FieldError, formatFieldError, invalidValue } from "../../machinery/errors/field-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { validateNames, validateObjectMeta, validateObjectMetaUpdate } from "../../machinery/validation/object-meta.js";

type NameRule = (name: string) => readonly string[];

/** Returns the problems of a new object's metadata, with its name checked by the kind's rule. */
export function validateMetadata(object: KubeObject, namespaced: boolean, nameRule: NameRule): FieldError[] {
  const rule = (name: string) => [...nameRule(name)];
  return [...validateObjectMeta(object.metadata ?? {}, { namespaced, nameRule: rule }), ...finalizerErrors(object)];
}

/**
 * Returns the problems of a name that no kind allows, such as "..". The Store asks after the kind's own validation has
 * passed, so that the kind's error comes first.
 */
export function validateNameSegment({ metadata = {} }: KubeObject): FieldError[] {
  return validateNames(metadata, pathSegmentErrors);
}

/** Returns the problems of a change of metadata. The kind's rule for names does not apply to an existing object. */
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

/** Returns the problems of a name as one segment of a path. */
export function pathSegmentErrors(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** The groups whose kinds allow any qualified name as a finalizer. */
const LAX_GROUPS: ReadonlySet<string> = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
]);

/** Checks that a finalizer outside Kubernetes' own list is qualified by a domain. */
function finalizerErrors({ apiVersion, metadata }: KubeObject): FieldError[] {
  if (LAX_GROUPS.has(apiVersion?.split("/")[0] ?? "")) return [];
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return (metadata?.finalizers ?? []).flatMap((finalizer, index) =>
    finalizer.includes("/") || STANDARD_FINALIZERS.has(finalizer)
      ? []
      : [invalidValue(`metadata.finalizers[${index}]`, finalizer, detail)],
  );
}
