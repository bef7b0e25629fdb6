export { aggregatedDiscovery, type ApiGroupDiscoveryListDocument } from "./aggregated.js";
export {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  type ApiGroupDocument,
  type ApiGroupListDocument,
  type ApiResourceDocument,
  type ApiResourceListDocument,
  type ApiVersionsDocument,
} from "./documents.js";
