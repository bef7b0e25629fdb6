import { type FieldError, required } from "../../../machinery/errors/field-error.js";
import { isFields, object, objects, type ReadonlyFields } from "../../../machinery/meta/access.js";
import { sortedEntries } from "./schema-fields.js";

/** What a narrowing speaks of must be said outside of it. */
interface Place {
  /** The schema outside, undefined where there is none, and where that is. */
  readonly schema: ReadonlyFields | undefined;
  readonly path: string;
  /** Where the narrowing is. */
  readonly narrowing: string;
}

/** Whether every property and item that anyOf, allOf, oneOf and not narrow is specified outside of them. */
export function validateCompleteness(schema: ReadonlyFields, path: string, errors: FieldError[]): void {
  validateJunctors(schema, { schema, path, narrowing: path }, errors);
}

function validateJunctors(value: ReadonlyFields, place: Place, errors: FieldError[]): void {
  const at = (step: string): Place => ({ ...place, narrowing: `${place.narrowing}.${step}` });
  if (isFields(value.not)) validateNarrowed(value.not, at("not"), errors);
  for (const junctor of ["allOf", "anyOf", "oneOf"]) {
    for (const [index, one] of objects(value[junctor]).entries()) {
      validateNarrowed(one, at(`${junctor}[${index}]`), errors);
    }
  }
}

function validateNarrowed(value: ReadonlyFields, place: Place, errors: FieldError[]): void {
  const { schema, path, narrowing } = place;
  if (schema === undefined) {
    errors.push(required(path, `because it is defined in ${narrowing}`));
    return;
  }
  validateJunctors(value, place, errors);
  if (isFields(value.items)) {
    const items = isFields(schema.items) ? schema.items : undefined;
    validateNarrowed(value.items, { schema: items, path: `${path}.items`, narrowing: `${narrowing}.items` }, errors);
  }
  const properties = object(schema.properties);
  for (const [name, property] of sortedEntries(value.properties)) {
    const step = `.properties[${name}]`;
    const inside = { path: path + step, narrowing: narrowing + step };
    if (Object.hasOwn(properties, name)) {
      validateNarrowed(object(property), { ...inside, schema: object(properties[name]) }, errors);
    } else errors.push(required(inside.path, `because it is defined in ${inside.narrowing}`));
  }
}
