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
} from "./newest-release.js";
export type { TypeSource } from "./definitions.js";
export { type Release, servesRetired } from "./release.js";
export { newestRelease, releaseOf } from "./releases.js";
export {
  DEFAULT_VERSION,
  gitVersionOf,
  NEWEST_VERSION,
  SERVED_VERSIONS,
  servedVersionOf,
  UnservedVersionError,
} from "../../machinery/served-versions.js";
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
