import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { RestRequest } from "../rest/rest-client.js";
import { PATCH_MEDIA_TYPES, type PatchType } from "./patches.js";
import { resourcePath } from "./resource-path.js";

/*
 * The requests of objects: the path, query and body of each verb. They are kubectl's, byte for byte, for the bodies that a
 * caller encodes as kubectl does. In all parameters undefined, "", 0 and false are not sent.
 */

/** The target of a request: the object `name` or its subresource; without a name, the collection. */
export interface ObjectAddress {
  readonly resource: GroupVersionResource;
  /** "" for all namespaces, and for a resource that has none. */
  readonly namespace: string;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export interface ListParameters {
  readonly resourceVersion?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact" | undefined;
}

export interface WatchParameters extends Omit<ListParameters, "continue"> {
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WriteParameters {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: string | undefined;
  /** Takes fields over from other managers; only in an apply patch. False is sent too. */
  readonly force?: boolean | undefined;
}

/** The body of a delete request. A grace period of 0 seconds is sent, too: it deletes at once. */
export interface DeleteParameters {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Makes the request of a get or a list. */
export const readRequest = (address: ObjectAddress, parameters: ListParameters): RestRequest =>
  request("GET", address, { ...parameters });

export const watchRequest = (address: ObjectAddress, parameters: WatchParameters): RestRequest =>
  request("GET", address, { ...parameters, watch: true });

/** Makes a write request: a create is a POST to a collection or a subresource, an update a PUT. */
export const writeRequest = (
  method: "POST" | "PUT" | "PATCH",
  address: ObjectAddress,
  body: Uint8Array,
  { dryRun, force, ...rest }: WriteParameters,
): RestRequest => request(method, address, { ...rest, dryRun: dryRun && "All", force: force?.toString() }, body);

export const patchRequest = (
  address: ObjectAddress,
  type: PatchType,
  patch: Uint8Array,
  parameters: WriteParameters,
): RestRequest => ({
  ...writeRequest("PATCH", address, patch, parameters),
  contentType: PATCH_MEDIA_TYPES[type],
});

/** Makes a delete request. The selectors are for collections. */
export const deleteRequest = (
  address: ObjectAddress,
  parameters: DeleteParameters,
  selectors: ListParameters = {},
): RestRequest => request("DELETE", address, { ...selectors }, deleteBody(parameters));

const request = (
  method: string,
  { resource, namespace, name, subresource }: ObjectAddress,
  parameters: Parameters,
  body?: Uint8Array,
): RestRequest => ({
  method,
  path: resourcePath({ resource, namespaced: true }, namespace, name, subresource),
  query: query(parameters),
  accept: JSON_TYPE,
  contentType: JSON_TYPE,
  body,
});

const JSON_TYPE = "application/json";

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

function query(parameters: Parameters): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const key in parameters) if (parameters[key]) sent[key] = String(parameters[key]);
  return sent;
}

/** In the order in which Go encodes the type, with the newline that ends its documents. */
function deleteBody({ gracePeriodSeconds, preconditions, propagationPolicy, dryRun }: DeleteParameters): Uint8Array {
  const options = { gracePeriodSeconds, preconditions, propagationPolicy, dryRun: dryRun ? ["All"] : undefined };
  return new TextEncoder().encode(`${encodeJson(options)}\n`);
}
