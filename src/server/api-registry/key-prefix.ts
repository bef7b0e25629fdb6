import type { StorageRecord } from "../endpoints/resource-record.js";

interface Resource {
  readonly group: string;
  /** The plural. */
  readonly name: string;
}

/** Groups of API servers of their own, which kube-apiserver has inside. */
const NAMED_GROUPS: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/** The key prefix of a built-in resource, as in kube-apiserver: "/registry/pods/", "/registry/deployments/". It does not contain the group. */
export function keyPrefix({ group, name }: Resource, storage: StorageRecord | undefined): string {
  if (NAMED_GROUPS.has(group)) return ownKeyPrefix({ group, name });
  return `/registry/${storage?.prefix ?? name}/`;
}

/** The key prefix of an installed resource: "/registry/stable.example.com/crontabs/". */
export const ownKeyPrefix = ({ group, name }: Resource): string => `/registry/${group}/${name}/`;

/** The key prefix that kubets used before its stores had kube-apiserver's layout; compare {@link keyPrefix}. */
export function formerKeyPrefix({ group, name }: Resource): string {
  if (group === "events.k8s.io") return "/registry/events/";
  if (group !== "") return ownKeyPrefix({ group, name });
  return name === "services" || name === "endpoints"
    ? `/registry/services/${name === "services" ? "specs" : name}/`
    : `/registry/${name}/`;
}
