import type { ApiRequest } from "../../request/api-request.js";
import type { StoredObject } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import { respondBody } from "../representation/body-writer.js";
import { renderJson } from "../representation/json-text.js";
import { shaper } from "../representation/shapes.js";
import type { ServedResource } from "../served-resource.js";
import { includeObject } from "./scope.js";

/** Answers one object in the shape that was asked for. */
export function respondObject(
  request: ApiRequest,
  resource: ServedResource,
  format: ResponseFormat,
  status: number,
  stored: StoredObject,
): Promise<void> {
  const include = includeObject(request.exchange.query, format);
  if (format.shape === "object" && format.mediaType === "application/json" && !format.pretty) {
    const line = resource.codec.encodeStoredLine(stored);
    return respondBody(request, status, { "content-type": format.mediaType }, line);
  }
  const bytes = shaper(resource, format, include).one(stored);
  return respondJson(request, format, status, bytes);
}

/** Answers JSON bytes that are already made. */
export async function respondJson(
  request: ApiRequest,
  format: ResponseFormat,
  status: number,
  json: Uint8Array,
): Promise<void> {
  await respondBody(request, status, { "content-type": format.mediaType }, await renderJson(json, format));
}
