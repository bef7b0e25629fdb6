import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../../../machinery/errors/field-error.js";
import { object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityToNumber,
} from "../../../machinery/text/quantity/quantity.js";
import { qualifiedNameErrors } from "../../../machinery/validation/names.js";
import { isHugePages, isNative, quantity, validateContainerResourceName, validateResourceName } from "../resources.js";
import { named, repeatedAt } from "../rules.js";

export function validateLimitRange(limitRange: KubeObject): FieldError[] {
  const limits = objects(object(limitRange.spec).limits);
  const types = limits.map(({ type }) => text(type));
  const again = repeatedAt(types);
  return limits.flatMap((limit, index) => {
    const path = `spec.limits[${index}]`;
    const type = types[index] ?? "";
    const errors = validateType(type, `${path}.type`);
    if (again.has(index)) errors.push(duplicate(`${path}.type`, type));
    return [...errors, ...validateNames(limit, type, path), ...validateAmounts(limit, type, path)];
  });
}

function validateType(type: string, path: string): FieldError[] {
  const errors = named(type, path, qualifiedNameErrors);
  if (errors.length > 0 || type.includes("/") || TYPES.includes(type)) return errors;
  return [invalidValue(path, type, "must be a standard limit type or fully qualified")];
}

const TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

function validateNames(limit: ReadonlyFields, type: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const rule = type === "Pod" || type === "Container" ? validateContainerResourceName : validateResourceName;
  const check = (field: string) => {
    for (const name of Object.keys(object(limit[field]))) rule(name, `${path}.${field}[${name}]`, errors);
  };
  check("max");
  check("min");
  for (const field of ["default", "defaultRequest"]) {
    if (type !== "Pod") check(field);
    else if (Object.keys(object(limit[field])).length > 0) {
      errors.push(forbiddenField(`${path}.${field}`, "may not be specified when `type` is 'Pod'"));
    }
  }
  if (
    type === "PersistentVolumeClaim" &&
    !["min", "max"].some((field) => Object.hasOwn(object(limit[field]), "storage"))
  ) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(required(`${path}.limits`, detail));
  }
  check("maxLimitRequestRatio");
  return errors;
}

function validateAmounts(limit: ReadonlyFields, type: string, path: string): FieldError[] {
  const fields = type === "Pod" ? ["max", "min"] : ["max", "min", "default", "defaultRequest"];
  const names = new Set([...fields, "maxLimitRequestRatio"].flatMap((field) => Object.keys(object(limit[field]))));
  const read = (field: string, name: string) =>
    field.startsWith("default") && type === "Pod" ? undefined : quantity(object(limit[field])[name]);
  return [...names].flatMap((name) => validateAmount(name, (field) => read(field, name), path));
}

type Read = (field: string) => Quantity | undefined;

function validateAmount(name: string, read: Read, path: string): FieldError[] {
  const [min, max] = [read("min"), read("max")];
  const [limit, request] = [read("default"), read("defaultRequest")];
  const errors: FieldError[] = [];
  const refuse = (field: string, shown: Quantity, detail: string) =>
    errors.push(invalidValue(`${path}.${field}[${name}]`, formatQuantity(shown), detail));
  const more = (a: Quantity | undefined, b: Quantity | undefined): a is Quantity =>
    a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
  const says = (what: string, a: Quantity, than: string, b: Quantity | undefined) =>
    `${what} value ${formatQuantity(a)} is greater than ${than} value ${b === undefined ? "" : formatQuantity(b)}`;
  if (more(min, max)) refuse("min", min, says("min", min, "max", max));
  if (request !== undefined) {
    if (more(min, request)) refuse("defaultRequest", request, says("min", min, "default request", request));
    if (more(request, max)) refuse("defaultRequest", request, says("default request", request, "max", max));
    if (more(request, limit))
      refuse("defaultRequest", request, says("default request", request, "default limit", limit));
  }
  // These two show the bound that is broken.
  if (more(min, limit)) refuse("default", min, says("min", min, "default", limit));
  if (more(limit, max) && max !== undefined) refuse("default", max, says("default", limit, "max", max));
  validateRatio(read("maxLimitRequestRatio"), min, max, refuse);
  const fixed = !isNative(name) || isHugePages(name);
  if (fixed && limit !== undefined && request !== undefined && compareQuantities(limit, request) !== 0) {
    const equal = `default value ${formatQuantity(limit)} must equal to defaultRequest value ${formatQuantity(request)}`;
    refuse("defaultRequest", request, `${equal} in ${name}`);
  }
  return errors;
}

const ONE = parseQuantity("1");

function validateRatio(
  ratio: Quantity | undefined,
  min: Quantity | undefined,
  max: Quantity | undefined,
  refuse: (field: string, shown: Quantity, detail: string) => void,
): void {
  if (ratio === undefined) return;
  const field = "maxLimitRequestRatio";
  if (compareQuantities(ratio, ONE) < 0) refuse(field, ratio, `ratio ${formatQuantity(ratio)} is less than 1`);
  if (min === undefined || max === undefined) return;
  const most = quantityToNumber(max) / quantityToNumber(min);
  if (quantityToNumber(ratio) <= most) return;
  refuse(field, ratio, `ratio ${formatQuantity(ratio)} is greater than max/min = ${most.toFixed(6)}`);
}
