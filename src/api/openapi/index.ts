export { openApiV2Json, openApiV2Protobuf } from "./v2.js";
export { openApiV3Document, openApiV3Hash, openApiV3Index, type OpenApiV3IndexDocument } from "./v3.js";

/** The Content-Type of {@link openApiV2Protobuf}; clients ask for it with "@" before the version, which no header may hold. */
export const openApiV2ProtobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
