import { inOrder } from "../../../base/async/turns.js";
import type { ServedApi } from "../../../api/facts/index.js";
import type { RemoteOpenApi, RemoteV2 } from "../aggregation.js";
import type { ApiRequest, Handler } from "../../request/api-request.js";
import { respondText } from "../../request/respond.js";
import { notAcceptable } from "../../../machinery/errors/status-error.js";
import { parseAccept } from "../negotiation/media-type.js";
import { jsonBytes } from "../serializers/json/json-text.js";
import { type CachedDocument, respondDocument, respondHashed, type LatestDocuments } from "./cached-document.js";

const PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** What clients of old ask for; "@" is no token of a media type, so the answer never says it. */
const OLD_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

type OpenApi = typeof import("../../../api/openapi/index.js");

const load = (): Promise<OpenApi> => inOrder(import("../../../api/openapi/index.js"));

const numbers = new WeakMap<object, number>();
let documentsSeen = 0;

/** Tells the documents of other servers apart. */
function numberOf(document: RemoteV2["document"]): number {
  const known = numbers.get(document) ?? ++documentsSeen;
  numbers.set(document, known);
  return known;
}

/** Serves /openapi/v2 and /openapi/v3. A document is made when a client first reads it, and kept in `documents`. */
export function openApiHandlers(
  api: ServedApi,
  documents: LatestDocuments,
  remote?: RemoteOpenApi,
): (path: string) => Handler | undefined {
  const served = api.aggregated?.own ?? api;
  const kept = (name: string, contentType: string, bytes: () => Uint8Array, variant?: string): CachedDocument =>
    documents.get(served, name, () => ({ contentType, bytes }), variant);

  async function respondV2(request: ApiRequest): Promise<void> {
    const { openApiV2Json, openApiV2Protobuf } = await load();
    const others = api.aggregated === undefined || remote === undefined ? [] : await remote.v2();
    const variant = others.map(({ document }) => numberOf(document)).join();
    for (const { type } of parseAccept(request.exchange.headers["accept"])) {
      if (type === PROTOBUF || type === OLD_PROTOBUF) {
        const bytes = () => openApiV2Protobuf(served, others);
        return respondDocument(request, kept("v2 protobuf", PROTOBUF, bytes, variant));
      }
      if (type === "application/json" || type === "*/*" || type === "application/*") {
        const bytes = () => openApiV2Json(served, others);
        return respondDocument(request, kept("v2 json", "application/json", bytes, variant));
      }
    }
    throw notAcceptable(`only the following media types are accepted: application/json, ${PROTOBUF}`);
  }

  async function respondIndex(request: ApiRequest): Promise<void> {
    const { openApiV3Index } = await load();
    const others = api.aggregated === undefined ? undefined : remote?.index();
    const bytes = () => {
      const { paths } = openApiV3Index(served);
      if (others === undefined) return jsonBytes({ paths });
      const all = Object.entries({ ...paths, ...others }).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return jsonBytes({ paths: Object.fromEntries(all) });
    };
    const document = kept("v3 index", "application/json", bytes);
    return respondDocument(request, document, { "cache-control": "no-cache, private" });
  }

  async function respondV3(request: ApiRequest, path: string): Promise<void> {
    const api = await load();
    if (!api.hasOpenApiV3(served, path)) return respondText(request, 404, "404 page not found\n");
    const bytes = () => api.openApiV3Document(served, path) ?? new Uint8Array();
    const document = kept(path, "application/json", bytes);
    return respondHashed(request, path, {
      get hash() {
        return api.openApiV3Hash(served, path);
      },
      document,
    });
  }

  return (path) => {
    if (path === "/openapi/v2") return respondV2;
    if (path === "/openapi/v3" || path === "/openapi/v3/") return respondIndex;
    const below = /^\/openapi\/v3\/(.+)$/.exec(path)?.[1];
    if (below === undefined) return undefined;
    return remote?.handlerOf(below) ?? ((request) => respondV3(request, below));
  };
}
