import { type FieldError, invalidValue, required } from "../../machinery/errors/field-error.js";
import { isFields, object, type ReadonlyFields } from "../../machinery/meta/access.js";
import { compareQuantities, parseQuantity, type Quantity, QuantityError } from "../../machinery/quantity/quantity.js";
import { qualifiedNameErrors } from "../../machinery/validation/names.js";

/** A container's requests and limits: names, quantities, no request above its limit. */
export function validateResources(resources: ReadonlyFields, path: string): FieldError[] {
  const [requests, limits] = [object(resources.requests), object(resources.limits)];
  const errors = [...amounts(limits, `${path}.limits`), ...amounts(requests, `${path}.requests`)];
  for (const [resource, value] of Object.entries(requests)) {
    const [request, limit] = [quantity(value), quantity(limits[resource])];
    if (request !== undefined && limit !== undefined && compareQuantities(request, limit) > 0) {
      const detail = `must be less than or equal to ${resource} limit of ${String(limits[resource])}`;
      errors.push(invalidValue(`${path}.requests`, String(value), detail));
    }
  }
  return errors;
}

function amounts(values: ReadonlyFields, path: string): FieldError[] {
  return Object.entries(values).flatMap(([resource, value]) => {
    const at = `${path}[${resource}]`;
    const errors = qualifiedNameErrors(resource).map((message) => invalidValue(at, resource, message));
    const parsed = quantity(value);
    if (parsed !== undefined && parsed.unscaled < 0n) {
      errors.push(invalidValue(at, String(value), "must be greater than or equal to 0"));
    }
    const standard = /^(cpu|memory|storage|ephemeral-storage|pods|hugepages-.*)$/.test(resource);
    if (!standard && !resource.includes("/")) {
      errors.push(
        invalidValue(at, resource, "must be a standard resource type or fully qualified"),
        invalidValue(at, resource, "must be a standard resource for containers"),
      );
    }
    return errors;
  });
}

/** A claim asks for a positive amount of storage. */
export function validateStorageRequest(resources: unknown, path: string): FieldError[] {
  const storage = isFields(resources) ? object(resources.requests).storage : undefined;
  if (storage === undefined) return [required(`${path}[storage]`)];
  const parsed = quantity(storage);
  if (parsed === undefined || parsed.unscaled > 0n) return [];
  return [invalidValue(`${path}[storage]`, storage, "must be greater than zero")];
}

function quantity(value: unknown): Quantity | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  try {
    return parseQuantity(String(value));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
