import { dictionary } from "../../base/collections/dictionary.js";
import { createHash } from "node:crypto";
import { descriptionsDigest } from "../descriptions/index.js";
import type { Release } from "../facts/release.js";
import { groupVersionsOf, type ServedApi } from "../facts/resources.js";
import { groupOperation, serverOperations, versionOperation } from "./discovery-operations.js";
import { META, type OperationFacts, type PathFacts, pathsOf } from "./operation.js";
import type { ParameterFacts } from "./parameters.js";
import { resourceOperations } from "./resource-operations.js";
import { describeDefinitions, v3Dialect, type JsonSchema } from "./schemas.js";

/** Raise it when the documents change although neither the facts nor the descriptions do: clients keep them by hash. */
const FORMAT = 3;

export interface OpenApiV3IndexDocument {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** GET /openapi/v3: the path of each document, with a hash that changes when the document does. */
export function openApiV3Index(api: ServedApi): OpenApiV3IndexDocument {
  const paths = documentPaths(api).map((path) => {
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${openApiV3Hash(api, path)}` }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

/** The documents that there are: of the server's own paths, of groups and of their versions; sorted. */
function documentPaths(api: ServedApi): readonly string[] {
  const groups = api.groups.filter(({ name }) => name !== "").map(({ name }) => `apis/${name}`);
  return [...Object.keys(serverOperations), ...groups, ...groupVersionsOf(api).map(openApiV3Path)].toSorted();
}

/** The hash and ETag (unquoted) of the document at a path of the index. */
export function openApiV3Hash(api: ServedApi, path: string): string {
  if (isAsPublished(api, path)) return publishedHash(api.release, path);
  return createHash("sha512")
    .update(JSON.stringify(buildDocument(api, path)))
    .digest("hex")
    .toUpperCase();
}

/** Whether the document has exactly what the facts have: it need not be made to know whether it changed. */
function isAsPublished(api: ServedApi, path: string): boolean {
  if (api.title !== undefined) return false;
  const groupVersion = groupVersionAt(api, path);
  if (groupVersion === undefined) return true;
  const published = api.release.resources().filter((one) => one.groupVersion === groupVersion);
  const served = api.resources.filter((one) => one.groupVersion === groupVersion);
  return served.length === published.length && served.every((one) => published.includes(one));
}

/** The group version whose document is at a path of the index. */
const groupVersionAt = (api: ServedApi, path: string): string | undefined =>
  groupVersionsOf(api).find((groupVersion) => openApiV3Path(groupVersion) === path);

/** Of all that the document is made of, so that the index needs no document. */
const publishedHash = ({ facts }: Release, path: string): string =>
  createHash("sha512").update(`${FORMAT} ${path} ${facts.digest} ${descriptionsDigest()}`).digest("hex").toUpperCase();

/** Whether the index has a document at a path. */
export const hasOpenApiV3 = (api: ServedApi, path: string): boolean => documentPaths(api).includes(path);

/** The JSON of the document at a path of the index ("apis/apps/v1", "apis/apps", "version"). Made anew each time; the same bytes. */
export function openApiV3Document(api: ServedApi, path: string): Uint8Array | undefined {
  if (!hasOpenApiV3(api, path)) return undefined;
  return new TextEncoder().encode(JSON.stringify(buildDocument(api, path)));
}

/** The path of a group version's document in the index: "apis/apps/v1" for "apps/v1". */
export const openApiV3Path = (groupVersion: string): string =>
  `${groupVersion.includes("/") ? "apis" : "api"}/${groupVersion}`;

function operationsAt(api: ServedApi, path: string): readonly OperationFacts[] {
  const own = serverOperations[path];
  if (own !== undefined) return own;
  const groupVersion = groupVersionAt(api, path);
  if (groupVersion === undefined) return [groupOperation(path.replace(/^apis\//, ""))];
  return [versionOperation(groupVersion), ...resourceOperations(api, groupVersion)];
}

function buildDocument(api: ServedApi, path: string): JsonSchema {
  const operations = operationsAt(api, path);
  const names = new Set<string>(groupVersionAt(api, path) === undefined ? [] : [`${META}.WatchEvent`]);
  for (const { body, answer } of operations) {
    if (body !== undefined) names.add(body.definition);
    if (answer !== "") names.add(answer);
  }
  return {
    openapi: "3.0.0",
    info: api.title ?? api.release.title,
    paths: Object.fromEntries(pathsOf(operations).map((one) => [one.path, describePath(one)])),
    components: {
      schemas: describeDefinitions(names, v3Dialect, api),
      securitySchemes: {
        BearerToken: {
          type: "apiKey",
          in: "header",
          name: "authorization",
          description: "The word Bearer and a token.",
        },
      },
    },
  };
}

const describePath = ({ shared, operations }: PathFacts): JsonSchema => ({
  ...Object.fromEntries(operations.map((one) => [one.method, describeOperation(one)])),
  ...(shared.length > 0 && { parameters: shared.map(describeParameter) }),
});

function describeOperation(operation: OperationFacts): JsonSchema {
  const { body, answer, codes, consumes, produces, parameters, resource } = operation;
  const contentOf = (types: readonly string[], definition: string): JsonSchema => {
    const schema = definition === "" ? { type: "string" } : { $ref: `#/components/schemas/${definition}` };
    return Object.fromEntries(types.toSorted().map((type) => [type, { schema }]));
  };
  return {
    description: operation.description,
    tags: [operation.tag],
    operationId: operation.operationId,
    ...(parameters.length > 0 && { parameters: parameters.map(describeParameter) }),
    ...(body && {
      requestBody: { content: contentOf(consumes, body.definition), ...(body.required && { required: true }) },
    }),
    responses: {
      ...Object.fromEntries(
        codes.map((code) => [code, { description: DESCRIPTIONS[code], content: contentOf(produces, answer) }]),
      ),
      "401": { description: "Unauthorized" },
    },
    ...(resource && {
      "x-kubernetes-action": resource.action,
      "x-kubernetes-group-version-kind": resource.kind,
    }),
  };
}

const DESCRIPTIONS: Readonly<Record<string, string>> = dictionary({
  200: "OK",
  201: "Created",
  202: "Accepted",
});

function describeParameter({ name, in: place, type, description }: ParameterFacts): JsonSchema {
  return {
    name,
    in: place,
    ...(description !== "" && { description }),
    ...(place === "path" && { required: true }),
    schema: { type, uniqueItems: true },
  };
}
