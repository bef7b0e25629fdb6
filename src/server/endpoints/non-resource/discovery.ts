import { withoutTrailing } from "../../../base/text/without-trailing.js";
import type { ServedApi } from "../../../api/facts/index.js";
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from "../../../api/discovery/index.js";
import { notAcceptable } from "../../../machinery/errors/status-error.js";
import type { Handler } from "../../request/api-request.js";
import { parseAccept } from "../negotiation/media-type.js";
import { MEDIA_TYPES, negotiatePlain } from "../negotiation/response-format.js";
import { jsonBytes, NEWLINE } from "../serializers/json/json-text.js";
import { respondValue } from "../verbs/answer.js";
import { type CachedDocument, respondDocument } from "./cached-document.js";
import type { ApiRequest } from "../../request/api-request.js";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const LEGACY: readonly string[] = [...MEDIA_TYPES, "application/*", "*/*"];

/** Serves /api, /apis and the paths below them down to a group version; undefined for other paths. */
export function discoveryHandlers(api: ServedApi, serverAddress: () => string): (path: string) => Handler | undefined {
  const core = document(() => aggregatedDiscovery(api, "api"));
  const groups = document(() => aggregatedDiscovery(api, "apis"));
  return (path) => {
    const parts = withoutTrailing(path, "/").split("/").slice(1);
    if (parts[0] !== "api" && parts[0] !== "apis") return undefined;
    const root = parts[0];
    if (parts.length === 1) {
      const legacy = () => (root === "api" ? apiVersions(api, serverAddress()) : apiGroupList(api));
      return (request) => respondRoot(request, root === "api" ? core : groups, legacy);
    }
    const found = root === "api" ? coreVersion(api, parts) : groupOrVersion(api, parts);
    return found === undefined ? undefined : (request) => respondPlain(request, found);
  };
}

const coreVersion = (api: ServedApi, parts: readonly string[]): object | undefined =>
  parts.length === 2 ? apiResourceList(api, parts[1] ?? "") : undefined;

function groupOrVersion(api: ServedApi, parts: readonly string[]): object | undefined {
  const [, group = "", version] = parts;
  if (parts.length === 2) return apiGroup(api, group);
  return parts.length === 3 ? apiResourceList(api, `${group}/${version}`) : undefined;
}

function document(make: () => object): CachedDocument {
  return { contentType: AGGREGATED, bytes: () => Buffer.concat([jsonBytes(make()), NEWLINE]) };
}

async function respondRoot(request: ApiRequest, aggregated: CachedDocument, legacy: () => object): Promise<void> {
  for (const { type, parameters } of parseAccept(request.exchange.headers["accept"])) {
    const as = parameters.get("as");
    if (as === "APIGroupDiscoveryList" && type === "application/json") {
      if (parameters.get("g") !== "apidiscovery.k8s.io" || parameters.get("v") !== "v2") continue;
      await respondDocument(request, aggregated);
      return;
    }
    if (as !== undefined) continue;
    if (LEGACY.includes(type)) {
      await respondPlain(request, legacy());
      return;
    }
  }
  throw notAcceptable(`only the following media types are accepted: ${MEDIA_TYPES.join(", ")}`);
}

async function respondPlain(request: ApiRequest, value: object): Promise<void> {
  const format = negotiatePlain(request.exchange);
  await respondValue(request, format, 200, value);
}
