import { append } from "../../../base/collections/append.js";
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { list, type Received, text } from "../../../machinery/meta/received.js";
import { parseIp } from "../../../machinery/validation/ip.js";
import type { ServiceSpec } from "../../types/core/v1.js";
import { oneOf, repeatedAt } from "../rules.js";
import { legacyIp } from "./ip-fields.js";

const FAMILIES = ["IPv4", "IPv6"];
const POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** Validates cluster IPs, their families and the policy for them. Addresses in the old spec, `before`, are accepted. */
export function validateClusterIps(spec: Received<ServiceSpec>, before: Received<ServiceSpec>): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const ips = list(spec.clusterIPs).map(text);
  const errors = [
    ...validateFirst(text(spec.clusterIP), ips),
    ...validateFamilies(list(spec.ipFamilies).map(text)),
    ...oneOf(spec.ipFamilyPolicy, "spec.ipFamilyPolicy", POLICIES),
  ];
  const malformed = validateEach(ips, list(before.clusterIPs).map(text));
  append(errors, malformed);
  if (ips.length > 2) errors.push(invalidValue("spec.clusterIPs", ips, "may only hold up to 2 values"));
  if (malformed.length > 0) return errors;
  if (ips.length > 1 && !(ips.some(isV6) && !ips.every(isV6))) {
    errors.push(invalidValue("spec.clusterIPs", ips, "may specify no more than one IP for each IP family"));
  }
  return [...errors, ...validateMatch(ips, list(spec.ipFamilies).map(text))];
}

function validateFirst(ip: string, ips: readonly string[]): FieldError[] {
  const refuse = (detail: string) => [invalidValue("spec.clusterIPs", ips, detail)];
  if (ip === "") return ips.length === 0 ? [] : refuse("must be empty when `clusterIP` is not specified");
  if (ips.length === 0) return [required("spec.clusterIPs")];
  return ips[0] === ip ? [] : refuse("first value must match `clusterIP`");
}

function validateFamilies(families: readonly string[]): FieldError[] {
  const again = repeatedAt(families);
  return families.flatMap((family, index) => {
    const path = `spec.ipFamilies[${index}]`;
    const errors = FAMILIES.includes(family) ? [] : [notSupported(path, family, FAMILIES)];
    return again.has(index) ? [...errors, duplicate(path, family)] : errors;
  });
}

function validateEach(ips: readonly string[], before: readonly string[]): FieldError[] {
  const kept = new Set(before);
  return ips.flatMap((ip, index) => {
    if (index > 0 || ip !== "None") return legacyIp(ip, `spec.clusterIPs[${index}]`, kept);
    return ips.length === 1 ? [] : [invalidValue("spec.clusterIPs", ips, "'None' must be the first and only value")];
  });
}

function validateMatch(ips: readonly string[], families: readonly string[]): FieldError[] {
  if (ips[0] === "None") return [];
  return ips.slice(0, families.length).flatMap((ip, index) => {
    const family = families[index];
    const right = family === "IPv4" ? !isV6(ip) : family !== "IPv6" || isV6(ip);
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return right ? [] : [invalidValue(`spec.clusterIPs[${index}]`, ip, detail)];
  });
}

const isV6 = (ip: string): boolean => parseIp(ip)?.bytes.length === 16;
