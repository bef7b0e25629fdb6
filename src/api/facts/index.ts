export { returnsDeletedObject } from "./resources.js";
export {
  definitionNames,
  definitionOf,
  kindsOf,
  publishedDefinitions,
  schemaFor,
  structOf,
  type TypeSource,
  unionsOf,
} from "./definitions.js";
export {
  deprecationWarning,
  resources,
  servedGroups,
  servedGroupVersions,
  servedResources,
  servesRetired,
  type GroupFacts,
  type ResourceFacts,
  type RuntimeConfig,
  type SubresourceFacts,
} from "./resources.js";
export { type ApiTitle, builtInApi, groupVersionsOf, type ServedApi } from "./resources.js";
