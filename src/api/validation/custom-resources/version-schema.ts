import { type FieldError, forbiddenField, invalidValue } from "../../../machinery/errors/field-error.js";
import { isFields, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { Forgiven } from "./forgiven.js";
import { validateSchema } from "./schema.js";
import { validateDefaults } from "./schema-defaults.js";
import { goSchema, isSet, SCHEMA_FIELDS } from "./schema-fields.js";
import { notStructural, validateStructural } from "./structural.js";

/** The schema of a version, or of all of them. `path` is that of what holds it; `hasStatus` says whether status is written apart. */
export function validateVersionSchema(
  validation: ReadonlyFields | undefined,
  path: string,
  hasStatus: boolean,
  forgiven: Forgiven,
): FieldError[] {
  const schema = validation?.openAPIV3Schema;
  if (!isFields(schema)) return [];
  const at = `${path}.openAPIV3Schema`;
  const errors = hasStatus ? validateRoot(schema, at) : [];
  if (schema.nullable === true) errors.push(forbiddenField(`${at}.nullable`, "nullable cannot be true at the root"));
  const broken = forgiven.nonStructural ? undefined : notStructural(schema);
  if (broken === undefined && !forgiven.nonStructural) errors.push(...structuralProblems(schema, at, forgiven));
  errors.push(
    ...validateSchema(schema, at, {
      requireKnownTypes: !forgiven.unknownTypes,
      requireAtomicSets: !forgiven.nonAtomicSets,
      requireMapKeys: !forgiven.looseMapKeys,
    }),
  );
  // The same would be said twice.
  return broken !== undefined && errors.length === 0 ? [invalidValue(at, "", broken)] : errors;
}

function structuralProblems(schema: ReadonlyFields, path: string, forgiven: Forgiven): FieldError[] {
  const errors = validateStructural(schema, path);
  return errors.length > 0 ? errors : validateDefaults(schema, path, !forgiven.unprunedDefaults);
}

const AT_ROOT =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";
const ALLOWED_AT_ROOT: ReadonlySet<string> = new Set(AT_ROOT.split(" "));
const APART = "of the schema if the status subresource is enabled";

/** Where status is written apart, its schema is taken out of the whole, which must not lose anything by that. */
function validateRoot(schema: ReadonlyFields, path: string): FieldError[] {
  for (const field of SCHEMA_FIELDS) {
    if (!isSet(schema[field.wire], field)) continue;
    if (field.go === "Type" && schema.type !== "object") {
      const detail = `only "object" is allowed as the type at the root ${APART}`;
      return [invalidValue(`${path}.type`, text(schema.type), detail)];
    }
    if (ALLOWED_AT_ROOT.has(field.go)) continue;
    const detail = `only [${AT_ROOT}] fields are allowed at the root ${APART}`;
    return [invalidValue(path, goSchema(schema), detail)];
  }
  return [];
}
