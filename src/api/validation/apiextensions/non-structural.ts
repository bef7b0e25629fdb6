import { append } from "../../../base/collections/append.js";
import type { Steps } from "../../../base/async/steps.js";
import { type FieldError, formatFieldErrors, invalidValue } from "../../../machinery/errors/field-error.js";
import { isFields, object, objects, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { notStructural, validateStructuralSteps } from "./structural.js";
import { schemaPathOf } from "./version-schema.js";

export interface NonStructural {
  readonly reason: "Violations" | "StructuralError";
  readonly message: string;
}

/** Why a definition that preserves unknown fields is not structural, as the condition NonStructuralSchema says it. */
export function* nonStructuralSteps(definition: KubeObject): Steps<NonStructural> {
  const spec = object(definition.spec);
  const errors: FieldError[] = [invalidValue("spec.preserveUnknownFields", true, "must be false")];
  for (const [index, version] of objects(spec.versions).entries()) {
    const schema = object(version.schema).openAPIV3Schema;
    if (!isFields(schema)) continue;
    const problem = notStructural(schema);
    if (problem !== undefined) {
      const message = `failed to check validation schema for version ${text(version.name)}: ${problem}`;
      return { reason: "StructuralError", message };
    }
    append(errors, yield* validateStructuralSteps(schema, `${schemaPathOf(index)}.openAPIV3Schema`));
  }
  return { reason: "Violations", message: formatFieldErrors(errors) };
}
