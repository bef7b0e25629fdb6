import type { GroupFacts, ResourceFacts, ServedApi } from "../facts/resources.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";

// Discovery's answers as plain objects, keys in the order Go writes them. They depend on nothing but the served API, so a
// caller may keep their bytes as long as it keeps that.

export interface ApiVersionsDocument {
  readonly kind: "APIVersions";
  readonly versions: readonly string[];
  readonly serverAddressByClientCIDRs: readonly { readonly clientCIDR: string; readonly serverAddress: string }[];
}

export interface GroupVersionDocument {
  readonly groupVersion: string;
  readonly version: string;
}

export interface ApiGroupDocument {
  readonly kind?: "APIGroup";
  readonly apiVersion?: "v1";
  readonly name: string;
  readonly versions: readonly GroupVersionDocument[];
  readonly preferredVersion: GroupVersionDocument;
}

export interface ApiGroupListDocument {
  readonly kind: "APIGroupList";
  readonly apiVersion: "v1";
  readonly groups: readonly ApiGroupDocument[];
}

export interface ApiResourceDocument {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface ApiResourceListDocument {
  readonly kind: "APIResourceList";
  /** Absent for the core group. */
  readonly apiVersion?: "v1";
  readonly groupVersion: string;
  readonly resources: readonly ApiResourceDocument[];
}

/** GET /api. `serverAddress` is "host:port" as clients should reach the server. */
export function apiVersions(api: ServedApi, serverAddress = ""): ApiVersionsDocument {
  return {
    kind: "APIVersions",
    versions: api.groups.find(({ name }) => name === "")?.versions ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** GET /apis. */
export function apiGroupList(api: ServedApi): ApiGroupListDocument {
  const groups = api.groups.filter(({ name }) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(describeGroup) };
}

/** GET /apis/<name>; undefined when the group is not served. */
export function apiGroup(api: ServedApi, name: string): ApiGroupDocument | undefined {
  const group = name === "" ? undefined : api.groups.find((one) => one.name === name);
  return group === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...describeGroup(group) };
}

/** GET /api/v1 and /apis/<group>/<version>, subresources included; undefined when the version is not served. */
export function apiResourceList(api: ServedApi, groupVersion: string): ApiResourceListDocument | undefined {
  const found = api.resources.filter((resource) => resource.groupVersion === groupVersion);
  if (found.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    ...(groupVersion.includes("/") ? { apiVersion: "v1" as const } : {}),
    groupVersion,
    resources: byName(found).flatMap(describeResource),
  };
}

function describeGroup({ name, versions }: GroupFacts): ApiGroupDocument {
  const described = versions.map((version) => ({
    groupVersion: formatGroupVersion({ group: name, version }),
    version,
  }));
  const [preferred] = described;
  if (preferred === undefined) throw new Error(`group ${name} has no version`);
  return { name, versions: described, preferredVersion: preferred };
}

export function byName(resources: readonly ResourceFacts[]): readonly ResourceFacts[] {
  return resources.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function describeResource(resource: ResourceFacts): readonly ApiResourceDocument[] {
  const { storageVersionHash } = resource;
  const whole: ApiResourceDocument = {
    name: resource.name,
    singularName: resource.singularName,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.discoveryVerbs ?? resource.verbs,
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
  const parts = resource.subresources.map(({ name, kind, verbs }) => ({
    name: `${resource.name}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(kind.group === resource.group ? {} : { group: kind.group, version: kind.version }),
    kind: kind.kind,
    verbs,
  }));
  return [whole, ...parts];
}
