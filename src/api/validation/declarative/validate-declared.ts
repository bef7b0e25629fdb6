import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  made,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../../machinery/errors/field-error.js";
import { absent, list, number, object, text } from "../../../machinery/meta/access.js";
import type { ServerGates } from "../../gates/feature-gates.js";
import { IMMUTABLE, repeatedAt, sameValue } from "../rules.js";
import type { FieldRules, TypeRules, UpdateRule } from "./field-rules.js";

/** The options of a declarative validation. */
export interface DeclaredOptions {
  /** Left out where no field of the type is behind a gate. */
  readonly gates?: ServerGates;
  /** Whether the object replaces another one: rules of updates hold, and what did not change is not looked at. */
  readonly isUpdate: boolean;
}

/**
 * Validates a struct by the rules of its type, with the errors of kube-apiserver's declarative validation in their order. `old` is
 * the struct that it replaces; undefined for a new one.
 */
export function validateDeclared(
  type: TypeRules,
  value: unknown,
  old: unknown,
  path: string,
  options: DeclaredOptions,
): FieldError[] {
  const [fields, before] = [object(value), absent(old) ? undefined : object(old)];
  const errors = unionErrors(type.union, fields, before, path, options);
  for (const [name, rules = {}] of Object.entries(type.fields)) {
    const at = path === "" ? name : `${path}.${name}`;
    if (options.isUpdate && before !== undefined && sameField(rules, fields[name], before[name])) continue;
    errors.push(...fieldErrors(rules, fields[name], before?.[name], at, options));
  }
  return errors;
}

/** Whether a field did not change. A pointer to an empty struct is another value than none. */
function sameField({ pointer, struct, items }: FieldRules, value: unknown, old: unknown): boolean {
  if (pointer === true && absent(value) !== absent(old)) return false;
  if (struct !== undefined) return sameStruct(struct, value, old);
  if (items === undefined) return sameValue(value, old);
  const [now, before] = [list(value), list(old)];
  return now.length === before.length && now.every((item, index) => sameStruct(items, item, before[index]));
}

function sameStruct({ fields }: TypeRules, value: unknown, old: unknown): boolean {
  const [now, before] = [object(value), object(old)];
  return [...new Set([...Object.keys(now), ...Object.keys(before)])].every((name) =>
    sameField((Object.hasOwn(fields, name) && fields[name]) || {}, now[name], before[name]),
  );
}

function unionErrors(
  members: readonly string[] | undefined,
  value: Readonly<Record<string, unknown>>,
  old: Readonly<Record<string, unknown>> | undefined,
  path: string,
  { isUpdate }: DeclaredOptions,
): FieldError[] {
  if (members === undefined) return [];
  const isSet = (fields: Readonly<Record<string, unknown>>, name: string): boolean =>
    Array.isArray(fields[name]) ? fields[name].length > 0 : !absent(fields[name]);
  const given = members.filter((name) => isSet(value, name));
  if (isUpdate && old !== undefined && members.every((name) => isSet(old, name) === given.includes(name))) return [];
  const all = members.map((name) => `\`${name}\``).join(", ");
  if (given.length === 0) return [invalidValue(path, "", `must specify one of: ${all}`)];
  if (given.length === 1) return [];
  return [invalidValue(path, `{${given.join(", ")}}`, `must specify exactly one of: ${all}`)];
}

function fieldErrors(
  rules: FieldRules,
  value: unknown,
  old: unknown,
  path: string,
  options: DeclaredOptions,
): FieldError[] {
  const first = firstErrors(rules, value, old, path, options);
  if (first.length > 0 || isZero(rules, value)) return first;
  return [
    ...(rules.custom?.(value, path) ?? []),
    ...valueErrors(rules, value, old, path, options),
    ...(rules.values === undefined ? [] : setErrors(rules.values, value, path, options)),
    ...(rules.items === undefined ? [] : itemErrors(rules, rules.items, value, old, path, options)),
    ...(rules.struct === undefined ? [] : validateDeclared(rules.struct, value, old, path, options)),
  ];
}

/** The errors that make the others of a field pointless. */
function firstErrors(
  rules: FieldRules,
  value: unknown,
  old: unknown,
  path: string,
  { isUpdate, gates }: DeclaredOptions,
): FieldError[] {
  const errors: FieldError[] = [];
  const isMissing = isZero(rules, value);
  if (rules.immutable === true && isUpdate) errors.push(invalidValue(path, null, IMMUTABLE));
  if (rules.gate !== undefined && gates?.enabled(rules.gate) !== true && !isMissing)
    errors.push(forbiddenField(path, ""));
  if (rules.maxItems !== undefined && list(value).length > rules.maxItems) {
    errors.push(tooMany(path, list(value).length, rules.maxItems));
  }
  if (rules.required === true && isMissing) errors.push(required(path));
  if (isUpdate) for (const rule of rules.update ?? []) errors.push(...updateErrors(rule, rules, value, old, path));
  return errors;
}

/** An absent value, and the zero value of a field that is no pointer. A struct always is a value. */
function isZero({ pointer, struct }: FieldRules, value: unknown): boolean {
  if (absent(value)) return struct === undefined || pointer === true;
  if (Array.isArray(value)) return value.length === 0;
  return pointer !== true && (value === "" || value === 0);
}

function updateErrors(rule: UpdateRule, rules: FieldRules, value: unknown, old: unknown, path: string): FieldError[] {
  const [wasSet, isSet] = [!isZero(rules, old), !isZero(rules, value)];
  const keyOf = keyBy(rules.keys ?? []);
  const keysOf = (items: unknown): ReadonlySet<string> => new Set(list(items).map(keyOf));
  switch (rule) {
    case "NoSet":
      return !wasSet && isSet ? [invalidValue(path, null, "field cannot be set once created")] : [];
    case "NoUnset":
      return wasSet && !isSet ? [invalidValue(path, null, "field cannot be cleared once set")] : [];
    case "NoModify":
      return wasSet && isSet ? [invalidValue(path, null, "field cannot be modified once set")] : [];
    case "NoAddItem": {
      const known = keysOf(old);
      return list(value).flatMap((item, index) =>
        known.has(keyOf(item)) ? [] : [forbiddenField(`${path}[${index}]`, "item may not be added")],
      );
    }
    case "NoRemoveItem": {
      const kept = keysOf(value);
      return list(old).flatMap((item) =>
        kept.has(keyOf(item)) ? [] : [forbiddenField(path, "item may not be removed")],
      );
    }
  }
}

function valueErrors(
  rules: FieldRules,
  value: unknown,
  old: unknown,
  path: string,
  { isUpdate }: DeclaredOptions,
): FieldError[] {
  const errors = (rules.format?.(text(value)) ?? []).map((message) => invalidValue(path, value, message));
  if (rules.minimum !== undefined && number(value) < rules.minimum) {
    errors.push(invalidValue(path, value, `must be greater than or equal to ${rules.minimum}`));
  }
  if (rules.maximum !== undefined && number(value) > rules.maximum) {
    errors.push(invalidValue(path, value, `must be less than or equal to ${rules.maximum}`));
  }
  if (rules.monotonic === true && isUpdate && !absent(old) && number(value) < number(old)) {
    errors.push(invalidValue(path, value, `may not be decreased from ${number(old)}`));
  }
  if (rules.maxLength !== undefined && Array.from(text(value)).length > rules.maxLength) {
    const detail = `may not be more than ${rules.maxLength} characters`;
    errors.push(made({ type: "FieldValueTooLong", field: path, detail }));
  }
  if (rules.maxBytes !== undefined && Buffer.byteLength(text(value)) > rules.maxBytes) {
    errors.push(tooLong(path, rules.maxBytes));
  }
  if (rules.enum !== undefined && !rules.enum.includes(text(value))) {
    errors.push(notSupported(path, value, rules.enum.toSorted()));
  }
  return errors;
}

function setErrors(rules: FieldRules, value: unknown, path: string, options: DeclaredOptions): FieldError[] {
  const values = list(value);
  const repeated = repeatedAt(values);
  return [
    ...[...repeated].map((index) => duplicate(`${path}[${index}]`, values[index])),
    ...values.flatMap((one, index) => valueErrors(rules, one, undefined, `${path}[${index}]`, options)),
  ];
}

/** Tells the items of a list apart. */
const keyBy =
  (keys: readonly string[]) =>
  (item: unknown): string =>
    JSON.stringify(keys.map((key) => object(item)[key] ?? null));

function itemErrors(
  { keys }: FieldRules,
  type: TypeRules,
  value: unknown,
  old: unknown,
  path: string,
  options: DeclaredOptions,
): FieldError[] {
  const items = list(value);
  const keyOf = keys && keyBy(keys);
  const repeated = keyOf === undefined ? new Set<number>() : repeatedAt(items.map(keyOf));
  const errors = [...repeated].map((index) => duplicate(`${path}[${index}]`, items[index]));
  for (const [index, item] of items.entries()) {
    const before = keyOf === undefined ? undefined : list(old).find((one) => keyOf(one) === keyOf(item));
    if (options.isUpdate && before !== undefined && sameStruct(type, item, before)) continue;
    errors.push(...validateDeclared(type, item, before, `${path}[${index}]`, options));
  }
  return errors;
}
