import { formatGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { ResourceFacts, ServedApi } from "../facts/resources.js";
import { byName } from "./documents.js";

export interface ApiGroupDiscoveryListDocument {
  readonly kind: "APIGroupDiscoveryList";
  readonly apiVersion: "apidiscovery.k8s.io/v2";
  readonly metadata: Record<string, never>;
  readonly items: readonly ApiGroupDiscoveryDocument[];
}

export interface ApiGroupDiscoveryDocument {
  /** No name for the core group. */
  readonly metadata: { readonly name?: string };
  readonly versions: readonly ApiVersionDiscoveryDocument[];
}

export interface ApiVersionDiscoveryDocument {
  readonly version: string;
  readonly resources: readonly ApiResourceDiscoveryDocument[];
  readonly freshness: "Current" | "Stale";
}

export interface ApiResourceDiscoveryDocument {
  readonly resource: string;
  /** Group and version are empty where they are the ones of the document, unless the resource is a custom one. */
  readonly responseKind: GroupVersionKind;
  readonly scope: "Namespaced" | "Cluster";
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: GroupVersionKind;
    readonly verbs: readonly string[];
  }[];
}

/** GET /api or /apis as `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`. */
export function aggregatedDiscovery(api: ServedApi, root: "api" | "apis"): ApiGroupDiscoveryListDocument {
  const groups = api.groups.filter(({ name }) => (root === "api") === (name === ""));
  const freshness = (group: string, version: string): ApiVersionDiscoveryDocument["freshness"] =>
    api.unavailable.has(formatGroupVersion({ group, version })) ? "Stale" : "Current";
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((version) => ({
        version,
        resources: byName(api.resources.filter((one) => one.group === name && one.version === version)).map(describe),
        freshness: freshness(name, version),
      })),
    })),
  };
}

function describe(resource: ResourceFacts): ApiResourceDiscoveryDocument {
  const { shortNames, categories, subresources, isCustom } = resource;
  const responseKind = ({ group, version, kind }: GroupVersionKind): GroupVersionKind =>
    isCustom === true || group !== resource.group ? { group, version, kind } : { group: "", version: "", kind };
  return {
    resource: resource.name,
    responseKind: responseKind(resource),
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singularName,
    verbs: resource.discoveryVerbs ?? resource.verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map(({ name, kind, verbs }) => ({
            subresource: name,
            responseKind: responseKind(kind),
            verbs,
          })),
        }
      : {}),
  };
}
