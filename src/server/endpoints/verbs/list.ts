import { encodeString } from "../../../machinery/codec/json-encoder.js";
import type { Lister } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { ListOfObjects } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import { listOptions, type ListRequestOptions, predicateOf } from "../options/list-options.js";
import { respondParts } from "../representation/body-writer.js";
import { NEWLINE } from "../representation/json-text.js";
import { partialMetadata, tableBytes, tableRow } from "../representation/shapes.js";
import { itemStart } from "../representation/splice.js";
import type { ServedResource } from "../served-resource.js";
import { respondJson } from "./answer.js";
import { fieldLabelsOf, includeObject, objectFormat, scopeOf } from "./scope.js";

/** GET of a collection. */
export async function handleList(request: ApiRequest, resource: ServedResource, storage: Lister): Promise<void> {
  const format = objectFormat(request.exchange);
  const include = includeObject(request.exchange.query);
  const options = listOptions(request, fieldLabelsOf(resource));
  const list = await storage.list(scopeOf(request), storeOptions(options));
  if (format.shape === "Table") {
    const rows = list.items.map((item) => tableRow(resource, item, format, include));
    const bytes = tableBytes(format, listMetadata(list), resource.strategy.columns.definitions, rows);
    await respondJson(request, format, 200, bytes);
    return;
  }
  await respondList(request, resource, format, list);
}

/** A list as its kind, or as PartialObjectMetadataList. */
export async function respondList(
  request: ApiRequest,
  resource: ServedResource,
  format: ResponseFormat,
  list: ListOfObjects,
): Promise<void> {
  const parts = format.shape === "object" ? kindParts(resource, list) : metadataParts(format, list);
  if (format.mediaType !== "application/json" || format.pretty) {
    await respondJson(request, format, 200, Buffer.concat(parts));
    return;
  }
  parts.push(NEWLINE);
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  await respondParts(request, { "content-type": format.mediaType }, total, parts);
}

export function storeOptions(options: ListRequestOptions) {
  return {
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch === "" ? undefined : options.resourceVersionMatch,
    limit: options.limit,
    continue: options.continue,
    predicate: predicateOf(options),
  };
}

export function listMetadata(list: ListOfObjects): object {
  return {
    resourceVersion: list.resourceVersion,
    ...(list.continue !== undefined && { continue: list.continue }),
    ...(list.remainingItemCount !== undefined && { remainingItemCount: list.remainingItemCount }),
  };
}

const COMMA = Buffer.from(",");
const OPEN = Buffer.from("{");
const CLOSE = Buffer.from("]}");

/** The list's own fields, then each item's stored bytes without kind and apiVersion. */
function kindParts(resource: ServedResource, list: ListOfObjects): Uint8Array[] {
  const { codec } = resource;
  const parts: Uint8Array[] = [head(`${codec.gvk.kind}List`, codec.apiVersion, list)];
  for (const [index, item] of list.items.entries()) {
    const bytes = codec.encodeStored(item);
    if (index > 0) parts.push(COMMA);
    parts.push(OPEN, bytes.subarray(itemStart(bytes)));
  }
  parts.push(CLOSE);
  return parts;
}

function metadataParts(format: ResponseFormat, list: ListOfObjects): Uint8Array[] {
  const parts: Uint8Array[] = [head("PartialObjectMetadataList", `meta.k8s.io/${format.metaVersion}`, list)];
  for (const [index, item] of list.items.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(partialMetadata(item.object(), format));
  }
  parts.push(CLOSE);
  return parts;
}

function head(kind: string, apiVersion: string, list: ListOfObjects): Uint8Array {
  const metadata = JSON.stringify(listMetadata(list));
  return Buffer.from(
    `{"kind":${encodeString(kind)},"apiVersion":${encodeString(apiVersion)},"metadata":${metadata},"items":[`,
  );
}
