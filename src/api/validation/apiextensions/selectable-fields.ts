import { duplicate, type FieldError, invalidValue, required, tooMany } from "../../../machinery/errors/field-error.js";
import { isFields, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import type { DefinitionSpec, VersionParts } from "./definition-spec.js";
import { fieldPath } from "../../../machinery/structural/field-path.js";
import { notStructural } from "./structural.js";

const MOST = 8;
const SCALARS = ["string", "boolean", "integer"];

/** Fields that field selectors may name. `path` is that of the version or of the spec. */
export function validateSelectableFields(
  { selectableFields, validation }: VersionParts,
  path: string,
  { allowTooMany, whenNoSchema }: { readonly allowTooMany: boolean; readonly whenNoSchema: string },
): FieldError[] {
  if (selectableFields.length === 0) return [];
  const schema = validation?.openAPIV3Schema;
  if (!isFields(schema)) return [invalidValue(`${path}.selectableFields`, "", whenNoSchema)];
  const problem = notStructural(schema);
  if (problem !== undefined) return [invalidValue(`${path}.schema.openAPIV3Schema`, "", problem)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, field] of selectableFields.entries()) {
    validateField(text(field.jsonPath), schema, `${path}.selectableFields[${index}].jsonPath`, seen, errors);
  }
  if (seen.size > MOST && !allowTooMany) errors.push(tooMany(`${path}.selectableFields`, seen.size, MOST));
  return errors;
}

function validateField(
  jsonPath: string,
  schema: ReadonlyFields,
  path: string,
  seen: Set<string>,
  errors: FieldError[],
): void {
  if (jsonPath === "") {
    errors.push(required(path));
    return;
  }
  const refuse = (detail: string) => errors.push(invalidValue(path, jsonPath, detail));
  const found = fieldPath(jsonPath, schema, false);
  if (typeof found === "string") {
    refuse(`is an invalid path: ${found}`);
    return;
  }
  if (found.steps[0] === "metadata") refuse("must not point to fields in metadata");
  if (!SCALARS.includes(text(found.schema?.type))) {
    refuse(
      "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
    );
  }
  const key = found.steps.join(".");
  if (seen.has(key)) errors.push(duplicate(path, jsonPath));
  seen.add(key);
}

/** Versions, "" for the spec itself, that had too many before and have the same ones still. */
export function forgivenSelectableFields(spec: DefinitionSpec, old: DefinitionSpec): ReadonlySet<string> {
  const forgiven = new Set<string>();
  const compare = (name: string, now: VersionParts, before: VersionParts | undefined) => {
    const had = before?.selectableFields ?? [];
    const same = deepEqual(now.selectableFields as unknown as JsonValue, had as unknown as JsonValue);
    if (had.length > MOST && same) forgiven.add(name);
  };
  compare("", spec.shared, old.shared);
  for (const version of spec.versions) {
    compare(
      version.name,
      version,
      old.versions.find(({ name }) => name === version.name),
    );
  }
  return forgiven;
}
