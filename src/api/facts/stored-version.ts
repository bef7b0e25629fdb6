import { minorOf } from "../../machinery/served-versions.js";
import type { Release } from "./release.js";
import type { ResourceFacts } from "./resources.js";

/** The versions that a release stores against the rule, as "<group>/<resource>": kube-apiserver 1.36 states this one in code. */
const STORED_AS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ["1.36", new Map([["resource.k8s.io/devicetaintrules", "v1alpha3"]])],
]);

/**
 * The version that kube-apiserver stores a resource in (K37-104): in the order of priority, the first that is not alpha and that servers of the minimum
 * compatibility version know; else the first that the emulated version knows.
 */
export function storedVersionOf(release: Release, { group, name }: Pick<ResourceFacts, "group" | "name">): string {
  const stated = STORED_AS.get(release.version)?.get(`${group}/${name}`);
  if (stated !== undefined) return stated;
  const order = release.facts.groups.find((one) => one.name === group)?.versions ?? [];
  const versions = release
    .resources()
    .filter((one) => one.group === group && one.name === name)
    .toSorted((one, other) => order.indexOf(one.version) - order.indexOf(other.version));
  const knownAt = (version: string) => (resource: ResourceFacts) =>
    minorOf(resource.introduced ?? "1.0") <= minorOf(version);
  const compatible = versions.filter(knownAt(release.minCompatibility)).find(({ version }) => !/alpha/.test(version));
  return (compatible ?? versions.find(knownAt(release.emulated)) ?? versions[0])?.version ?? "";
}
