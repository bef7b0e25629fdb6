import type { ApiRequest, Handler } from "../../request/api-request.js";
import { respondBytes, respondText } from "../../request/respond.js";
import { notAcceptable } from "../../../machinery/errors/status-error.js";
import { parseAccept } from "../negotiation/media-type.js";
import { jsonBytes } from "../representation/json-text.js";
import { type CachedDocument, respondDocument } from "./cached-document.js";

const PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** What clients of old ask for; "@" is no token of a media type, so the answer never says it. */
const OLD_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const YEAR_SECONDS = 31_536_000;

type OpenApi = typeof import("../../../api/openapi/index.js");

let v2Json: CachedDocument | undefined;
let v2Protobuf: CachedDocument | undefined;
let v3Index: CachedDocument | undefined;
const v3Documents = new Map<string, CachedDocument>();

/** /openapi/v2 and /openapi/v3. The documents are made when somebody first reads one. */
export function openApiHandler(path: string): Handler | undefined {
  if (path === "/openapi/v2") return respondV2;
  if (path === "/openapi/v3" || path === "/openapi/v3/") return respondIndex;
  const below = /^\/openapi\/v3\/(apis?(?:\/[^/]+){1,2})$/.exec(path)?.[1];
  return below === undefined ? undefined : (request) => respondV3(request, below);
}

const load = (): Promise<OpenApi> => import("../../../api/openapi/index.js");

async function respondV2(request: ApiRequest): Promise<void> {
  const api = await load();
  for (const { type } of parseAccept(request.exchange.headers["accept"])) {
    if (type === PROTOBUF || type === OLD_PROTOBUF) {
      v2Protobuf ??= { contentType: PROTOBUF, bytes: api.openApiV2Protobuf };
      return respondDocument(request, v2Protobuf);
    }
    if (type === "application/json" || type === "*/*" || type === "application/*") {
      v2Json ??= { contentType: "application/json", bytes: api.openApiV2Json };
      return respondDocument(request, v2Json);
    }
  }
  throw notAcceptable(`only the following media types are accepted: application/json, ${PROTOBUF}`);
}

async function respondIndex(request: ApiRequest): Promise<void> {
  const api = await load();
  v3Index ??= { contentType: "application/json", bytes: () => jsonBytes(api.openApiV3Index()) };
  return respondDocument(request, v3Index, { "cache-control": "no-cache, private" });
}

/** With the current hash a client may keep the answer for ever; with another one it is sent to the current. */
async function respondV3(request: ApiRequest, path: string): Promise<void> {
  const api = await load();
  const groupVersion = path.replace(/^apis?\//, "");
  const current = api.openApiV3Index().paths[path];
  const hash = request.exchange.query.get("hash");
  if (current !== undefined && hash !== null && hash !== "" && hash !== api.openApiV3Hash(groupVersion)) {
    return respondBytes(request, 301, { location: current.serverRelativeURL }, new Uint8Array());
  }
  const bytes = current === undefined ? undefined : api.openApiV3Document(groupVersion);
  if (bytes === undefined) {
    return respondText(request, 404, "404 page not found\n");
  }
  let document = v3Documents.get(groupVersion);
  if (document === undefined) {
    document = { contentType: "application/json", bytes: () => bytes };
    v3Documents.set(groupVersion, document);
  }
  const immutable = {
    "cache-control": "public, immutable",
    expires: new Date(request.received + YEAR_SECONDS * 1000).toUTCString(),
  };
  return respondDocument(request, document, hash === null || hash === "" ? {} : immutable);
}
