import { validateClusterIps } from "../../../../api/validation/service/service-addresses.js";
import { type FieldError, invalidValue } from "../../../../machinery/errors/field-error.js";
import { invalid } from "../../../../machinery/errors/status-error.js";
import {
  ensureChild,
  type Fields,
  list,
  object,
  type ReadonlyFields,
  text,
} from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import { parseIp } from "../../../../machinery/validation/ip.js";

/** The one family that the cluster's services have addresses of. */
const FAMILY = "IPv4";
const POLICY = "spec.ipFamilyPolicy";

/**
 * Settles which IP families a service is of, and how it chose them, for a cluster that has one family. `old` is undefined
 * for a new service. Throws 422 for what such a cluster cannot give.
 */
export function initializeFamilies(service: KubeObject, old: KubeObject | undefined): void {
  const spec = ensureChild(service, "spec");
  if (spec.type === "ExternalName") return;
  const before = old === undefined ? undefined : object(old.spec);
  // Without pods of its own a service may be told of endpoints of both families.
  const bare = spec.clusterIP === "None" && Object.keys(object(spec.selector)).length === 0;
  spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (bare ? "RequireDualStack" : "SingleStack");
  const refuse = (errors: readonly FieldError[]) => {
    if (errors.length > 0) throw invalid({ group: "", kind: "Service" }, service.metadata?.name ?? "", errors);
  };
  refuse(validateClusterIps(spec, before ?? {}));
  refuse([...(before === undefined ? [] : settleRelease(spec, before)), ...checkPolicy(spec), ...inferFamilies(spec)]);
  if (bare) completeFamilies(spec);
  else {
    refuse(checkCluster(spec));
    if (list(spec.ipFamilies).length === 0) spec.ipFamilies = [FAMILY];
  }
}

/** A service gives up its second family by saying that it wants one. */
function settleRelease(spec: Fields, before: ReadonlyFields): FieldError[] {
  const fields = ["clusterIPs", "ipFamilies"] as const;
  if (spec.ipFamilyPolicy === "SingleStack") {
    for (const field of fields) {
      const values = list(spec[field]);
      const unchanged = values.join() === list(before[field]).join();
      if (unchanged && values.length > 1) spec[field] = values.slice(0, 1);
    }
    return [];
  }
  const names = { clusterIPs: "cluster IP", ipFamilies: "IP family" };
  return fields.flatMap((field) => {
    const [now, had] = [list(spec[field]), list(before[field])];
    // None given is none said: the old ones were filled in, or the families follow from the addresses.
    if (now.length === 0 || now.length >= had.length) return [];
    return [
      invalidValue(POLICY, spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${names[field]}`),
    ];
  });
}

function checkPolicy(spec: ReadonlyFields): FieldError[] {
  if (spec.ipFamilyPolicy !== "SingleStack") return [];
  const several = { clusterIPs: "cluster IPs", ipFamilies: "IP families" };
  return Object.entries(several).flatMap(([field, what]) => {
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    return list(spec[field]).length === 2 ? [invalidValue(POLICY, "SingleStack", detail)] : [];
  });
}

/** Addresses say of which family they are. */
function inferFamilies(spec: Fields): FieldError[] {
  const [ips, families] = [list(spec.clusterIPs).map(text), list(spec.ipFamilies).map(text)];
  if (ips[0] === "None") return [];
  const errors: FieldError[] = [];
  for (const [index, ip] of ips.entries()) {
    if (index < families.length) continue;
    const family = parseIp(ip)?.bytes.length === 16 ? "IPv6" : "IPv4";
    if (family === FAMILY) families.push(family);
    else {
      errors.push(invalidValue(`spec.clusterIPs[${index}]`, ips, `${family} is not configured on this cluster`));
    }
  }
  if (families.length > 0) spec.ipFamilies = families;
  return errors;
}

function completeFamilies(spec: Fields): void {
  const [first = FAMILY, ...rest] = list(spec.ipFamilies).map(text);
  const both = rest.length === 0 && spec.ipFamilyPolicy !== "SingleStack";
  spec.ipFamilies = both ? [first, first === "IPv4" ? "IPv6" : "IPv4"] : [first, ...rest];
}

function checkCluster(spec: ReadonlyFields): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === "RequireDualStack") {
    const detail = "this cluster is not configured for dual-stack services";
    errors.push(invalidValue(POLICY, spec.ipFamilyPolicy, detail));
  }
  for (const [index, family] of list(spec.ipFamilies).entries()) {
    if (family === FAMILY) continue;
    errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
  }
  return errors;
}
