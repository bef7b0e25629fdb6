import { type FieldError, invalidValue, required } from "../../machinery/errors/field-error.js";
import { absent, list, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { cidrErrors } from "../../machinery/validation/ip.js";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../machinery/validation/names.js";
import { IMMUTABLE, immutable, named, sameValue } from "./rules.js";

const PARENT = "spec.parentRef";

export function validateIpAddress(address: KubeObject): FieldError[] {
  const parent = object(address.spec).parentRef;
  if (absent(parent)) return [required(PARENT)];
  const { group, resource, namespace, name } = object(parent);
  const segment = (value: unknown, field: string) => named(text(value), `${PARENT}.${field}`, pathSegmentErrors);
  return [
    // Services are of the core group, whose name is empty.
    ...(text(group) === "" ? [] : named(text(group), `${PARENT}.group`, dns1123SubdomainErrors)),
    ...(text(resource) === "" ? [required(`${PARENT}.resource`)] : segment(resource, "resource")),
    ...(text(name) === "" ? [required(`${PARENT}.name`)] : segment(name, "name")),
    ...(text(namespace) === "" ? [] : segment(namespace, "namespace")),
  ];
}

export function validateIpAddressUpdate(address: KubeObject, old: KubeObject): FieldError[] {
  const [parent, before] = [object(address.spec).parentRef, object(old.spec).parentRef];
  if (sameValue(parent, before)) return [];
  return [invalidValue(PARENT, absent(parent) ? null : shownParent(object(parent)), IMMUTABLE)];
}

/** Kubernetes shows its internal type. */
const shownParent = ({ group, resource, namespace, name }: ReadonlyFields) => ({
  Group: text(group),
  Resource: text(resource),
  Namespace: text(namespace),
  Name: text(name),
});

export function validateServiceCidr(cidr: KubeObject): FieldError[] {
  const cidrs = list(object(cidr.spec).cidrs).map(text);
  const refuse = (detail: string) => [invalidValue("spec.cidrs", { CIDRs: cidrs }, detail)];
  if (cidrs.length === 0) return [required("spec.cidrs", "at least one CIDR required")];
  if (cidrs.length > 2) return refuse("may only hold up to 2 values");
  if (cidrs.length === 2 && cidrs.filter((block) => block.includes(":")).length !== 1) {
    return refuse("may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64");
  }
  return cidrs.flatMap((block, index) => named(block, `spec.cidrs[${index}]`, cidrErrors));
}

export function validateServiceCidrUpdate(cidr: KubeObject, old: KubeObject): FieldError[] {
  return immutable(object(cidr.spec).cidrs, object(old.spec).cidrs, "spec.cidrs");
}
