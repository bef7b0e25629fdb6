import { holdsControls } from "../../base/text/inert-text.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { Factory } from "../connect/factory.js";

/** How long a server may take while a user waits for a list of candidates. */
const PATIENCE = 5000;

/**
 * Returns the names of the objects of a type, or of each type of a comma list, in the current namespace, in the server's order. A name with
 * a control character, which no Kubernetes server accepts, is left out: a tab would end it in the shells' protocol.
 */
export async function objectNames(factory: Factory, types: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const type of types.split(",")) names.push(...(await listNames(factory, type)).names);
  return names;
}

/** The names of the objects of a type, as {@link objectNames} returns them. */
export interface ListedNames {
  readonly names: readonly string[];
  /** False where there are more than are read. */
  readonly isWhole: boolean;
  readonly namespaced: boolean;
}

/** Lists the names of a type's objects with one request. */
export async function listNames(factory: Factory, type: string): Promise<ListedNames> {
  const mapper = await factory.mapper();
  const resource = await mapper.resourceFor(type);
  const kind = await mapper.kindFor(resource);
  const { namespaced, resource: found } = await mapper.mappingFor(kind, kind.version);
  const { group, version } = found;
  const prefix = group === "" ? `/api/${version}` : `/apis/${formatGroupVersion({ group, version })}`;
  const scope = namespaced ? `/namespaces/${encodeURIComponent((await factory.namespace()).namespace)}` : "";
  const client = await factory.restClient();
  const response = await client.request({
    method: "GET",
    path: `${prefix}${scope}/${found.resource}`,
    query: { limit: "500" },
    signal: AbortSignal.timeout(PATIENCE),
  });
  const list = response.json();
  const { items } = list;
  const names = (Array.isArray(items) ? items : []).flatMap((item) => {
    const metadata = isJsonObject(item) ? item["metadata"] : undefined;
    const name = isJsonObject(metadata) ? metadata["name"] : undefined;
    return typeof name === "string" && !holdsControls(name) ? [name] : [];
  });
  return { names, isWhole: !hasMore(list), namespaced };
}

const hasMore = ({ metadata }: JsonObject): boolean => isJsonObject(metadata) && Boolean(metadata["continue"]);

/** Returns the types that have the verb get, as `api-resources -o name` lists them: by group, then by name. */
export async function resourceTypes(factory: Factory): Promise<readonly string[]> {
  const discovery = await factory.discovery();
  const preferred = new Map((await discovery.groups()).map((group) => [group.name, group.preferredVersion]));
  const { resources } = await discovery.resources();
  const best = new Map<string, { readonly group: string; readonly name: string }>();
  for (const resource of resources) {
    if (!resource.verbs.includes("get") || resource.name.includes("/")) continue;
    const key = `${resource.group}/${resource.name}`;
    if (!best.has(key) || preferred.get(resource.group) === resource.version) best.set(key, resource);
  }
  return [...best.values()]
    .sort((a, b) => compare(a.group, b.group) || compare(a.name, b.name))
    .map(({ group, name }) => (group === "" ? name : `${name}.${group}`));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
