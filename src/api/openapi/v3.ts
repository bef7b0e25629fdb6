import { createHash } from "node:crypto";
import { facts } from "../facts/data.js";
import { resources } from "../facts/resources.js";
import { groupVersionsOf, type ServedApi } from "../facts/served-api.js";
import { META, operationsOf, type OperationFacts } from "./operations.js";
import type { ParameterFacts } from "./parameters.js";
import { describeDefinitions, v3Dialect, type JsonSchema } from "./schemas.js";

/** Raise it when the documents change although the facts do not: clients keep them by hash. */
const FORMAT = 1;

export interface OpenApiV3IndexDocument {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** GET /openapi/v3: where the document of each group version is, with a hash that changes when the document does. */
export function openApiV3Index(api: ServedApi): OpenApiV3IndexDocument {
  const paths = groupVersionsOf(api).map((groupVersion) => {
    const path = openApiV3Path(groupVersion);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${openApiV3Hash(api, groupVersion)}` }] as const;
  });
  return { paths: Object.fromEntries(paths.toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The hash and ETag (unquoted) of a group version's document. */
export function openApiV3Hash(api: ServedApi, groupVersion: string): string {
  if (isAsPublished(api, groupVersion)) return publishedHash(groupVersion);
  return createHash("sha512")
    .update(JSON.stringify(buildDocument(api, groupVersion)))
    .digest("hex")
    .toUpperCase();
}

/** Whether the group version has exactly what the facts have: its document need not be made to know whether it changed. */
function isAsPublished(api: ServedApi, groupVersion: string): boolean {
  const published = resources().filter((one) => one.groupVersion === groupVersion);
  const served = api.resources.filter((one) => one.groupVersion === groupVersion);
  return served.length === published.length && served.every((one) => published.includes(one));
}

function publishedHash(groupVersion: string): string {
  let hash = FORMAT;
  for (let index = 0; index < groupVersion.length; index += 1) {
    hash = (Math.imul(hash, 31) + groupVersion.charCodeAt(index)) >>> 0;
  }
  return `${hash.toString(16).toUpperCase().padStart(8, "0")}${facts.digest.slice(8)}`;
}

/**
 * GET /openapi/v3/api/v1 and /openapi/v3/apis/<group>/<version>: the JSON of a served group version, given as "apps/v1"
 * or as the path of the index ("apis/apps/v1"). Made anew each time; the same bytes.
 */
export function openApiV3Document(api: ServedApi, groupVersionOrPath: string): Uint8Array | undefined {
  const groupVersion = groupVersionOrPath.replace(/^apis?\//, "");
  if (!groupVersionsOf(api).includes(groupVersion)) return undefined;
  return new TextEncoder().encode(JSON.stringify(buildDocument(api, groupVersion)));
}

/** "apis/apps/v1" of "apps/v1": where the index has a group version's document. */
export const openApiV3Path = (groupVersion: string): string =>
  `${groupVersion.includes("/") ? "apis" : "api"}/${groupVersion}`;

function buildDocument(api: ServedApi, groupVersion: string): JsonSchema {
  const operations = operationsOf(api, groupVersion);
  const names = new Set([`${META}.WatchEvent`, `${META}.APIResourceList`]);
  for (const { body, answer } of operations) {
    if (body !== undefined) names.add(body);
    if (answer !== undefined) names.add(answer);
  }
  const paths: Record<string, JsonSchema> = {};
  for (const one of operations) {
    const item = (paths[one.path] ??= { parameters: one.pathParameters.map(describeParameter) });
    item[one.method] = describeOperation(one);
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.36.0" },
    paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: describeDefinitions(names, v3Dialect, api.types),
      securitySchemes: { BearerToken: { type: "apiKey", in: "header", name: "authorization" } },
    },
  };
}

const PATCH_TYPES = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

const CUSTOM_PATCH_TYPES = PATCH_TYPES.filter((type) => type !== "application/strategic-merge-patch+json");

function describeOperation(operation: OperationFacts): JsonSchema {
  const { action, body, answer, kind, isCustom = false } = operation;
  const patchTypes = isCustom ? CUSTOM_PATCH_TYPES : PATCH_TYPES;
  const content = (types: readonly string[], definition: string): JsonSchema =>
    Object.fromEntries(types.map((type) => [type, { schema: { $ref: `#/components/schemas/${definition}` } }]));
  const codes =
    action === "post" ? ["200", "201", "202"] : action === "put" || action === "patch" ? ["200", "201"] : ["200"];
  const answers =
    answer === undefined
      ? { "*/*": { schema: { type: "string" } } }
      : content(["application/json", "application/yaml"], answer);
  return {
    tags: [operation.tag],
    operationId: operation.operationId,
    parameters: operation.queryParameters.map(describeParameter),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            content: content(action === "patch" ? patchTypes : ["*/*"], body),
            ...(action === "delete" || action === "deletecollection" ? {} : { required: true }),
          },
        }),
    responses: {
      ...Object.fromEntries(codes.map((code) => [code, { description: DESCRIPTIONS[code], content: answers }])),
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
  };
}

const DESCRIPTIONS: Readonly<Record<string, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

function describeParameter({ name, in: place, type }: ParameterFacts): JsonSchema {
  return { name, in: place, ...(place === "path" ? { required: true } : {}), schema: { type, uniqueItems: true } };
}
