import { groupVersionsOf, type ServedApi } from "../facts/served-api.js";
import { META, operationsOf, type OperationFacts } from "./operations.js";
import type { ParameterFacts } from "./parameters.js";
import { describeDefinitions, v2Dialect, type JsonSchema } from "./schemas.js";
import { encodeOpenApiV2 } from "./v2-protobuf.js";

/** The parts of an OpenAPI 2 document that ours has; all group versions in one. */
export interface OpenApiV2Document {
  readonly swagger: "2.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, JsonSchema>>;
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

/** GET /openapi/v2 as JSON. Made anew each time. */
export function openApiV2Json(api: ServedApi): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(buildDocument(api)));
}

/** GET /openapi/v2 as `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`. Made anew each time. */
export function openApiV2Protobuf(api: ServedApi): Uint8Array {
  return encodeOpenApiV2(buildDocument(api));
}

function buildDocument(api: ServedApi): OpenApiV2Document {
  const operations = groupVersionsOf(api).flatMap((groupVersion) => operationsOf(api, groupVersion));
  const names = new Set([
    `${META}.WatchEvent`,
    `${META}.APIResourceList`,
    `${META}.APIGroupList`,
    `${META}.APIVersions`,
  ]);
  const paths: Record<string, JsonSchema> = {};
  for (const one of operations) {
    if (one.body !== undefined) names.add(one.body);
    if (one.answer !== undefined) names.add(one.answer);
    const item = (paths[one.path] ??= { parameters: one.pathParameters.map(describeParameter) });
    item[one.method] = describeOperation(one);
  }
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: "v1.36.0" },
    paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    definitions: describeDefinitions(names, v2Dialect, api.types),
  };
}

const PATCH_TYPES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

const CUSTOM_PATCH_TYPES = PATCH_TYPES.filter((type) => type !== "application/strategic-merge-patch+json");

function describeOperation(operation: OperationFacts): JsonSchema {
  const { action, body, answer, kind, isCustom = false } = operation;
  const patchTypes = isCustom ? CUSTOM_PATCH_TYPES : PATCH_TYPES;
  const schema = answer === undefined ? { type: "string" } : { $ref: `#/definitions/${answer}` };
  const codes =
    action === "post" ? ["200", "201", "202"] : action === "put" || action === "patch" ? ["200", "201"] : ["200"];
  const bodies =
    body === undefined
      ? []
      : [
          {
            name: "body",
            in: "body",
            ...(action === "delete" || action === "deletecollection" ? {} : { required: true }),
            schema: { $ref: `#/definitions/${body}` },
          },
        ];
  return {
    tags: [operation.tag],
    operationId: operation.operationId,
    consumes: action === "patch" ? patchTypes : ["*/*"],
    produces: answer === undefined ? ["*/*"] : ["application/json", "application/yaml"],
    parameters: [...bodies, ...operation.queryParameters.map(describeParameter)],
    responses: {
      ...Object.fromEntries(codes.map((code) => [code, { description: "OK", schema }])),
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
  };
}

function describeParameter({ name, in: place, type }: ParameterFacts): JsonSchema {
  return { name, in: place, type, uniqueItems: true, ...(place === "path" ? { required: true } : {}) };
}
