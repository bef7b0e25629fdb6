export {
  builtInApi,
  definitionNames,
  definitionOf,
  kindsOf,
  publishedDefinitions,
  resources,
  schemaFor,
  servedGroups,
  servedGroupVersions,
  servedResources,
  structOf,
  unionsOf,
} from "./default-release.js";
export type { TypeSource } from "./definitions.js";
export { type Release, servesRetired } from "./release.js";
export { defaultRelease, releaseOf } from "./releases.js";
export {
  DEFAULT_VERSION,
  gitVersionOf,
  SERVED_VERSIONS,
  servedVersionOf,
  UnservedVersionError,
} from "./served-versions.js";
export {
  type ApiTitle,
  type GroupFacts,
  groupVersionsOf,
  type ResourceFacts,
  returnsDeletedObject,
  type RuntimeConfig,
  type ServedApi,
  type SubresourceFacts,
} from "./resources.js";
