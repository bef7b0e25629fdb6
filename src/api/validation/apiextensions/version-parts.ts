import { append } from "../../../base/collections/append.js";
import { type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, isFields, type ReadonlyFields, text } from "../../../machinery/meta/access.js";

const DATA_TYPES = ["boolean", "date", "integer", "number", "string"];
const FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** A column of server-side tables. */
export function validateColumn(column: ReadonlyFields, path: string): FieldError[] {
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

/** The subresources that custom resources may have. */
export function validateSubresources(subresources: ReadonlyFields | undefined, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (!isFields(scale)) return [];
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

/** What requests in a deprecated version are warned of. */
export function validateDeprecation(version: ReadonlyFields, path: string): FieldError[] {
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
