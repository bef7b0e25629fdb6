import type { ResourceFacts } from "../../api/facts/index.js";

type Resource = Pick<ResourceFacts, "group" | "name">;

/** Resources that kube-apiserver stores under another name than their own, by "<group>/<resource>". */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "/endpoints": "services/endpoints",
  "/nodes": "minions",
  "/replicationcontrollers": "controllers",
  "/services": "services/specs",
  "events.k8s.io/events": "events",
  "networking.k8s.io/ingresses": "ingress",
};

/** Groups of API servers of their own, which kube-apiserver has inside. */
const NAMED_GROUPS: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/**
 * What the keys of a resource's objects begin with, as kube-apiserver has it: "/registry/pods/", "/registry/deployments/".
 * Built-in resources are stored without their group.
 */
export function keyPrefix({ group, name }: Resource): string {
  if (NAMED_GROUPS.has(group)) return `/registry/${group}/${name}/`;
  return `/registry/${OTHER_NAMES[`${group}/${name}`] ?? name}/`;
}

/** {@link keyPrefix} as kubets had it before its stores were laid out like kube-apiserver's. */
export function formerKeyPrefix({ group, name }: Resource): string {
  if (group === "events.k8s.io") return "/registry/events/";
  if (group !== "") return `/registry/${group}/${name}/`;
  return name === "services" || name === "endpoints" ? keyPrefix({ group, name }) : `/registry/${name}/`;
}
