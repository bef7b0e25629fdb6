export { openApiV2Json, openApiV2Protobuf } from "./v2.js";
export { openApiV3Document, openApiV3Hash, openApiV3Index, openApiV3Path, type OpenApiV3IndexDocument } from "./v3.js";
