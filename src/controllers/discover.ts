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

/** Every resource at every version, subresources left out. */
export async function discover(api: Api): Promise<readonly DiscoveredResource[]> {
  const groups = await Promise.all(["/api", "/apis"].map((path) => api.get(path, AGGREGATED)));
  return groups.flatMap((found) => list(found["items"]).flatMap((group) => resourcesOf(group as KubeObject)));
}

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
        apiVersion: name === "" ? text(version["version"]) : `${name}/${text(version["version"])}`,
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
