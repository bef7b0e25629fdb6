import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { GroupFacts, ResourceFacts, RuntimeConfig, ServedApi } from "./resources.js";
import { defaultRelease } from "./releases.js";

// The facts of the default release, for code that has no server. What runs in a server, or beside one, asks the server's release: it may use these only
// for types that are the same in every version.

/** The types that the default release publishes. */
export const publishedDefinitions = defaultRelease.definitions;

/** {@link Definitions.definitionOf} of the default release. */
export const definitionOf = (kind: GroupVersionKind): string | undefined => publishedDefinitions.definitionOf(kind);
/** {@link Definitions.kindsOf} of the default release. */
export const kindsOf = (definition: string): readonly GroupVersionKind[] => publishedDefinitions.kindsOf(definition);
/** {@link Definitions.schemaFor} of the default release. */
export const schemaFor = (kind: GroupVersionKind): StructSchema | undefined => publishedDefinitions.schemaFor(kind);
/** {@link Definitions.structOf} of the default release. */
export const structOf = (definition: string): StructSchema | undefined => publishedDefinitions.structOf(definition);
/** {@link Definitions.names} of the default release. */
export const definitionNames = (): readonly string[] => publishedDefinitions.names();
/** {@link Definitions.unionsOf} of the default release. */
export const unionsOf = (definition: string): readonly unknown[] | undefined =>
  publishedDefinitions.unionsOf(definition);
/** {@link Release.resources} of the default release. */
export const resources = (): readonly ResourceFacts[] => defaultRelease.resources();
/** {@link Release.servedGroupVersions} of the default release. */
export const servedGroupVersions = (runtimeConfig?: RuntimeConfig): readonly string[] =>
  defaultRelease.servedGroupVersions(runtimeConfig);
/** {@link Release.servedGroups} of the default release. */
export const servedGroups = (runtimeConfig?: RuntimeConfig): readonly GroupFacts[] =>
  defaultRelease.servedGroups(runtimeConfig);
/** {@link Release.servedResources} of the default release. */
export const servedResources = (runtimeConfig?: RuntimeConfig): readonly ResourceFacts[] =>
  defaultRelease.servedResources(runtimeConfig);
/** {@link Release.builtInApi} of the default release. */
export const builtInApi = (runtimeConfig?: RuntimeConfig): ServedApi => defaultRelease.builtInApi(runtimeConfig);
