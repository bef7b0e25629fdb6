import { isNotFound } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { RestClient, RestRequest } from "../rest/rest-client.js";
import { type AggregatedContent, isAggregated, readAggregated } from "./aggregated.js";
import type { ServerVersion } from "./discovery.js";
import { readGroups, readResourceList, texts, type WireGroup, type WireResourceList } from "./wire.js";

/** As client-go 0.37, which no longer asks for v2beta1: a server without v2 answers in the older form. */
const ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** The default time limit of a discovery request, which is also sent to the server. */
export const DISCOVERY_TIMEOUT = { query: { timeout: "32s" }, timeout: 32_000 } as const;

/** The group list, with the resource lists if the server included them. */
export interface LiveGroups {
  readonly groups: readonly WireGroup[];
  readonly resources: ReadonlyMap<string, WireResourceList> | undefined;
  readonly failed: ReadonlyMap<string, Error>;
  /** As {@link AggregatedContent.stale}. */
  readonly stale: ReadonlyMap<string, WireResourceList>;
}

/** A time limit, the query that sends it to the server, and whether the HTTP cache may answer. */
type How = Pick<RestRequest, "query" | "timeout" | "httpCache">;

const OF_DISCOVERY: How = { httpCache: true, ...DISCOVERY_TIMEOUT };

/**
 * Requests /api, then /apis. An aggregated server returns everything in these two answers, an older one only the groups.
 * Where kubectl uses its generic REST client, `how` is {}: without a time limit and without the HTTP cache.
 */
export async function fetchGroups(client: RestClient, how: How = OF_DISCOVERY): Promise<LiveGroups> {
  const core = await fetchCore(client, how);
  const named = await fetchDocument(client, "/apis", (list) => readGroups(list), how);
  const resources = core.resources && named.resources && new Map([...core.resources, ...named.resources]);
  return {
    groups: [...core.groups, ...named.groups],
    resources,
    failed: new Map([...core.failed, ...named.failed]),
    stale: new Map([...core.stale, ...named.stale]),
  };
}

async function fetchCore(client: RestClient, how: How): Promise<LiveGroups> {
  try {
    return await fetchDocument(client, "/api", (list) => [coreGroup(texts(list["versions"]))], how);
  } catch (error) {
    // An extension server may have no core group.
    if (isNotFound(error)) return { groups: [], resources: new Map(), failed: new Map(), stale: new Map() };
    throw error;
  }
}

async function fetchDocument(
  client: RestClient,
  path: string,
  older: (list: JsonObject) => readonly WireGroup[],
  how: How,
): Promise<LiveGroups> {
  const answer = await client.request({ method: "GET", path, accept: ACCEPT, ...how });
  const { "content-type": contentType } = answer.headers;
  const document = answer.json();
  if (typeof contentType === "string" && isAggregated(contentType)) {
    const content: AggregatedContent = readAggregated(document);
    return content;
  }
  return { groups: older(document), resources: undefined, failed: new Map(), stale: new Map() };
}

function coreGroup(versions: readonly string[]): WireGroup {
  const all = versions.map((version) => ({ groupVersion: version, version }));
  return { name: "", versions: all, preferredVersion: all[0] ?? { groupVersion: "", version: "" } };
}

/**
 * Requests the resource list of one group-version. A server without core v1 has no resources in it. Where kubectl uses its
 * generic REST client, `how` is {}: without a time limit and without the HTTP cache.
 */
export async function fetchResourceList(
  client: RestClient,
  groupVersion: string,
  how: How = OF_DISCOVERY,
): Promise<WireResourceList> {
  const path = groupVersion === "v1" ? "/api/v1" : `/apis/${groupVersion}`;
  try {
    const answer = await client.request({ method: "GET", path, ...how });
    return readResourceList(answer.json(), groupVersion);
  } catch (error) {
    if (groupVersion === "v1" && isNotFound(error)) return { groupVersion, resources: [] };
    throw error;
  }
}

export async function fetchServerVersion(client: RestClient): Promise<ServerVersion> {
  const answer = await client.request({ method: "GET", path: "/version", httpCache: true, ...DISCOVERY_TIMEOUT });
  const info = answer.json();
  const field = (name: string) => (typeof info[name] === "string" ? info[name] : "");
  const more = Object.entries(info).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return {
    ...Object.fromEntries(more),
    major: field("major"),
    minor: field("minor"),
    gitVersion: field("gitVersion"),
    gitCommit: field("gitCommit"),
    gitTreeState: field("gitTreeState"),
    buildDate: field("buildDate"),
    goVersion: field("goVersion"),
    compiler: field("compiler"),
    platform: field("platform"),
  };
}
