import { type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, list, object, type Received, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { cidrErrors, parseCidr } from "../../../machinery/validation/ip.js";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../../machinery/validation/names.js";
import type { IPAddress, ParentReference, ServiceCIDR } from "../../types/networking/v1.js";
import { IMMUTABLE, named, sameValue } from "../rules.js";

const PARENT = "spec.parentRef";

export function validateIpAddress(address: ReceivedObject<IPAddress>): FieldError[] {
  const parent = object(address.spec).parentRef;
  if (absent(parent)) return [required(PARENT)];
  const { group, resource, namespace, name } = object(parent);
  const segment = (value: string | null | undefined, field: string) =>
    named(text(value), `${PARENT}.${field}`, pathSegmentErrors);
  return [
    // Services are of the core group, whose name is empty.
    ...(text(group) === "" ? [] : named(text(group), `${PARENT}.group`, dns1123SubdomainErrors)),
    ...(text(resource) === "" ? [required(`${PARENT}.resource`)] : segment(resource, "resource")),
    ...(text(name) === "" ? [required(`${PARENT}.name`)] : segment(name, "name")),
    ...(text(namespace) === "" ? [] : segment(namespace, "namespace")),
  ];
}

export function validateIpAddressUpdate(
  address: ReceivedObject<IPAddress>,
  old: ReceivedObject<IPAddress>,
): FieldError[] {
  const [parent, before] = [object(address.spec).parentRef, object(old.spec).parentRef];
  if (sameValue(parent, before)) return [];
  return [invalidValue(PARENT, absent(parent) ? null : shownParent(object(parent)), IMMUTABLE)];
}

/** Kubernetes shows its internal type. */
const shownParent = ({ group, resource, namespace, name }: Received<ParentReference>) => ({
  Group: text(group),
  Resource: text(resource),
  Namespace: text(namespace),
  Name: text(name),
});

const CIDRS = "spec.cidrs";

export function validateServiceCidr(cidr: ReceivedObject<ServiceCIDR>): FieldError[] {
  const cidrs = list(object(cidr.spec).cidrs).map(text);
  if (cidrs.length === 0) return [required(CIDRS, "at least one CIDR required")];
  if (cidrs.length > 2) return [invalidValue(CIDRS, { CIDRs: cidrs }, "may only hold up to 2 values")];
  const errors = cidrs.flatMap((block, index) => named(block, `${CIDRS}[${index}]`, cidrErrors));
  const families = cidrs.map((block) => parseCidr(block)?.address.bytes.length);
  if (cidrs.length < 2 || families[0] === undefined || families[0] !== families[1]) return errors;
  const detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
  return [...errors, invalidValue(CIDRS, cidrs, detail)];
}

/** Validates an update of a ServiceCIDR: a second block may be added once; existing blocks may not change. */
export function validateServiceCidrUpdate(
  cidr: ReceivedObject<ServiceCIDR>,
  old: ReceivedObject<ServiceCIDR>,
): FieldError[] {
  const [cidrs, before] = [cidr, old].map(({ spec }) => list(object(spec).cidrs).map(text));
  const [now, had] = [cidrs ?? [], before ?? []];
  const added = had.length === 1 && now.length === 2;
  if (now.length !== had.length && !added) return [invalidValue(CIDRS, now, IMMUTABLE)];
  const changed = had.flatMap((block, index) =>
    block === now[index] ? [] : [invalidValue(`${CIDRS}[${index}]`, now[index], IMMUTABLE)],
  );
  return added ? [...changed, ...validateServiceCidr(cidr)] : changed;
}
