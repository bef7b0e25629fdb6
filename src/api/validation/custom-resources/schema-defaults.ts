import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { absent, isFields, object, type ReadonlyFields } from "../../../machinery/meta/access.js";
import { schemaHas } from "./schema-walk.js";
import { sortedEntries } from "./schema-fields.js";

const UNKNOWN = "x-kubernetes-preserve-unknown-fields";
const IN_RESOURCE = "x-kubernetes-embedded-resource";
const META = ["apiVersion", "kind", "metadata"];

/**
 * Whether the defaults in a structural schema have only fields that the schema knows. Whether their values fit it is not
 * looked at.
 */
export function validateDefaults(schema: ReadonlyFields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  walk({ ...schema, [IN_RESOURCE]: true }, path, false, errors);
  return errors;
}

export function hasUnprunedDefaults(schema: ReadonlyFields): boolean {
  return hasDefaults(schema) && validateDefaults(schema, "").length > 0;
}

export const hasDefaults = (schema: unknown): boolean => schemaHas(schema, (inner) => !absent(inner.default));

function walk(schema: ReadonlyFields, path: string, inMeta: boolean, errors: FieldError[]): void {
  const isResource = schema[IN_RESOURCE] === true;
  const inside = inMeta && !isResource;
  if (!absent(schema.default) && !inside && hasUnknown(schema.default, schema)) {
    errors.push(invalidValue(`${path}.default`, schema.default, "must not have unknown fields"));
  }
  if (isFields(schema.items)) walk(schema.items, `${path}.items`, inside, errors);
  for (const [name, property] of sortedEntries(schema.properties)) {
    const meta = inside || (isResource && META.includes(name));
    walk(object(property), `${path}.properties[${name}]`, meta, errors);
  }
}

/** Whether pruning would take something away from `value`. */
function hasUnknown(value: unknown, schema: ReadonlyFields | undefined): boolean {
  const keepsAll = schema?.[UNKNOWN] === true;
  if (Array.isArray(value)) {
    const items = isFields(schema?.items) ? schema.items : undefined;
    // Where unknown fields are kept, only what is specified is looked into.
    return value.some((item) =>
      keepsAll && items === undefined ? false : hasUnknown(item, keepsAll ? open(items) : items),
    );
  }
  if (!isFields(value)) return false;
  const properties = object(schema?.properties);
  const others = schema?.additionalProperties;
  return Object.entries(value).some(([name, field]) => {
    if (schema?.[IN_RESOURCE] === true && META.includes(name)) return false;
    if (Object.hasOwn(properties, name)) return hasUnknown(field, object(properties[name]));
    if (!absent(others)) return hasUnknown(field, isFields(others) ? others : undefined);
    return !keepsAll;
  });
}

const open = (schema: ReadonlyFields | undefined): ReadonlyFields => ({ ...schema, [UNKNOWN]: true });
