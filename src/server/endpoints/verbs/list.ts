import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { Lister } from "../../registry/resource.js";
import type { RequestScope } from "../../registry/scope.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { ListOfObjects, StoredObject } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import { fieldLabelsOf } from "../options/field-labels.js";
import { listOptions, type ListRequestOptions, predicateOf } from "../options/list-options.js";
import { respondParts } from "../representation/body-writer.js";
import { itemChunks } from "../representation/item-chunks.js";
import { type ListBody, listParts } from "../representation/list-body.js";
import { rowParts, storedMetadata, tableEnvelope, tableRow } from "../representation/shapes.js";
import { itemStart } from "../representation/splice.js";
import type { ServedResource } from "../served-resource.js";
import { includeObject, objectFormat, scopeOf } from "./scope.js";

/** GET of a collection. */
export async function handleList(request: ApiRequest, resource: ServedResource, storage: Lister): Promise<void> {
  const format = objectFormat(request.exchange);
  const include = includeObject(request.exchange.query, format);
  const options = listOptions(request, fieldLabelsOf(resource));
  const list = await storage.list(listScope(request, resource, options), storeOptions(options));
  if (format.shape === "Table") {
    const { definitions } = resource.strategy.columns;
    const rows = membersOf(list, (item) => rowParts(tableRow(resource, item, format, include)));
    const body: ListBody = {
      envelope: tableEnvelope(format, listMetadata(list), definitions),
      field: "rows",
      members: rows,
    };
    await respondListBody(request, format, body);
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
  const metadata = listMetadata(list);
  const { codec } = resource;
  const { kind, listKind = `${kind}List` } = resource.facts;
  const envelope = { kind: listKind, apiVersion: codec.apiVersion, metadata };
  if (format.shape === "object" && format.mediaType === "application/json" && !format.pretty) {
    await respondParts(request, { "content-type": format.mediaType }, itemChunks(codec, envelope, list.items));
    return;
  }
  const body: ListBody =
    format.shape === "object"
      ? { envelope, field: "items", members: membersOf(list, (item) => itemParts(resource, item)) }
      : {
          envelope: {
            kind: "PartialObjectMetadataList",
            apiVersion: `meta.k8s.io/${format.metaVersion}`,
            metadata,
          },
          field: "items",
          members: membersOf(list, (item) => [storedMetadata(item, format)]),
        };
  await respondListBody(request, format, body);
}

async function respondListBody(request: ApiRequest, format: ResponseFormat, body: ListBody): Promise<void> {
  await respondParts(request, { "content-type": format.mediaType }, await listParts(body, format));
}

/** The namespace of the request, or the one that its field selector asks for. */
function listScope(request: ApiRequest, { facts }: ServedResource, { fields }: ListRequestOptions): RequestScope {
  const scope = scopeOf(request);
  const selected = fields.requiredValue("metadata.namespace") ?? "";
  const narrower = facts.namespaced && scope.namespace === "" && dns1123LabelErrors(selected).length === 0;
  return narrower ? { ...scope, namespace: selected } : scope;
}

export function storeOptions(options: ListRequestOptions) {
  return {
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch === "" ? undefined : options.resourceVersionMatch,
    limit: options.limit,
    continue: options.continue,
    // A token is a place in the whole list.
    name: options.continue === "" ? options.fields.requiredValue("metadata.name") : undefined,
    predicate: predicateOf(options),
  };
}

function listMetadata(list: ListOfObjects): object {
  return {
    resourceVersion: list.resourceVersion,
    ...(list.continue !== undefined && { continue: list.continue }),
    ...(list.remainingItemCount !== undefined && { remainingItemCount: list.remainingItemCount }),
  };
}

function* membersOf(
  list: ListOfObjects,
  make: (item: StoredObject) => readonly Uint8Array[],
): Generator<readonly Uint8Array[]> {
  for (const item of list.items) yield make(item);
}

const OPEN = Buffer.from("{");

/** The stored bytes without kind and apiVersion. */
function itemParts({ codec }: ServedResource, item: StoredObject): readonly Uint8Array[] {
  const bytes = codec.encodeStored(item);
  return [OPEN, bytes.subarray(itemStart(bytes))];
}
