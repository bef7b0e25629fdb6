import { append } from "../../../base/collections/append.js";
import { type FieldError, invalidValue, required, duplicate, tooMany } from "../../../machinery/errors/field-error.js";
import { absent, isFields, text } from "../../../machinery/meta/access.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import type { DefinitionSpec, VersionParts } from "./definition-spec.js";
import { fieldPath } from "../../../machinery/structural/field-path.js";
import { notStructural } from "./structural.js";
import type { Version, Scale, Subresources, Column, Schema } from "./definition-types.js";

const DATA_TYPES = ["boolean", "date", "integer", "number", "string"];
const FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** Validates a column of server-side tables. */
export function validateColumn(column: Column, path: string): FieldError[] {
  const [type, format, jsonPath] = [text(column.type), text(column.format), text(column.jsonPath)];
  const errors = text(column.name) === "" ? [required(`${path}.name`)] : [];
  const types = `must be one of ${DATA_TYPES.join(",")}`;
  if (type === "") errors.push(required(`${path}.type`, types));
  else if (!DATA_TYPES.includes(type)) errors.push(invalidValue(`${path}.type`, type, types));
  if (format !== "" && !FORMATS.includes(format)) {
    errors.push(invalidValue(`${path}.format`, format, `must be one of ${FORMATS.join(",")}`));
  }
  if (jsonPath === "") errors.push(required(`${path}.JSONPath`));
  else append(errors, validateSimplePath(jsonPath, `${path}.JSONPath`));
  return errors;
}

/** Validates the subresources of custom resources. */
export function validateSubresources(subresources: Subresources | undefined, path: string): FieldError[] {
  if (!isFields(subresources?.scale)) return [];
  const scale: Scale = subresources.scale;
  const selector = text(scale.labelSelectorPath);
  return [
    ...validateScalePath(text(scale.specReplicasPath), `${path}.scale.specReplicasPath`, ".spec"),
    ...validateScalePath(text(scale.statusReplicasPath), `${path}.scale.statusReplicasPath`, ".status"),
    ...(selector === "" ? [] : validateSelectorPath(selector, `${path}.scale.labelSelectorPath`)),
  ];
}

function validateScalePath(value: string, path: string, part: string): FieldError[] {
  if (value === "") return [required(path)];
  const errors = validateSimplePath(value, path);
  if (errors.length > 0 || value.startsWith(`${part}.`)) return errors;
  return [invalidValue(path, value, `should be a json path under ${part}`)];
}

function validateSelectorPath(value: string, path: string): FieldError[] {
  const errors = validateSimplePath(value, path);
  if (errors.length > 0 || value.startsWith(".spec.") || value.startsWith(".status.")) return errors;
  return [invalidValue(path, value, "should be a json path under either .spec or .status")];
}

function validateSimplePath(value: string, path: string): FieldError[] {
  return value.startsWith(".") ? [] : [invalidValue(path, value, "must be a simple json path starting with .")];
}

const LONGEST_WARNING = 256;
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Validates the warning of a deprecated version. */
export function validateDeprecation(version: Version, path: string): FieldError[] {
  const warning = version.deprecationWarning;
  if (absent(warning)) return [];
  const value = text(warning);
  const refuse = (detail: string) => invalidValue(`${path}.deprecationWarning`, value, detail);
  if (version.deprecated !== true) return [refuse("can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(value) > LONGEST_WARNING) errors.push(refuse("must be <= 256 characters long"));
  if (value === "") errors.push(refuse("must not be an empty string"));
  const at = UNPRINTABLE.exec(value)?.index;
  if (at !== undefined) {
    const index = Buffer.byteLength(value.slice(0, at));
    const detail = "must only contain printable UTF-8 characters; non-printable character found at index";
    errors.push(refuse(`${detail} ${index}`));
  }
  return errors;
}

const MOST = 8;
const SCALARS = ["string", "boolean", "integer"];

/** Validates the fields that field selectors may use. `path` is that of the version or of the spec. */
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

function validateField(jsonPath: string, schema: Schema, path: string, seen: Set<string>, errors: FieldError[]): void {
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
    const same = deepEqual(now.selectableFields, had);
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
