import { groupVersionsOf, type ServedApi } from "../facts/resources.js";
import { groupOperation, serverOperations, versionOperation } from "./discovery-operations.js";
import { META, type OperationFacts, type PathFacts, pathsOf } from "./operation.js";
import type { ParameterFacts } from "./parameters.js";
import { resourceOperations } from "./resource-operations.js";
import { describeDefinitions, v2Dialect, type JsonSchema } from "./schemas.js";
import { type MergedDocument, mergeOpenApiV2 } from "./merge-v2.js";
import { encodeOpenApiV2 } from "./v2-protobuf.js";

/** The parts of an OpenAPI 2 document that ours has; all group versions in one. */
export interface OpenApiV2Document {
  readonly swagger: "2.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, JsonSchema>>;
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  readonly securityDefinitions: Readonly<Record<string, JsonSchema>>;
  readonly security: readonly JsonSchema[];
}

/** GET /openapi/v2 as JSON, with the documents of other servers. Made anew each time. */
export function openApiV2Json(api: ServedApi, others: readonly MergedDocument[] = []): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(merged(api, others)));
}

/** GET /openapi/v2 as `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`. Made anew each time. */
export function openApiV2Protobuf(api: ServedApi, others: readonly MergedDocument[] = []): Uint8Array {
  return encodeOpenApiV2(merged(api, others));
}

const merged = (api: ServedApi, others: readonly MergedDocument[]): OpenApiV2Document =>
  others.length === 0 ? buildDocument(api) : mergeOpenApiV2(buildDocument(api), others);

function buildDocument(api: ServedApi): OpenApiV2Document {
  const operations = [
    ...Object.values(serverOperations).flat(),
    ...api.groups.filter(({ name }) => name !== "").map(({ name }) => groupOperation(name)),
    ...groupVersionsOf(api).flatMap((groupVersion) => [
      versionOperation(groupVersion),
      ...resourceOperations(api, groupVersion),
    ]),
  ];
  const names = new Set([`${META}.WatchEvent`]);
  for (const { body, answer } of operations) {
    if (body !== undefined) names.add(body.definition);
    if (answer !== "") names.add(answer);
  }
  return {
    swagger: "2.0",
    info: api.title ?? api.release.title,
    paths: Object.fromEntries(pathsOf(operations).map((one) => [one.path, describePath(one)])),
    definitions: describeDefinitions(names, v2Dialect, api),
    securityDefinitions: {
      BearerToken: { type: "apiKey", name: "authorization", in: "header", description: BEARER_TOKEN },
    },
    security: [{ BearerToken: [] }],
  };
}

const BEARER_TOKEN = "The word Bearer and a token.";

const describePath = ({ shared, operations }: PathFacts): JsonSchema => ({
  ...Object.fromEntries(operations.map((one) => [one.method, describeOperation(one)])),
  ...(shared.length > 0 && { parameters: shared.map(describeParameter) }),
});

function describeOperation(operation: OperationFacts): JsonSchema {
  const { body, answer, codes, consumes, produces, parameters, resource } = operation;
  const schema = answer === "" ? { type: "string" } : { $ref: `#/definitions/${answer}` };
  const bodies =
    body === undefined
      ? []
      : [
          {
            name: "body",
            in: "body",
            ...(body.required && { required: true }),
            schema: { $ref: `#/definitions/${body.definition}` },
          },
        ];
  const given = [...bodies, ...parameters.map(describeParameter)];
  return {
    description: operation.description,
    ...(consumes.length > 0 && { consumes }),
    produces,
    schemes: ["https"],
    tags: [operation.tag],
    operationId: operation.operationId,
    ...(given.length > 0 && { parameters: given }),
    responses: {
      ...Object.fromEntries(codes.map((code) => [code, { description: "OK", schema }])),
      "401": { description: "Unauthorized" },
    },
    ...(resource && {
      "x-kubernetes-action": resource.action,
      "x-kubernetes-group-version-kind": resource.kind,
    }),
  };
}

function describeParameter({ name, in: place, type, description }: ParameterFacts): JsonSchema {
  return {
    name,
    in: place,
    type,
    uniqueItems: true,
    ...(description !== "" && { description }),
    ...(place === "path" && { required: true }),
  };
}
