import { aggregatedDiscovery } from "../../api/discovery/index.js";
import { builtInApi } from "../../api/facts/index.js";
import { openApiV2Protobuf, openApiV3Document, openApiV3Index } from "../../api/openapi/index.js";
import { readAggregated } from "../../client/discovery/aggregated.js";
import { createRestMapper } from "../../client/mapper/discovery-mapper.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { ExplainSource } from "./explain.js";

/** Explains the API of the pinned version, all its stable, beta and alpha kinds, without a server. */
export function offlineSource(): ExplainSource {
  const api = builtInApi({ "api/all": true });
  const read = (root: "api" | "apis") => readAggregated(aggregatedDiscovery(api, root));
  const [core, named] = [read("api"), read("apis")];
  const groupsAndLists = () =>
    Promise.resolve({
      groups: [...core.groups, ...named.groups],
      lists: new Map([...core.resources, ...named.resources]),
      failed: new Map<string, Error>(),
    });
  return {
    mapper: createRestMapper({ groupsAndLists, warn: () => {}, fresh: () => true, invalidate: () => {} }),
    documents: () =>
      Promise.resolve({
        paths: () => Promise.resolve(new Map(Object.keys(openApiV3Index(api).paths).map((path) => [path, path]))),
        document: (path) =>
          Promise.resolve(JSON.parse(new TextDecoder().decode(openApiV3Document(api, path))) as JsonObject),
      }),
    legacyDocument: () => Promise.resolve(openApiV2Protobuf(api)),
  };
}
