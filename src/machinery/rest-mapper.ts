import type { GroupKind, GroupVersionKind, GroupVersionResource } from "./meta/gvk.js";

/** How a kind is reached over REST. */
export interface RestMapping {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly namespaced: boolean;
}

/** What discovery says of one resource. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  /** Plural, as in the URL. */
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/**
 * Kinds to resources and back. One object serves builder, printers and commands.
 * A miss is a {@link NoMatchError}; the discovery-backed mapper refreshes its cache once before it throws one.
 */
export interface RestMapper {
  /** The mapping of a kind; without `version` the preferred one. */
  mappingFor(kind: GroupKind, version?: string): Promise<RestMapping>;
  /** Resolves what a user typed: plural, singular, short name, with partial group or version ("deploy.apps", "deployments.v1.apps"). */
  resourceFor(partial: string): Promise<GroupVersionResource>;
  kindFor(resource: GroupVersionResource): Promise<GroupVersionKind>;
  /** The resources of a category ("all"), or undefined when there is no such category. */
  category(name: string): Promise<readonly GroupVersionResource[] | undefined>;
}
