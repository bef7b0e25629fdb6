import {
  duplicate,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
  type FieldError,
} from "../../machinery/errors/field-error.js";
import { absent, object, objects, type Received, text } from "../../machinery/meta/received.js";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantityValue,
} from "../../machinery/text/quantity/quantity.js";
import { dns1123LabelErrors, qualifiedNameErrors } from "../../machinery/validation/names.js";
import type { ResourceClaim, ResourceRequirements } from "../types/core/v1.js";
import { check, type Errors } from "./collect.js";
import type { PodValidationOptions } from "./pod/pod-options.js";

type ValidateName = (name: string, path: string, errors: Errors) => void;

/** Validates a container's requests and limits: names, quantities, no request above its limit. `claims` are the pod's. */
export function validateResources(
  resources: Received<ResourceRequirements>,
  claims: ReadonlySet<string>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
  validateName: ValidateName = validateContainerResourceName,
): void {
  const [requests, limits] = [object(resources.requests), object(resources.limits)];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.length === 0 && absent(resources.claims)) return;
  for (const [name, value] of Object.entries(limits)) {
    const at = `${path}.limits[${name}]`;
    validateName(name, at, errors);
    validateQuantity(name, value, at, errors);
    checkPages(name, value, at, options, errors);
  }
  for (const [name, value] of Object.entries(requests)) {
    const at = `${path}.requests[${name}]`;
    validateName(name, at, errors);
    validateQuantity(name, value, at, errors);
    checkAgainstLimit(name, value, limits[name], path, errors);
    checkPages(name, value, at, options, errors);
  }
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push(forbiddenField(path, "HugePages require cpu or memory"));
  }
  validateClaims(objects(resources.claims), claims, `${path}.claims`, errors);
}

function checkAgainstLimit(name: string, value: unknown, limit: unknown, path: string, errors: Errors): void {
  const request = quantity(value);
  const most = quantity(limit);
  if (request === undefined) return;
  if (most === undefined) {
    if (!mayOvercommit(name)) {
      errors.push(required(`${path}.limits`, "Limit must be set for non overcommitable resources"));
    }
    return;
  }
  const order = compareQuantities(request, most);
  const wanted = order !== 0 && !mayOvercommit(name) ? "equal to" : order > 0 ? "less than or equal to" : undefined;
  if (wanted === undefined) return;
  const detail = `must be ${wanted} ${name} limit of ${formatQuantity(most)}`;
  errors.push(invalidValue(`${path}.requests`, formatQuantity(request), detail));
}

/** Checks a quantity: it must not be negative and, for a resource that is counted, must be an integer. */
export function validateQuantity(name: string, value: unknown, path: string, errors: Errors): void {
  const parsed = quantity(value);
  if (parsed === undefined) return;
  if (parsed.unscaled < 0n) {
    errors.push(invalidValue(path, formatQuantity(parsed), "must be greater than or equal to 0"));
  }
  if (isCounted(name) && quantityValue(parsed, -3) % 1000n !== 0n) {
    errors.push(invalidValue(path, formatQuantity(parsed), "must be an integer"));
  }
}

function checkPages(name: string, value: unknown, path: string, options: PodValidationOptions, errors: Errors): void {
  if (!isHugePages(name) || options.allowIndivisibleHugePages) return;
  const parsed = quantity(value);
  if (parsed === undefined || isMultipleOfPage(name, parsed)) return;
  const shown = formatQuantity(parsed);
  errors.push(invalidValue(path, shown, `${shown} is not positive integer multiple of ${name}`));
}

export function isMultipleOfPage(name: string, value: Quantity): boolean {
  const size = quantity(name.slice(HUGE_PAGES.length));
  if (size === undefined || size.unscaled <= 0n || quantityValue(size, -3) % 1000n !== 0n) return false;
  return quantityValue(value) % quantityValue(size) === 0n;
}

const COUNTED: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

const STANDARD: ReadonlySet<string> = new Set([
  ...COUNTED,
  "cpu",
  "memory",
  "ephemeral-storage",
  "storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "requests.storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
]);

const HUGE_PAGES = "hugepages-";

export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);

/** Whether a resource is Kubernetes' own: its name has no domain, or contains "kubernetes.io/". */
export const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");

const mayOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

const isCounted = (name: string): boolean => COUNTED.has(name) || isExtendedResource(name);

/** Whether a resource is an extended one, outside Kubernetes' own domain, whose amounts are integers. */
export function isExtendedResource(name: string): boolean {
  return !isNative(name) && !name.startsWith("requests.") && qualifiedNameErrors(`requests.${name}`).length === 0;
}

/** Validates the name of a resource: a qualified name, or one of Kubernetes' own resources. */
export function validateResourceName(name: string, path: string, errors: Errors): void {
  const before = errors.length;
  check(name, path, qualifiedNameErrors, errors);
  if (errors.length > before || name.includes("/")) return;
  if (!STANDARD.has(name) && !isHugePages(name) && !name.startsWith("requests.hugepages-")) {
    errors.push(invalidValue(path, name, "must be a standard resource type or fully qualified"));
  }
}

export function validateContainerResourceName(name: string, path: string, errors: Errors): void {
  if (name === "cpu" || name === "memory") return;
  validateResourceName(name, path, errors);
  if (!name.includes("/")) {
    if (name !== "ephemeral-storage" && !isHugePages(name)) {
      errors.push(invalidValue(path, name, "must be a standard resource for containers"));
    }
  } else if (!isNative(name) && !isExtendedResource(name)) {
    errors.push(invalidValue(path, name, "doesn't follow extended resource name standard"));
  }
}

/** Checks the name of a pod-level resource: cpu, memory or huge pages. */
export function validatePodResourceName(name: string, path: string, errors: Errors): void {
  const before = errors.length;
  validateResourceName(name, path, errors);
  if (errors.length > before || name === "cpu" || name === "memory" || isHugePages(name)) return;
  errors.push(notSupported(path, name, ["cpu", HUGE_PAGES, "memory"]));
}

function validateClaims(
  claims: readonly Received<ResourceClaim>[],
  known: ReadonlySet<string>,
  path: string,
  errors: Errors,
): void {
  const seen = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    const at = `${path}[${index}]`;
    const name = text(claim.name);
    if (name === "") {
      errors.push(required(at));
      continue;
    }
    checkClaimRequest(name, text(claim.request), seen, at, errors);
    if (known.has(name)) continue;
    const list = known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
    errors.push({
      ...notFoundValue(at, name),
      detail: `must be one of the names in pod.spec.resourceClaims${list}`,
    });
  }
}

/** A claim is used as a whole once, or by its requests, each once. */
function checkClaimRequest(name: string, request: string, seen: Set<string>, path: string, errors: Errors): void {
  if (seen.has(name)) {
    errors.push(duplicate(path, name));
    return;
  }
  if (request !== "") check(request, `${path}.request`, dns1123LabelErrors, errors);
  const key = request === "" ? name : `${name}/${request}`;
  if (seen.has(key)) errors.push(duplicate(path, key));
  else if (request === "") {
    for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(path, name));
  }
  seen.add(key);
}

const known = new Map<string, Quantity | undefined>();
const MAX_KNOWN = 1000;

/** Parses a quantity; undefined where it cannot, which the decoder has rejected before. Results are cached, because the same few values recur. */
export function quantity(value: unknown): Quantity | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value);
  if (known.has(text)) return known.get(text);
  if (known.size >= MAX_KNOWN) known.clear();
  const result = parse(text);
  known.set(text, result);
  return result;
}

function parse(text: string): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

export function nonNegativeQuantity(value: unknown, path: string): FieldError[] {
  const parsed = quantity(value);
  if (parsed === undefined || parsed.unscaled >= 0n) return [];
  return [invalidValue(path, formatQuantity(parsed), "must be greater than or equal to 0")];
}

/** Checks that a quantity is positive. `detail` is Kubernetes' text for the error in this kind. */
export function positiveQuantity(value: unknown, path: string, detail = "must be greater than zero"): FieldError[] {
  const parsed = quantity(value);
  if (parsed === undefined || parsed.unscaled > 0n) return [];
  return [invalidValue(path, formatQuantity(parsed), detail)];
}

/** Checks the capacity of a volume: it must not be negative. The error shows it rounded to an integer. */
export function volumeCapacity(value: unknown, path: string): FieldError[] {
  const parsed = quantity(value);
  if (parsed === undefined || parsed.unscaled >= 0n) return [];
  return [invalidValue(path, Number(quantityValue(parsed)), "must be a valid resource quantity")];
}
