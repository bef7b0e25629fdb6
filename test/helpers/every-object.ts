import type { KubernetesClient } from "../../src/client/index.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { fetchGroups } from "../../src/client/discovery/live-discovery.js";
import { parseGroupVersion } from "../../src/machinery/meta/gvk.js";

/** Every object of every resource that can be listed, in the order of discovery and of keys. */
export async function everyObject(client: KubernetesClient): Promise<readonly KubeObject[]> {
  const { resources = new Map() } = await fetchGroups(client.rest, {});
  const objects: KubeObject[] = [];
  for (const [apiVersion, list] of resources) {
    for (const { name, verbs } of list.resources) {
      if (name.includes("/") || !verbs.includes("list")) continue;
      const { items } = await client.resource({ ...parseGroupVersion(apiVersion), resource: name }).list({});
      objects.push(...items);
    }
  }
  return objects;
}
