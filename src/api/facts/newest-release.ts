import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { GroupFacts, ResourceFacts, RuntimeConfig, ServedApi } from "./resources.js";
import { newestRelease } from "./releases.js";

// The facts of the newest release, for code that has no server. What runs in a server, or beside one, asks the server's release: it may use these only
// for types that are the same in every version.

/** The types that the newest release publishes. */
export const publishedDefinitions = newestRelease.definitions;

/** {@link Definitions.definitionOf} of the newest release. */
export const definitionOf = (kind: GroupVersionKind): string | undefined => publishedDefinitions.definitionOf(kind);
/** {@link Definitions.kindsOf} of the newest release. */
export const kindsOf = (definition: string): readonly GroupVersionKind[] => publishedDefinitions.kindsOf(definition);
/** {@link Definitions.schemaFor} of the newest release. */
export const schemaFor = (kind: GroupVersionKind): StructSchema | undefined => publishedDefinitions.schemaFor(kind);
/** {@link Definitions.structOf} of the newest release. */
export const structOf = (definition: string): StructSchema | undefined => publishedDefinitions.structOf(definition);
/** {@link Definitions.names} of the newest release. */
export const definitionNames = (): readonly string[] => publishedDefinitions.names();
/** {@link Definitions.unionsOf} of the newest release. */
export const unionsOf = (definition: string): readonly unknown[] | undefined =>
  publishedDefinitions.unionsOf(definition);
/** {@link Release.resources} of the newest release. */
export const resources = (): readonly ResourceFacts[] => newestRelease.resources();
/** {@link Release.servedGroupVersions} of the newest release. */
export const servedGroupVersions = (runtimeConfig?: RuntimeConfig): readonly string[] =>
  newestRelease.servedGroupVersions(runtimeConfig);
/** {@link Release.servedGroups} of the newest release. */
export const servedGroups = (runtimeConfig?: RuntimeConfig): readonly GroupFacts[] =>
  newestRelease.servedGroups(runtimeConfig);
/** {@link Release.servedResources} of the newest release. */
export const servedResources = (runtimeConfig?: RuntimeConfig): readonly ResourceFacts[] =>
  newestRelease.servedResources(runtimeConfig);
/** {@link Release.builtInApi} of the newest release. */
export const builtInApi = (runtimeConfig?: RuntimeConfig): ServedApi => newestRelease.builtInApi(runtimeConfig);
