import { type FieldError, required } from "../../machinery/errors/field-error.js";
import { absent, type Received, text } from "../../machinery/meta/received.js";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../machinery/validation/names.js";
import type { TypedLocalObjectReference } from "../types/core/v1.js";
import type { IngressClassParametersReference } from "../types/networking/v1.js";
import { named } from "./rules.js";

/** Validates a reference by group, kind and name: kind and name are required, and must be valid segments of a path. */
export function validateTypedReference(
  reference: Received<IngressClassParametersReference | TypedLocalObjectReference>,
  path: string,
): FieldError[] {
  const { apiGroup } = reference;
  return [
    ...(absent(apiGroup) ? [] : named(text(apiGroup), `${path}.apiGroup`, dns1123SubdomainErrors)),
    ...requiredSegment(reference.kind, `${path}.kind`),
    ...requiredSegment(reference.name, `${path}.name`),
  ];
}

/** Checks a required name that must be one segment of a path. */
export function requiredSegment(value: string | null | undefined, path: string): FieldError[] {
  const name = text(value);
  return name === "" ? [required(path)] : named(name, path, pathSegmentErrors);
}
