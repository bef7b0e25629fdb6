import { invalidValue, notSupported, required } from "../../../machinery/errors/field-error.js";
import { absent, type Received, text } from "../../../machinery/meta/received.js";
import { canonicalizeQuantity } from "../../../machinery/text/quantity/quantity.js";
import { qualifiedNameErrors } from "../../../machinery/validation/names.js";
import type { ObjectFieldSelector, ResourceFieldSelector } from "../../types/core/v1.js";
import type { Errors } from "../collect.js";
import { quantity } from "../resources.js";

/** What a pod's field may be called where its containers ask for it. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "spec.host",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

/** Validates a fieldRef; `allowed` are the whole fields that it may refer to. */
export function validateFieldSelector(
  selector: Received<ObjectFieldSelector>,
  allowed: ReadonlySet<string>,
  path: string,
  errors: Errors,
): void {
  const [apiVersion, field] = [text(selector.apiVersion), text(selector.fieldPath)];
  if (apiVersion === "") errors.push(required(`${path}.apiVersion`));
  else if (field === "") errors.push(required(`${path}.fieldPath`));
  else {
    const refusal = conversionError(apiVersion, field);
    if (refusal === undefined) checkField(field, allowed, path, errors);
    else errors.push(invalidValue(`${path}.fieldPath`, field, `error converting fieldPath: ${refusal}`));
  }
}

function conversionError(apiVersion: string, field: string): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`;
  const parts = subscripted(field);
  if (parts === undefined) return KNOWN_FIELDS.has(field) ? undefined : `field label not supported: ${field}`;
  if (parts.field === "metadata.annotations" || parts.field === "metadata.labels") return undefined;
  return `field label does not support subscript: ${field}`;
}

function checkField(field: string, allowed: ReadonlySet<string>, path: string, errors: Errors): void {
  const parts = subscripted(field);
  if (parts !== undefined) {
    const key = parts.field === "metadata.annotations" ? parts.key.toLowerCase() : parts.key;
    for (const message of qualifiedNameErrors(key)) errors.push(invalidValue(path, key, message));
    return;
  }
  const real = field === "spec.host" ? "spec.nodeName" : field;
  if (!allowed.has(real)) errors.push(notSupported(`${path}.fieldPath`, real, [...allowed].sort()));
}

/** `metadata.labels['app']` */
function subscripted(field: string): { readonly field: string; readonly key: string } | undefined {
  const open = field.indexOf("['");
  if (open <= 0 || !field.endsWith("']") || open + 4 > field.length) return undefined;
  return { field: field.slice(0, open), key: field.slice(open + 2, -2) };
}

const RESOURCES = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const isHugePages = (resource: string): boolean => /^(requests|limits)\.hugepages-/.test(resource);

/** Validates a resourceFieldRef; in a volume it must name its container. */
export function validateResourceFieldSelector(
  selector: Received<ResourceFieldSelector>,
  volume: boolean,
  path: string,
  errors: Errors,
): void {
  const resource = text(selector.resource);
  if (volume && text(selector.containerName) === "") errors.push(required(`${path}.containerName`));
  else if (resource === "") errors.push(required(`${path}.resource`));
  else if (!RESOURCES.includes(resource) && !isHugePages(resource)) {
    errors.push(notSupported(`${path}.resource`, resource, RESOURCES));
  }
  checkDivisor(resource, selector.divisor, path, errors);
}

const SIZES = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

function checkDivisor(resource: string, divisor: unknown, path: string, errors: Errors): void {
  const parsed = absent(divisor) ? undefined : quantity(divisor);
  if (parsed === undefined || parsed.unscaled === 0n) return;
  const canonical = canonicalizeQuantity(String(divisor));
  const refuse = (what: string) => {
    const detail = `only divisor's values ${SIZES.join(", ")} are supported with the ${what} resource`;
    errors.push(invalidValue(`${path}.divisor`, resource, detail));
  };
  const name = resource.replace(/^(limits|requests)\./, "");
  if (name === "cpu") {
    if (canonical !== "1m" && canonical !== "1") {
      const detail = "only divisor's values 1m and 1 are supported with the cpu resource";
      errors.push(invalidValue(`${path}.divisor`, resource, detail));
    }
  } else if (SIZES.includes(canonical)) return;
  else if (name === "memory") refuse("memory");
  else if (name === "ephemeral-storage") refuse("local ephemeral storage");
  else if (isHugePages(resource)) refuse("hugepages");
}
