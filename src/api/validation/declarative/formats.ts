import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { text } from "../../../machinery/meta/access.js";
import { qualifiedNameErrors } from "../../../machinery/validation/names.js";

// Formats of the mark `k8s:format` that no other rule has.

/** Validates the format k8s-prefixed-label-key: "example.com/key". */
export function prefixedLabelKeyErrors(value: string): string[] {
  const errors = qualifiedNameErrors(value);
  if (errors.length > 0 || value.includes("/")) return errors;
  return ["must include a prefix (e.g. 'example.com/key')"];
}

/** Validates the format k8s-uuid. */
export function uuidErrors(value: string): string[] {
  const isOne = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value);
  return isOne ? [] : ["must be a lowercase UUID in 8-4-4-4-12 format"];
}

const RESERVED = [".k8s.io", ".kubernetes.io"] as const;

/** Rejects names whose domain is one of Kubernetes itself, or below one. */
export function reservedDomainErrors(value: unknown, path: string): FieldError[] {
  const [domain = ""] = text(value).toLowerCase().trim().split("/");
  const labels = `.${withoutDotsAtEnd(domain.trim())}`;
  if (!RESERVED.some((suffix) => labels.endsWith(suffix))) return [];
  return [invalidValue(path, value, "domain names *.k8s.io, *.kubernetes.io are reserved")];
}

function withoutDotsAtEnd(name: string): string {
  let end = name.length;
  while (name[end - 1] === ".") end--;
  return name.slice(0, end);
}
