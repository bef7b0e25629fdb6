export { openApiV2Json, openApiV2Protobuf } from "./v2.js";
export { hasOpenApiV3, openApiV3Document, openApiV3Hash, openApiV3Index, type OpenApiV3IndexDocument } from "./v3.js";
