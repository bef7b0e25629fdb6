import { goQuote } from "../base/text/go-quote.js";
import { formatGroupVersion, type GroupKind, type GroupVersionKind, type GroupVersionResource } from "./meta/gvk.js";

/** A kind and the resource by which REST requests reach it. */
export interface RestMapping {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly namespaced: boolean;
}

/** One resource as discovery lists it. */
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

const NO_MATCH = Symbol.for("kubets.NoMatch");

/** The server lacks the kind or resource. The message is apimachinery's, e.g. `no matches for kind "Foo" in version "v1"`. */
export class NoMatchError extends Error {
  override readonly name: string = "NoMatchError";
  readonly [NO_MATCH] = true;
}

/** No resource matches what the user typed; fields of `partialResource` that were not given are "". */
export class NoResourceMatchError extends NoMatchError {
  override readonly name = "NoResourceMatchError";
  constructor(readonly partialResource: GroupVersionResource) {
    super(`no matches for ${formatResource(partialResource)}`);
  }
}

/** No resource has the kind, in the requested version if there is one. */
export class NoKindMatchError extends NoMatchError {
  override readonly name = "NoKindMatchError";
  constructor(
    readonly groupKind: GroupKind,
    readonly searchedVersion?: string,
  ) {
    const { group, kind } = groupKind;
    const where =
      searchedVersion === undefined
        ? `group ${goQuote(group)}`
        : `version ${goQuote(formatGroupVersion({ group, version: searchedVersion }))}`;
    super(`no matches for kind ${goQuote(kind)} in ${where}`);
  }
}

/** Several groups or versions match what the user typed, and none of them is preferred. */
export class AmbiguousResourceError extends Error {
  override readonly name = "AmbiguousResourceError";
}

export function isNoMatchError(error: unknown): error is NoMatchError {
  return typeof error === "object" && error !== null && NO_MATCH in error;
}

/** Formats a resource as Go does: "apps/v1, Resource=deployments". */
export function formatResource({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}, Resource=${resource}`;
}

/** Formats a kind as Go does: "apps/v1, Kind=Deployment". */
export function formatKind({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
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
  /** Every resource a name may mean, of all groups and versions, in the server's order. */
  resourcesFor(partial: GroupVersionResource): Promise<readonly GroupVersionResource[]>;
  /** Of those, the one a server prefers: core first, then each group's preferred version. */
  preferredResourceFor(partial: GroupVersionResource): Promise<GroupVersionResource>;
  /** The resources of a category ("all"), or undefined when there is no such category. */
  category(name: string): Promise<readonly GroupVersionResource[] | undefined>;
  /** What the server serves has changed: it is asked anew. */
  refresh(): void;
}
