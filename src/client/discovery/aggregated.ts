import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import {
  objects,
  text,
  texts,
  type WireGroup,
  type WireGroupVersion,
  type WireResource,
  type WireResourceList,
} from "./wire.js";

/** The content of an aggregated discovery document, in the types of the older documents. */
export interface AggregatedContent {
  readonly groups: readonly WireGroup[];
  readonly resources: ReadonlyMap<string, WireResourceList>;
  /** Group-versions whose aggregated server did not answer lately. */
  readonly failed: ReadonlyMap<string, Error>;
  /** What the document still says of the resources of some of {@link failed}: as they were when their server last answered. */
  readonly stale: ReadonlyMap<string, WireResourceList>;
}

/** True when the content type names apidiscovery.k8s.io v2 or v2beta1. */
export function isAggregated(contentType: string): boolean {
  const [media = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  const named = new Map(parameters.map((part) => part.split("=", 2) as [string, string]));
  const version = named.get("v");
  return (
    media.toLowerCase() === "application/json" &&
    named.get("g") === "apidiscovery.k8s.io" &&
    named.get("as") === "APIGroupDiscoveryList" &&
    (version === "v2" || version === "v2beta1")
  );
}

/**
 * Decodes an APIGroupDiscoveryList. It omits resources without a kind. A stale version counts as failed and is never the
 * preferred one.
 */
export function readAggregated(document: { readonly items?: unknown }): AggregatedContent {
  const resources = new Map<string, WireResourceList>();
  const failed = new Map<string, Error>();
  const stale = new Map<string, WireResourceList>();
  const groups = objects(document.items).map((item) => {
    const metadata = item["metadata"];
    const name = isJsonObject(metadata) ? text(metadata["name"]) : "";
    const versions: WireGroupVersion[] = [];
    for (const entry of objects(item["versions"])) {
      const version = text(entry["version"]);
      const groupVersion = formatGroupVersion({ group: name, version });
      if (entry["freshness"] === "Stale") {
        failed.set(groupVersion, new Error(`stale GroupVersion discovery: ${groupVersion}`));
        const last = objects(entry["resources"]).flatMap(withSubresources);
        if (last.length > 0) stale.set(groupVersion, { groupVersion, resources: last });
        continue;
      }
      versions.push({ groupVersion, version });
      resources.set(groupVersion, { groupVersion, resources: objects(entry["resources"]).flatMap(withSubresources) });
    }
    return { name, versions, preferredVersion: versions[0] ?? { groupVersion: "", version: "" } };
  });
  return { groups, resources, failed, stale };
}

function withSubresources(entry: JsonObject): WireResource[] {
  const name = text(entry["resource"]);
  const singularName = text(entry["singularResource"]);
  const namespaced = entry["scope"] === "Namespaced";
  const found: WireResource[] = [];
  const kind = kindOf(entry);
  if (kind) {
    const shortNames = texts(entry["shortNames"]);
    const categories = texts(entry["categories"]);
    found.push({
      name,
      singularName,
      namespaced,
      ...kind,
      verbs: texts(entry["verbs"]),
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
    });
  }
  for (const sub of objects(entry["subresources"])) {
    const subKind = kindOf(sub);
    if (!subKind) continue;
    const subName = `${name}/${text(sub["subresource"])}`;
    found.push({ name: subName, singularName, namespaced, ...subKind, verbs: texts(sub["verbs"]) });
  }
  return found;
}

function kindOf(
  entry: JsonObject,
): { readonly group?: string; readonly version?: string; readonly kind: string } | undefined {
  const response = entry["responseKind"];
  if (!isJsonObject(response)) return undefined;
  const group = text(response["group"]);
  const version = text(response["version"]);
  const kind = text(response["kind"]);
  if (group === "" && version === "" && kind === "") return undefined;
  return { ...(group !== "" && { group }), ...(version !== "" && { version }), kind };
}
