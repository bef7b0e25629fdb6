export {
  definitionNames,
  definitionOf,
  kindsOf,
  schemaFor,
  structOf,
  unionsOf,
} from "./definitions.js";
export {
  deprecationWarning,
  resources,
  servedGroups,
  servedGroupVersions,
  servedResources,
  type GroupFacts,
  type ResourceFacts,
  type RuntimeConfig,
  type SubresourceFacts,
} from "./resources.js";
