import type { ApiGroup } from "../client/discovery/discovery.js";
import type { ApiResource } from "../machinery/rest-mapper.js";

/** Lists each resource once: at its group's preferred version if that has it, else at the first version that does. */
export function preferredResources(groups: readonly ApiGroup[], resources: readonly ApiResource[]): ApiResource[] {
  const preferred = new Map(groups.map((group) => [group.name, group.preferredVersion]));
  const chosen = new Map<string, ApiResource>();
  for (const resource of resources) {
    const key = `${resource.name}.${resource.group}`;
    if (!chosen.has(key) || resource.version === preferred.get(resource.group)) chosen.set(key, resource);
  }
  return [...chosen.values()];
}
