import { formatGroupVersion, parseGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { ApiResource } from "../../machinery/rest-mapper.js";
import type { ResourceEntry } from "./data.js";
import type { TypeSource } from "./definitions.js";
import type { Release } from "./release.js";

const GROUP_VERSION = "apiextensions.k8s.io/v1beta1";
const KIND = "CustomResourceDefinition";

/**
 * Resources at versions that every release here has removed and that a server still serves when runtimeConfig names the version itself: no
 * class of versions ("api/beta") turns them on. Their types are in `unpublished.ts`.
 */
export const RETIRED_RESOURCES: readonly ResourceEntry[] = [
  {
    groupVersion: GROUP_VERSION,
    name: "customresourcedefinitions",
    singular: "customresourcedefinition",
    kind: KIND,
    definition: `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.${KIND}`,
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    subresources: { status: { kind: `${GROUP_VERSION}/${KIND}`, verbs: ["get", "patch", "update"] } },
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    // That of apiextensions.k8s.io/v1, which is stored.
    storageVersionHash: "M5uH+AlWATY=",
    introduced: "1.7",
    deprecated: "1.16",
    removed: "1.22",
    replacement: `apiextensions.k8s.io,v1,${KIND}`,
  },
];

/** A built-in resource at one version. */
export interface ResourceFacts extends ApiResource {
  /** "apps/v1"; "v1" for the core group. */
  readonly groupVersion: string;
  /** The kind's OpenAPI definition. */
  readonly definition: string;
  /** The kind of its lists. Absent: the kind with "List" behind it. */
  readonly listKind?: string;
  /** Discovery's fingerprint of the kind that is stored; absent for what is not stored. */
  readonly storageVersionHash?: string;
  /** Described by a CustomResourceDefinition. Discovery names the group and version of its kinds, as apiextensions does. */
  readonly isCustom?: boolean;
  /** The verbs that discovery lists, where they are not those that are served. */
  readonly discoveryVerbs?: readonly string[];
  /** Sorted by name; those of a custom resource in apiextensions' order. */
  readonly subresources: readonly SubresourceFacts[];
  /** Releases, as "1.36"; absent when the facts do not say. */
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  /** What to use instead of a deprecated version. */
  readonly replacement?: GroupVersionKind;
  /** The warning on every answer of a version that is deprecated now; absent for others. */
  readonly deprecationWarning?: string;
}

export interface SubresourceFacts {
  /** "status", "scale", "log". */
  readonly name: string;
  /** What it reads and writes; not always of the resource's own group (Scale, Eviction, TokenRequest). */
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

export interface GroupFacts {
  /** "" is the core group. */
  readonly name: string;
  /** Preferred first. */
  readonly versions: readonly string[];
}

/**
 * What kube-apiserver's --runtime-config takes: "resource.k8s.io/v1beta1" or "api/all", "api/ga", "api/beta",
 * "api/alpha" to on or off. A named version wins over a class of versions, and a narrower class over api/all. Versions that Kubernetes
 * has removed ({@link RETIRED_RESOURCES}) are on only where they are named.
 */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

/** Reads a resource of the facts of version 1.`minor`. */
export function readResource(entry: ResourceEntry, minor: number): ResourceFacts {
  const resource = factsOf(entry);
  const warning = warningOf(resource, minor);
  return warning === undefined ? resource : { ...resource, deprecationWarning: warning };
}

/**
 * kube-apiserver's warning of a deprecated resource: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice". Undefined for
 * a resource that 1.`minor` does not deprecate yet.
 */
function warningOf(resource: ResourceFacts, minor: number): string | undefined {
  const { deprecated, removed, replacement } = resource;
  if (deprecated === undefined || Number(deprecated.split(".")[1]) > minor) return undefined;
  const unavailable = removed === undefined ? "" : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? "" : `; use ${formatGroupVersion(replacement)} ${replacement.kind}`;
  return `${resource.groupVersion} ${resource.kind} is deprecated in v${deprecated}+${unavailable}${instead}`;
}

function factsOf(entry: ResourceEntry): ResourceFacts {
  const { group, version } = parseGroupVersion(entry.groupVersion);
  return {
    group,
    version,
    groupVersion: entry.groupVersion,
    name: entry.name,
    singularName: entry.singular,
    kind: entry.kind,
    namespaced: entry.namespaced === true,
    verbs: entry.verbs,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    definition: entry.definition,
    subresources: Object.entries(entry.subresources ?? {}).flatMap(([name, subresource]) =>
      subresource === undefined ? [] : [{ name, kind: toKind(subresource.kind), verbs: subresource.verbs }],
    ),
    ...(entry.storageVersionHash === undefined ? {} : { storageVersionHash: entry.storageVersionHash }),
    ...(entry.introduced === undefined ? {} : { introduced: entry.introduced }),
    ...(entry.deprecated === undefined ? {} : { deprecated: entry.deprecated }),
    ...(entry.removed === undefined ? {} : { removed: entry.removed }),
    ...(entry.replacement === undefined ? {} : { replacement: toKind(entry.replacement.replaceAll(",", "/")) }),
  };
}

function toKind(text: string): GroupVersionKind {
  const [group = "", version = "", kind = ""] = text.split("/");
  return { group, version, kind };
}

/**
 * Resources whose DELETE is answered with the object, where others are answered with a Status (ReturnDeletedObject in the storages of
 * kube-apiserver 1.36), as "<group>/<resource>".
 */
const RETURNED: ReadonlySet<string> = new Set([
  "/persistentvolumeclaims",
  "/persistentvolumes",
  "/pods",
  "/podtemplates",
  "/resourcequotas",
  "/serviceaccounts",
  "/services",
  "resource.k8s.io/deviceclasses",
  "resource.k8s.io/devicetaintrules",
  "resource.k8s.io/resourceclaims",
  "resource.k8s.io/resourceclaimtemplates",
  "resource.k8s.io/resourceslices",
  "storage.k8s.io/csidrivers",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/storageclasses",
  "storage.k8s.io/volumeattachments",
  "storage.k8s.io/volumeattributesclasses",
]);

export const returnsDeletedObject = (group: string, resource: string): boolean => RETURNED.has(`${group}/${resource}`);

/** The API that a server serves at one time, as discovery and OpenAPI show it. Immutable; a change makes a new one. */
export interface ServedApi {
  /** The version of Kubernetes that the server is. */
  readonly release: Release;
  /** Rises with every change. */
  readonly epoch: number;
  /** Groups with a served version, in discovery's order, the core group first. */
  readonly groups: readonly GroupFacts[];
  /** By group version in discovery's order. */
  readonly resources: readonly ResourceFacts[];
  /** Group versions ("metrics.k8s.io/v1beta1") whose resources cannot be reached now. Discovery calls them stale. */
  readonly unavailable: ReadonlySet<string>;
  /** The types of the resources. */
  readonly types: TypeSource;
  /** What OpenAPI documents are called. Default: {@link Release.title}. */
  readonly title?: ApiTitle | undefined;
  /** Where other servers serve some of it: what this server serves itself, and the group versions of the others. */
  readonly aggregated?: { readonly own: ServedApi; readonly remotes: ReadonlySet<string> } | undefined;
}

/** The title and the version of OpenAPI documents. */
export interface ApiTitle {
  readonly title: string;
  readonly version: string;
}

/** The group versions of an API ("v1", "apps/v1"), in discovery's order. */
export function groupVersionsOf({ groups }: Pick<ServedApi, "groups">): readonly string[] {
  return groups.flatMap(({ name, versions }) =>
    versions.map((version) => formatGroupVersion({ group: name, version })),
  );
}
