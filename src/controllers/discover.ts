import type { KubeObject } from "../machinery/meta/object.js";
import { list, object, objects, text } from "../machinery/meta/access.js";
import type { Api } from "./api.js";

/** A resource at one version, as discovery tells of it. */
export interface DiscoveredResource {
  readonly group: string;
  /** "v1", "apps/v1". */
  readonly apiVersion: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** The first of the group's versions that has the resource. */
  readonly preferred: boolean;
}

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export interface Discovery {
  /** Every resource at every version, subresources left out. */
  readonly resources: readonly DiscoveredResource[];
  /** The group versions that discovery could not ask for their resources: what they have is not known now. */
  readonly stale: readonly string[];
}

/** What the server serves, from aggregated discovery. */
export async function discover(api: Api): Promise<Discovery> {
  const found = await Promise.all(["/api", "/apis"].map((path) => api.get(path, AGGREGATED)));
  const groups = found.flatMap((root) => list(root["items"]).map((group) => group as KubeObject));
  return { resources: groups.flatMap(resourcesOf), stale: groups.flatMap(staleOf) };
}

function staleOf(group: KubeObject): string[] {
  const stale = objects(group["versions"]).filter(({ freshness }) => freshness === "Stale");
  return stale.map(({ version }) => apiVersionOf(group.metadata?.name ?? "", text(version)));
}

const apiVersionOf = (group: string, version: string): string => (group === "" ? version : `${group}/${version}`);

function resourcesOf(group: KubeObject): DiscoveredResource[] {
  const name = group.metadata?.name ?? "";
  const seen = new Set<string>();
  return objects(group["versions"]).flatMap((version) =>
    objects(version["resources"]).map((found) => {
      const resource = text(found["resource"]);
      const preferred = !seen.has(resource);
      seen.add(resource);
      const kind = object(found["responseKind"]);
      return {
        group: name,
        apiVersion: apiVersionOf(name, text(version["version"])),
        resource,
        kind: text(kind["kind"]),
        namespaced: found["scope"] === "Namespaced",
        verbs: list(found["verbs"]).map(text),
        preferred,
      };
    }),
  );
}

/** Where a resource's objects are: "/apis/apps/v1/namespaces/shop/deployments"; of all namespaces, or of none, for "". */
export function collectionPath(
  { apiVersion, resource }: Pick<DiscoveredResource, "apiVersion" | "resource">,
  namespace: string,
): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === "" ? `${root}/${resource}` : `${root}/namespaces/${namespace}/${resource}`;
}
