export {
  definitionNames,
  definitionOf,
  kindsOf,
  schemaFor,
  splitDefinition,
  structOf,
  unionsOf,
} from "./definitions.js";
export {
  apiResources,
  deprecationWarning,
  resourceFacts,
  resources,
  servedGroups,
  servedGroupVersions,
  servedResources,
  type GroupFacts,
  type ResourceFacts,
  type RuntimeConfig,
  type SubresourceFacts,
} from "./resources.js";
