import { fetchResourceList } from "../../client/discovery/live-discovery.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { formatGroupVersion, type GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";

/** Of what no server has, only the resource is there. */
export type AskedResource = GroupVersionResource;

/** Resources that no server lists, and that rules name all the same. */
const UNLISTED = new Set(["users", "groups"]);

/** The resource that goes by the name `typed`; an unknown name is warned of, and stays as it was typed. */
export async function findResource(
  mapper: RestMapper,
  typed: string,
  warn: (message: string) => void,
): Promise<AskedResource> {
  const asTyped = { group: "", version: "", resource: typed };
  if (typed === "*") return asTyped;
  const name = typed.toLowerCase();
  for (const meaning of meanings(name)) {
    // Whatever is wrong here, the question can still be asked.
    const found = await mapper.preferredResourceFor(meaning).catch(() => undefined);
    if (found !== undefined) return found;
  }
  const { resource, group } = parse(name);
  if (!UNLISTED.has(name)) {
    warn(`the server doesn't have a resource type '${resource}'${group === "" ? "" : ` in group '${group}'`}\n`);
  }
  return asTyped;
}

/** "deployments.v1.apps" may be a resource, its version and its group, and may be of a group "v1.apps". */
function meanings(name: string): readonly GroupVersionResource[] {
  const [resource = "", version, ...group] = name.split(".");
  const partial = { ...parse(name), version: "" };
  if (version === undefined || group.length === 0) return [partial];
  return [{ group: group.join("."), version, resource }, partial];
}

function parse(name: string): { readonly resource: string; readonly group: string } {
  const dot = name.indexOf(".");
  return dot < 0 ? { resource: name, group: "" } : { resource: name.slice(0, dot), group: name.slice(dot + 1) };
}

/** Undefined where the server does not say. */
export async function isNamespaced(asked: AskedResource, client: RestClient): Promise<boolean | undefined> {
  const { version, resource } = asked;
  if (version === "") return undefined;
  try {
    const { resources } = await fetchResourceList(client, formatGroupVersion(asked), {});
    return resources.find(({ name }) => name === resource)?.namespaced;
  } catch {
    return undefined;
  }
}
