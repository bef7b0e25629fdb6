import type { StorageRecord } from "../endpoints/resource-record.js";

interface Resource {
  readonly group: string;
  /** The plural. */
  readonly name: string;
}

/** Groups of API servers of their own, which kube-apiserver has inside. */
const NAMED_GROUPS: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/**
 * What the keys of a built-in resource's objects begin with, as kube-apiserver has it: "/registry/pods/",
 * "/registry/deployments/". Built-in resources are stored without their group.
 */
export function keyPrefix({ group, name }: Resource, storage: StorageRecord | undefined): string {
  if (NAMED_GROUPS.has(group)) return ownKeyPrefix({ group, name });
  return `/registry/${storage?.prefix ?? name}/`;
}

/** What the keys of an installed resource's objects begin with: "/registry/stable.example.com/crontabs/". */
export const ownKeyPrefix = ({ group, name }: Resource): string => `/registry/${group}/${name}/`;

/** {@link keyPrefix} as kubets had it before its stores were laid out like kube-apiserver's. */
export function formerKeyPrefix({ group, name }: Resource): string {
  if (group === "events.k8s.io") return "/registry/events/";
  if (group !== "") return ownKeyPrefix({ group, name });
  return name === "services" || name === "endpoints"
    ? `/registry/services/${name === "services" ? "specs" : name}/`
    : `/registry/${name}/`;
}
