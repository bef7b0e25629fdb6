import { type FieldError, required } from "../../machinery/errors/field-error.js";
import { absent, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../machinery/validation/names.js";
import { named } from "./rules.js";

/** A reference by group, kind and name: kind and name must be there and be good parts of a path. */
export function validateTypedReference(reference: ReadonlyFields, path: string): FieldError[] {
  const { apiGroup } = reference;
  return [
    ...(absent(apiGroup) ? [] : named(text(apiGroup), `${path}.apiGroup`, dns1123SubdomainErrors)),
    ...requiredSegment(reference.kind, `${path}.kind`),
    ...requiredSegment(reference.name, `${path}.name`),
  ];
}

/** A name that must be there, and be one segment of a path. */
export function requiredSegment(value: unknown, path: string): FieldError[] {
  const name = text(value);
  return name === "" ? [required(path)] : named(name, path, pathSegmentErrors);
}
