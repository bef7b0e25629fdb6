import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import { DISCOVERY_TIMEOUT } from "../discovery/live-discovery.js";
import type { RestClient } from "../rest/rest-client.js";
import type { OpenApiDocuments } from "./openapi.js";

/** Fetches the OpenAPI documents of a server, each once. kubectl's HTTP cache on disk may answer. */
export function openApiDocuments(client: RestClient): OpenApiDocuments {
  let index: Promise<ReadonlyMap<string, string>> | undefined;
  const documents = new Map<string, Promise<JsonObject>>();
  return {
    paths: () => (index ??= fetchIndex(client)),
    document: (url) => {
      const document = documents.get(url) ?? fetchDocument(client, url);
      documents.set(url, document);
      return document;
    },
  };
}

/** Fetches the OpenAPI v2 document of all groups, as the protobuf message that kubectl requests. */
export async function fetchOpenApiV2(client: RestClient): Promise<Uint8Array> {
  const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  const answer = await client.request({
    method: "GET",
    path: "/openapi/v2",
    accept,
    httpCache: true,
    ...DISCOVERY_TIMEOUT,
  });
  return answer.body;
}

async function fetchIndex(client: RestClient): Promise<ReadonlyMap<string, string>> {
  const answer = await client.request({ method: "GET", path: "/openapi/v3", httpCache: true, ...DISCOVERY_TIMEOUT });
  const paths = answer.json()["paths"];
  const urls = new Map<string, string>();
  for (const [path, item] of isJsonObject(paths) ? Object.entries(paths) : []) {
    const url = isJsonObject(item) ? item["serverRelativeURL"] : undefined;
    if (typeof url === "string") urls.set(path, url);
  }
  return urls;
}

async function fetchDocument(client: RestClient, url: string): Promise<JsonObject> {
  const prefix = new URL(client.server).pathname.replace(/\/$/, "");
  const relative = new URL(url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url, "http://server");
  const query: Record<string, string | string[]> = { ...DISCOVERY_TIMEOUT.query };
  for (const key of relative.searchParams.keys()) query[key] = relative.searchParams.getAll(key);
  const answer = await client.request({
    method: "GET",
    path: relative.pathname,
    query,
    accept: "application/json",
    timeout: DISCOVERY_TIMEOUT.timeout,
    httpCache: true,
  });
  return answer.json();
}
